import { decodeFunctionResult, encodeFunctionData, type Hex, stringToHex } from 'viem'
import { TransportError } from '../../chain/rpc.ts'
import { loanAbi } from '../../loan/abi.ts'
import {
  decodeExecute,
  decodeForwarderRefusal,
  encodeExecute,
  type Forwarder,
  intentIdLength,
  type RequestResult,
  type SignedRequest,
  signRequest,
} from '../../relay/forwarder/requests.ts'
import type { TargetCheck } from '../../relay/forwarder/target.ts'
import type { ObservationReport } from '../../relay/ledger/observations.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { createKeyAccount } from '../../runtime/key-account.ts'

export type Contracts = NonNullable<ObservationReport['facts']['contracts']>

export type ReadContracts = ReturnType<typeof createContractsReader>

const views = [
  'liquidity',
  'issuable',
  'totalOwed',
  'totalBalances',
  'principal',
  'paused',
] as const

/** Limits the gas of each view. */
const viewGas = 100_000

/** Limits the reuse of signed views, in seconds; their deadline is twice as far. */
const maxReuseSeconds = 3_600

const nodeTimeoutMs = 5_000

/** Signs views of the loan contract with a random key, for simulation only. */
async function signViews(forwarder: Forwarder, seconds: number): Promise<readonly SignedRequest[]> {
  const randomAccount = createKeyAccount(crypto.getRandomValues(new Uint8Array(32)))
  return Promise.all(
    views.map((functionName) =>
      signRequest(randomAccount, forwarder, {
        from: randomAccount.address,
        intentId: stringToHex(functionName, { size: intentIdLength }),
        gas: viewGas,
        deadline: seconds + 2 * maxReuseSeconds,
        data: encodeFunctionData({ abi: loanAbi, functionName }),
      }),
    ),
  )
}

/** Creates a reader of both contracts: it simulates one `execute` of views at a time (Unix s). */
export function createContractsReader(checkTarget: TargetCheck) {
  let signedViews: { signedAt: number; requests: readonly SignedRequest[] } | undefined

  return async (relayer: Relayer, seconds: number): Promise<Contracts> => {
    const { node, clock, signer, forwarder } = relayer
    if (signedViews === undefined || Math.abs(seconds - signedViews.signedAt) > maxReuseSeconds) {
      signedViews = { signedAt: seconds, requests: await signViews(forwarder, seconds) }
    }
    const { requests } = signedViews
    const call = { from: signer.address, to: forwarder.address, data: encodeExecute(requests) }
    const outcome = await node.call(call, clock.timeout(nodeTimeoutMs))
    if (outcome.kind === 'reverted') return { state: decodeForwarderRefusal(outcome.data) }
    if (outcome.data === '0x') return { state: 'missing' }
    const read = parseContracts(decodeExecute(requests, outcome.data))
    if (read.pool === undefined) return read
    const state = await checkTarget(node, clock.timeout(nodeTimeoutMs))
    return state === 'ready' ? read : { state }
  }
}

/** @throws {TransportError} the chain's clock is hours from ours */
function parseContracts(results: readonly RequestResult[]): Contracts {
  if (results.some(({ status }) => status === 'expired' || status === 'deadline_too_far')) {
    throw new TransportError("the chain's clock is far from ours")
  }
  const data = results.map(({ status, returnData }) => (status === 'executed' ? returnData : '0x'))
  // A call of an address without code succeeds and returns nothing.
  if (data.some((result) => result === '0x')) return { state: 'missing' }
  const [liquidity, issuable, owed, balances, principal, isPaused] = data
  const amount = (result: Hex = '0x') =>
    `${decodeFunctionResult({ abi: loanAbi, functionName: 'liquidity', data: result })}`
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
