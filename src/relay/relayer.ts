import type { Hex } from 'viem'
import type { MiningRules, PoolRules } from '../chain/chains.ts'
import type { Node } from '../chain/node.ts'
import { loanCalls } from '../loan/kinds.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { encodeExecute, type Forwarder, type SignedRequest } from './forwarder/requests.ts'
import type { Slot } from './ledger/payments/nonces.ts'
import type { Ledger } from './ledger/steps.ts'
import type { SignedTransaction } from './ledger/values.ts'
import type { Signer, TransactionContent } from './signer.ts'

/** Holds what sending through one relayer key needs, in requests and in alarms. */
export type Relayer<Any extends Ledger = Ledger> = {
  ledger: Any
  node: Node
  signer: Signer
  forwarder: Forwarder
  rules: PoolRules
  fees: FeeLimits
  /** Requires a proof before an outcome is final; undefined if nodes are believed. */
  proofs?: MiningRules | undefined
  /** Reads the {@link LoanReader.readSettled}; undefined if nothing is final before its block. */
  readSettled?: LoanReader['readSettled'] | undefined
  clock: Clock
  log: Log
  /** Puts the revert data of a failed call into words. */
  describeReason: (revertData: Hex) => string
}

/** Holds what payments are judged and priced by: the chain's rules and the operator's limits. */
export type Terms = Pick<Relayer, 'rules' | 'fees'>

/** Limits how long a node may take for one answer, in ms. */
export const nodeTimeoutMs = 5_000

/** Bounds the gas that a payment uses alone in its transaction (snapshots/rootstock.json). */
export const maxUsedGas = 117_000

/** Limits the gas that a request is signed for. */
export const maxInnerGas = Math.max(...Object.values(loanCalls).map(({ gas }) => gas))

/** Limits what `execute` itself uses for one request: signature, storage, event, calldata. */
export const executeGas = 150_000

/** Limits that gas for each further request: the first pays for what they share. */
export const followingGas = 70_000

const noOpGas = 21_000

/** Returns the gas price in wei, enough to replace a transaction; undefined if over the limit. */
export function computeGasPrice(
  { fees, rules }: Terms,
  nodePriceWei: bigint,
  priorWei: bigint | undefined,
): bigint | undefined {
  const priceWei = limitGasPrice(fees, nodePriceWei)
  const leastWei =
    priorWei === undefined ? 0n : computeReplacementPrice(priorWei, rules.replacementPercent)
  if (leastWei > fees.maxWei) return undefined
  return priceWei > leastWei ? priceWei : leastWei
}

/** Builds the transaction that carries these requests; without any it only uses up its nonce. */
export function buildBatch(
  { signer, forwarder }: Pick<Relayer, 'signer' | 'forwarder'>,
  requests: readonly SignedRequest[],
): TransactionContent {
  if (requests.length === 0) return { to: signer.address, data: '0x', gas: noOpGas }
  return { to: forwarder.address, data: encodeExecute(requests), gas: sumGas(requests) }
}

/** Sums up the gas of requests: a node's estimate may be that of a batch that skips them. */
export function sumGas(requests: readonly { gas: number }[]): number {
  const calls = requests.reduce((sum, { gas }) => sum + gas, 0)
  return executeGas + (requests.length - 1) * followingGas + calls
}

/** Signs for a nonce, outbidding its older transaction; undefined above the price limit. */
export function signFor(
  relayer: Terms & Pick<Relayer, 'signer'>,
  { nonce, pending }: Slot,
  nodePriceWei: bigint,
  content: TransactionContent,
): SignedTransaction | undefined {
  const gasPriceWei = computeGasPrice(relayer, nodePriceWei, pending?.gasPriceWei)
  if (gasPriceWei === undefined) return undefined
  return relayer.signer.sign({ nonce, gasPriceWei, ...content })
}

/** Limits what the relay pays for gas, in wei a unit. */
export type FeeLimits = { maxWei: bigint }

/** Returns the node's price, or the operator's highest. */
export const limitGasPrice = ({ maxWei }: FeeLimits, nodePriceWei: bigint): bigint =>
  nodePriceWei > maxWei ? maxWei : nodePriceWei

/**
 * Returns the least replacement price, rounded up; Rootstock wants 40 % more (TransactionPoolImpl).
 */
export function computeReplacementPrice(priorWei: bigint, percent: number): bigint {
  return (priorWei * BigInt(100 + percent) + 99n) / 100n
}
