import type { Hex } from 'viem'
import type { PoolRules } from '../chain/chains.ts'
import type { Node } from '../chain/node.ts'
import { loanCalls } from '../loan/kinds.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { type FeeLimits, gasPriceWithin, replacementPriceUp } from './fees.ts'
import { encodeExecute, type Forwarder, type SignedRequest } from './forwarder/requests.ts'
import type { Ledger, SignedTransaction, Slot } from './ledger/port.ts'
import type { Signer, TransactionContent } from './signer.ts'

/** What a payment through one relayer key needs, in a request's Worker and in the alarm. */
export type Relayer = {
  ledger: Ledger
  node: Node
  signer: Signer
  forwarder: Forwarder
  rules: PoolRules
  fees: FeeLimits
  clock: Clock
  log: Log
  /** Words for the revert data of a failed call. */
  reasonOf: (revertData: Hex) => string
}

/** What payments are judged and priced by: the chain's rules and the operator's price limits. */
export type Terms = Pick<Relayer, 'rules' | 'fees'>

/**
 * How long a request is good for on the chain, in seconds. Longer than the watch of 50 blocks, far
 * shorter than the 24 h that the forwarder allows.
 */
export const requestLifetimeSeconds = 2 * 60 * 60

/** The most that a request is signed for. */
export const mostInnerGas = Math.max(...Object.values(loanCalls).map(({ gas }) => gas))

/** What `execute` itself uses for one request, with a margin: signature, storage, event, calldata. */
export const executeGas = 150_000

/** The same for each request after the first, which pays for what they share. */
export const followingGas = 70_000

/** A transaction that only uses up its nonce. */
const noOpGas = 21_000

/**
 * What a transaction pays for gas, in wei a unit: the node's price within the operator's limits, but
 * at least what the chain's pool asks for over older bytes of its nonce. Undefined where that is more
 * than the operator allows.
 */
export function gasPriceFor(
  { fees, rules }: Terms,
  nodePriceWei: bigint,
  priorWei: bigint | undefined,
): bigint | undefined {
  const wanted = gasPriceWithin(fees, nodePriceWei)
  const least = priorWei === undefined ? 0n : replacementPriceUp(priorWei, rules.replacementPercent)
  if (least > fees.maxWei) return undefined
  return wanted > least ? wanted : least
}

/** Makes the transaction that carries these requests; without any it only uses up its nonce. */
export function carry(
  { signer, forwarder }: Pick<Relayer, 'signer' | 'forwarder'>,
  requests: readonly SignedRequest[],
): TransactionContent {
  if (requests.length === 0) return { to: signer.address, data: '0x', gas: noOpGas }
  return { to: forwarder.address, data: encodeExecute(requests), gas: gasFor(requests) }
}

/** The gas of a transaction that carries these requests: a sum, for an estimate is that of a batch that is skipped. */
export function gasFor(requests: readonly { gas: number }[]): number {
  const calls = requests.reduce((sum, { gas }) => sum + gas, 0)
  return executeGas + (requests.length - 1) * followingGas + calls
}

/**
 * Signs a transaction for a nonce. Older bytes of that nonce are outbid by what the chain's pool asks for;
 * undefined where the operator's highest price does not reach that.
 */
export async function signFor(
  relayer: Terms & Pick<Relayer, 'signer'>,
  { nonce, prior }: Slot,
  nodePriceWei: bigint,
  content: TransactionContent,
): Promise<SignedTransaction | undefined> {
  const gasPriceWei = gasPriceFor(relayer, nodePriceWei, prior?.gasPriceWei)
  if (gasPriceWei === undefined) return undefined
  return relayer.signer.sign({ nonce, gasPriceWei, ...content })
}
