import type { Address } from 'viem'
import type { Chain } from '../chain/chains.ts'
import type { Unit } from '../loan/amounts.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { RecallTimes } from '../relay/ledger/values.ts'
import { executeGas } from '../relay/relayer.ts'
import type { ActiveAlert } from './kept/alerts.ts'
import { type AuditEntry, readActor } from './kept/audit.ts'
import type { AccountEvent } from './kept/events.ts'
import type { PaymentRecord, PaymentTrace } from './kept/takings.ts'
import type { AlertName } from './schemas/alerts.ts'
import type { PaymentDetails, PaymentSummary } from './schemas/payments.ts'
import type { StatusAnswer } from './schemas/status.ts'

export type Deployment = {
  chain: Chain
  relayer: () => Address
  loan: Address
  /** Describes what the loan contract counts. */
  unit: Unit
  forwarder: Address
  guards: Readonly<StatusAnswer['guards']>
  nodes: () => StatusAnswer['nodes']
}

/** Formats a time (Unix time in ms) as ISO 8601. */
export const toIso = (at: number): string => new Date(at).toISOString()

export const isoOrNull = (at: number | undefined | null): string | null =>
  at === undefined || at === null ? null : toIso(at)

type Written<Value> = Value extends bigint
  ? string
  : Value extends undefined
    ? null
    : Value extends object
      ? { [Name in keyof Value]: Written<Value[Name]> }
      : Value

/** Writes an answer's amounts as their digits, and what is not known as null. */
export const writeAnswer = <Value>(value: Value): Written<Value> =>
  JSON.parse(
    JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}` : (field ?? null))),
  )

export const toLink = ({ explorer }: Chain, hash: string): string => `${explorer}/tx/${hash}`

export const toAlert = ({ name, says, raisedAt, calmSince }: ActiveAlert) => ({
  name: name as AlertName,
  says,
  raisedAt: toIso(raisedAt),
  overSince: isoOrNull(calmSince),
})

export const toAuditEntry = ({ id, at, ...entry }: AuditEntry) => ({
  at: toIso(at),
  by: readActor(id),
  ...entry,
})

/** Describes a payment without data that identifies its caller. */
export function toPaymentSummary(chain: Chain, record: PaymentRecord): PaymentSummary {
  const { intentId, acceptedAt, history, reason, gas: _, deadline: __, ...summary } = record
  return {
    ...summary,
    intent: intentId,
    acceptedAt: toIso(acceptedAt),
    assuredAt: isoOrNull(record.assuredAt),
    paidOutAt: isoOrNull(record.paidOutAt),
    changedAt: toIso(history.at(-1)?.[1] ?? acceptedAt),
    reason: reason === '' ? null : reason,
    explorer: summary.hash === null ? null : toLink(chain, summary.hash),
  }
}

export const toPrice = (rate: Rate | undefined) =>
  rate ? { currency: rate.currency, micros: `${rate.micros}` } : null

const toRecall = (
  { until, ...recall }: NonNullable<PaymentTrace['recall']>,
  { everyMs }: RecallTimes,
) => ({
  state: recall.kind,
  wei: recall.kind === 'held' ? `${recall.wei}` : null,
  until: toIso(until),
  everyDays: Math.round(everyMs / 86_400_000),
})

export const toEventAnswer = ({ at, ...event }: AccountEvent) => ({ ...event, at: toIso(at) })

/** Holds what the ledger's rows do not tell; without `recalls` no standing of a hold is told. */
type MoreDetails = {
  gasUsed?: number | undefined
  creditedWei?: bigint | undefined
  rate?: Rate | undefined
  recalls?: RecallTimes
}

/** Describes one payment in full, with the gas that its transaction used. */
export function toPaymentDetails(
  chain: Chain,
  trace: Omit<PaymentTrace, 'holdSteps'> & Partial<Pick<PaymentTrace, 'holdSteps'>>,
  { gasUsed, creditedWei, rate, recalls }: MoreDetails = {},
): PaymentDetails {
  const { transactions, screen, messages, batch, recall, holdSteps = [], ...record } = trace
  const { deadline, history, block, hash: minedAs } = record
  return {
    ...toPaymentSummary(chain, record),
    price: record.agreed ? null : toPrice(rate),
    creditedWei: creditedWei?.toString() ?? null,
    deadline: isoOrNull(deadline && deadline * 1_000),
    gasUsed: gasUsed ?? null,
    recall: recall && recalls ? toRecall(recall, recalls) : null,
    holdSteps: holdSteps.map(({ at, intentId: intent, ...step }) =>
      writeAnswer({ ...step, at: toIso(at), intent }),
    ),
    batch,
    screen: screen?.lines.join('\n') ?? null,
    messages: messages.map(({ at, ...message }) => ({ ...message, at: toIso(at) })),
    transitions: history.map(([state, at]) => ({ state, at: toIso(at) })),
    transactions: transactions.map(({ recordedAt, sentAt, ...transaction }) => ({
      ...transaction,
      gasLimit: (record.gas ?? 0) + executeGas,
      recordedAt: toIso(recordedAt),
      sentAt: isoOrNull(sentAt),
      isMined: block !== null && transaction.hash === minedAs,
      explorer: toLink(chain, transaction.hash),
    })),
  }
}
