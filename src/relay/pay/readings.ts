import { type Payee, readPayee } from '../../chain/payees.ts'
import { getCallRules } from '../../loan/kinds.ts'
import { withTimeLimit } from '../../runtime/clock.ts'
import {
  decodeExecute,
  decodeForwarderRefusal,
  encodeExecute,
  type ForwarderRefusal,
  type RequestResult,
  type SignedRequest,
} from '../forwarder/requests.ts'
import type { ObservationReport } from '../ledger/observations.ts'
import type { NextNonces } from '../ledger/records/possible-loss.ts'
import type { SettledBalance } from '../ledger/records/settled.ts'
import type { Undecided } from '../ledger/sessions.ts'
import type { Order } from '../ledger/values.ts'
import { readSettledBalance } from '../outcome/settled-balance.ts'
import { nodeTimeoutMs, type Relayer } from '../relayer.ts'
import type { Funding } from './admission.ts'
import type { Delivery, PreparedOrder } from './paying-step.ts'

/** Limits how long a payment waits for what would make it final at once. */
export const settledWithinMs = 1_500

/** Limits the age of the readings for which a payment is refused. */
export const maxReadingAgeMs = 5_000

/** Holds what a payment is judged by, as the node answers now. */
export type Readings = Awaited<ReturnType<typeof takeReadings>>

/** Adds what is to be paid, and the state of its account. */
export type Prepared = Delivery & { prepared: PreparedOrder; view: Undecided }

/** Reads what a payment is judged by. The nonce after all pending ones is always read anew. */
export async function takeReadings({
  relayer,
  options,
  progress,
  prepared: { order, payee: recipient },
  view,
}: Prepared) {
  const { node, signer, clock, rules } = relayer
  const { preflight, finalAtOnce } = options
  const { observed } = progress
  const { sharedLimit } = getCallRules(order.kind)
  progress.isDoubtful = view.isDoubtful === true
  const signal = clock.timeout(nodeTimeoutMs)
  const readNonce = (block: 'latest' | 'pending') =>
    node.getTransactionCount(signer.address, signal, block)
  const { observations, now } = view
  const { chainNonce } = observations
  const isFresh = chainNonce !== undefined && now - chainNonce.at < rules.accountStateMs
  const readNonces = async (): Promise<NextNonces> => {
    const [chain, pool] = await Promise.all([
      isFresh ? chainNonce.value : readNonce('latest'),
      readNonce('pending'),
    ])
    // A refusal for want of another answer knows them.
    progress.traces = { chain, pool, relayer: signer.address.toLowerCase() }
    return { chain, pool }
  }
  const mayBeBacked =
    order.lasting !== undefined && 0n < order.spendsWei && order.spendsWei <= finalAtOnce.eachWei
  const [simulated, target, lendable, payee, nonces, funding, holdings, settled] =
    await Promise.all([
      preflight ? simulate(relayer, view, order.request, signal) : undefined,
      options.checkTarget(node, signal),
      // What is left of the limits that the order takes from.
      preflight && sharedLimit !== 'nothing' ? options.readLimits[sharedLimit]() : undefined,
      recipient === undefined ? ('wallet' as Payee) : readPayee(node, recipient, signal),
      readNonces(),
      readFunding(relayer, view, observed, rules.accountStateMs),
      // What the account has, where something is held back in it.
      view.isRecalled ? options.readHoldings(order.request.from) : undefined,
      // What the account has for good.
      mayBeBacked ? readSettledInTime(relayer, order, signal) : undefined,
    ])
  /** Tells what the order's call would do; undefined without a simulation (`PREFLIGHT=off`). */
  const result = target === 'ready' ? simulated : { status: target }
  if (observations.silentSince !== undefined) observed.node = 'answered'
  const { state = 'ready', at = now } = observations.contracts ?? {}
  // Records the state if the ledger has another, or had this one long ago.
  const mustRecordReady =
    state === 'ready' ? now - at >= rules.accountStateMs : state !== 'loan_paused'
  if (result?.status === 'executed' && mustRecordReady)
    observed.facts.contracts = { state: 'ready' }
  return { result, lendable, payee, nonces, funding, holdings, settled }
}

/** Reads the settled balance; undefined if that takes long, since a payment can do without it. */
const readSettledInTime = (
  relayer: Relayer,
  { request }: Order,
  signal: AbortSignal,
): Promise<SettledBalance | undefined> =>
  withTimeLimit(
    relayer.clock,
    settledWithinMs,
    readSettledBalance(relayer, request.from, signal),
    () => undefined,
  )

/** Returns the gas price and the balance of the relayer's key, at most `maxAgeMs` old. */
export async function readFunding(
  { node, signer, clock }: Relayer,
  { observations, now }: Undecided,
  { facts }: ObservationReport,
  maxAgeMs: number,
): Promise<Funding> {
  const read = async (name: keyof Funding, ask: () => Promise<bigint>): Promise<bigint> => {
    const [stored, fresh] = [observations[name], facts[name]]
    if (fresh?.readAt !== undefined && clock.now() - fresh.readAt < maxReadingAgeMs)
      return fresh.value
    if (stored !== undefined && now - stored.at < maxAgeMs) return stored.value
    const value = await ask()
    facts[name] = { value, readAt: clock.now() }
    return value
  }
  const [gasPriceWei, balanceWei] = await Promise.all([
    read('gasPriceWei', () => node.getGasPrice(clock.timeout(nodeTimeoutMs))),
    read('balanceWei', () => node.getBalance(signer.address, clock.timeout(nodeTimeoutMs))),
  ])
  return { gasPriceWei, balanceWei }
}

/** Simulates a request after the account's earlier ones. The node is `behind` if those fail. */
async function simulate(
  { node, signer, forwarder }: Relayer,
  { open, executed }: Undecided,
  request: SignedRequest,
  signal: AbortSignal,
): Promise<RequestResult | { status: 'behind' | ForwarderRefusal } | undefined> {
  const requests = [...executed, ...open, request]
  const outcome = await node.call(
    { from: signer.address, to: forwarder.address, data: encodeExecute(requests) },
    signal,
  )
  if (outcome.kind === 'reverted') return { status: decodeForwarderRefusal(outcome.data) }
  if (outcome.data === '0x') return { status: 'missing' }
  const results = decodeExecute(requests, outcome.data)
  const isBehind = results.slice(0, executed.length).some(({ status }) => status === 'failed')
  return isBehind ? { status: 'behind' } : results.at(-1)
}
