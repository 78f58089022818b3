import { bytesToHex, decodeFunctionResult, encodeFunctionData, type Hex, stringToHex } from 'viem'
import type { CallOutcome } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
import { microLoanAbi } from '../../loan/abi.ts'
import {
  decodeExecute,
  encodeExecute,
  type Forwarder,
  intentIdLength,
  type RequestResult,
  refusalByForwarder,
  type SignedRequest,
  signRequest,
} from '../../relay/forwarder/requests.ts'
import type { TargetCheck } from '../../relay/forwarder/target.ts'
import type { Seen } from '../../relay/ledger/sight.ts'
import { keyAccount } from '../../runtime/key-account.ts'

/** Tells what the contracts are to this relayer, and what the pool has. */
export type Contracts = NonNullable<Seen['facts']['contracts']>

/** Is only ever simulated: through it the forwarder reads the loan contract for us. */
export type ContractsCall = {
  /** Makes calldata of the forwarder for a block of about this time (Unix time in seconds). */
  calldata: (seconds: number) => Promise<Hex>
  /** Reads the outcome of that call. @throws {TransportError} the chain's clock is hours from ours */
  read: (outcome: CallOutcome) => Contracts
  /** Tells whether the contract that is read is the one that was meant. */
  isTarget: TargetCheck
}

const views = [
  'liquidity',
  'issuable',
  'totalOwed',
  'totalBalances',
  'principal',
  'paused',
] as const

/** Is enough for any of the views in Rootstock's prices. */
const viewGas = 100_000

/** Lets signed requests be used for so long, and be good for as long again. */
const signedForSeconds = 3_600

/**
 * Looks at the contracts by one `eth_call` of `execute`, from the relayer: that it does not revert says
 * that the forwarder takes this relayer, and each request returns a view of the loan contract. A key
 * that holds nothing signs them.
 */
export function createContractsCall(forwarder: Forwarder, isTarget: TargetCheck): ContractsCall {
  let signed: { at: number; requests: readonly SignedRequest[] } | undefined

  async function sign(seconds: number): Promise<readonly SignedRequest[]> {
    const nobody = keyAccount(bytesToHex(crypto.getRandomValues(new Uint8Array(32))))
    return Promise.all(
      views.map((functionName) =>
        signRequest(nobody, forwarder, {
          from: nobody.address,
          intentId: stringToHex(functionName, { size: intentIdLength }),
          gas: viewGas,
          deadline: seconds + 2 * signedForSeconds,
          data: encodeFunctionData({ abi: microLoanAbi, functionName }),
        }),
      ),
    )
  }

  return {
    isTarget,
    async calldata(seconds) {
      if (signed === undefined || Math.abs(seconds - signed.at) > signedForSeconds) {
        signed = { at: seconds, requests: await sign(seconds) }
      }
      return encodeExecute(signed.requests)
    },
    read(outcome) {
      if (outcome.kind === 'reverted') return { state: refusalByForwarder(outcome.data) }
      if (outcome.data === '0x' || signed === undefined) return { state: 'missing' }
      return contractsOf(decodeExecute(signed.requests, outcome.data))
    },
  }
}

function contractsOf(results: readonly RequestResult[]): Contracts {
  if (results.some(({ status }) => status === 'expired' || status === 'deadline_too_far')) {
    throw new TransportError("the chain's clock is far from ours")
  }
  const data = results.map(({ status, returnData }) => (status === 'executed' ? returnData : '0x'))
  // Of an account without code every call succeeds and returns nothing.
  if (data.some((one) => one === '0x')) return { state: 'missing' }
  const [liquidity, issuable, owed, balances, principal, isPaused] = data
  const amount = (one: Hex = '0x') =>
    `${decodeFunctionResult({ abi: microLoanAbi, functionName: 'liquidity', data: one })}`
  return {
    state: BigInt(isPaused ?? 0) === 0n ? 'ready' : 'loan_paused',
    pool: {
      liquidityWei: amount(liquidity),
      issuableWei: amount(issuable),
      owedWei: amount(owed),
      balancesWei: amount(balances),
      principalWei: amount(principal),
    },
  }
}
