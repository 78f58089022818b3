import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  stringToHex,
} from 'viem'
import { TransportError } from '../../chain/rpc.ts'
import { loanAbi } from '../../loan/abi.ts'
import { getQuantum, type Unit } from '../../loan/amounts.ts'
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

export type TokenState = NonNullable<ObservationReport['facts']['token']>['state']

export type ReadToken = NonNullable<ReturnType<typeof createTokenReader>>

/** Begins a call of `paused()`, which most tokens have that can be paused. */
const pausedSelector = '0x5c975abb'

/**
 * Creates a reader of whether the pool's token lets the pool pay and be paid; undefined for a pool
 * of the currency. It simulates a payment of the pool to itself, of the least that is counted.
 * Issuers name their lists of blocked addresses in many ways, and none lets such a transfer
 * through; of another recipient the issuer may have blocked that alone. It throws if a node is
 * silent.
 */
export function createTokenReader({ loan, unit }: { loan: Address; unit: Unit }) {
  const { token } = unit
  if (token === null) return undefined
  return async ({ node, clock }: Pick<Relayer, 'node' | 'clock'>): Promise<TokenState> => {
    const call = async (data: Hex): Promise<Hex | undefined> => {
      const request = { from: loan, to: token.address as Address, data }
      const outcome = await node.call(request, clock.timeout(nodeTimeoutMs))
      return outcome.kind === 'returned' ? outcome.data : undefined
    }
    const mayPay = async (value: bigint): Promise<boolean> => {
      const args = [loan, value] as const
      const data = await call(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }))
      // Some tokens return nothing.
      return data === '0x' || parseWord(data) !== 0n
    }
    const quantum = getQuantum(unit)
    if (await mayPay(quantum)) return 'moves'
    const args = [loan] as const
    const held = await call(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args }))
    // By EIP-20 a transfer of 0 is like any other.
    if (parseWord(held) < quantum && (await mayPay(0n))) return 'moves'
    return parseWord(await call(pausedSelector)) === 0n ? 'refused' : 'paused'
  }
}

const parseWord = (data: Hex = '0x'): bigint => (data === '0x' ? 0n : BigInt(data))
