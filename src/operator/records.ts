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

/** Formats a time (Unix time in ms, or ISO 8601) as ISO 8601. */
export const toIso = (at: number | string): string => new Date(at).toISOString()

export const isoOrNull = (at: number | undefined | null): string | null =>
  at === undefined || at === null ? null : toIso(at)

type TimeName = 'at' | 'since' | 'until' | `${string}At` | `${string}Since`

type Written<Value, IsTime = false> = Value extends bigint
  ? string
  : Value extends undefined
    ? null
    : Value extends number
      ? IsTime extends true
        ? string
        : Value
      : Value extends object
        ? { [Name in keyof Value]: Written<Value[Name], IsTimeName<Name>> }
        : Value

type IsTimeName<Name> = Name extends 'readAt' ? false : Name extends TimeName ? true : false

/** Matches the names of times (Unix time in ms); what was agreed keeps the time of its rate. */
const timeName = /^(?!readAt$)(at|since|until|.+At|.+Since)$/

/** Writes an answer's amounts as their digits, its times as ISO 8601, and null for the unknown. */
export const writeAnswer = <Value>(value: Value): Written<Value> =>
  JSON.parse(
    JSON.stringify(value, (name, field) => {
      if (typeof field === 'number' && timeName.test(name)) return toIso(field)
      return typeof field === 'bigint' ? `${field}` : (field ?? null)
    }),
  )

export const toLink = ({ explorer }: Chain, hash: string): string => `${explorer}/tx/${hash}`

export const toAlert = ({ name, calmSince: overSince, ...alert }: ActiveAlert) =>
  writeAnswer({ ...alert, name: name as AlertName, overSince })

export const toAuditEntry = ({ id, at, ...entry }: AuditEntry) => ({
  at: toIso(at),
  by: readActor(id),
  ...entry,
})

/** Describes a payment without data that identifies its caller. */
export function toPaymentSummary(chain: Chain, record: PaymentRecord): PaymentSummary {
  const { intentId, history: _, reason, gas: __, deadline: ___, ...summary } = record
  return writeAnswer({
    ...summary,
    intent: intentId,
    reason: reason === '' ? null : reason,
    explorer: summary.hash === null ? null : toLink(chain, summary.hash),
  })
}

export const toPrice = (rate: Rate | undefined) =>
  rate ? { currency: rate.currency, micros: `${rate.micros}` } : null

const toRecall = (recall: NonNullable<PaymentTrace['recall']>, { everyMs }: RecallTimes) => ({
  state: recall.kind,
  wei: recall.kind === 'held' ? recall.wei : null,
  until: recall.until,
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
  return writeAnswer({
    ...toPaymentSummary(chain, record),
    price: record.agreed ? null : toPrice(rate),
    creditedWei,
    deadline: isoOrNull(deadline && deadline * 1_000),
    gasUsed,
    recall: recall && recalls ? toRecall(recall, recalls) : null,
    holdSteps: holdSteps.map(({ intentId: intent, ...step }) => ({ ...step, intent })),
    batch,
    screen: screen?.lines.join('\n'),
    messages,
    transitions: history.map(([state, at]) => ({ state, at })),
    transactions: transactions.map((transaction) => ({
      ...transaction,
      gasLimit: (record.gas ?? 0) + executeGas,
      isMined: block !== null && transaction.hash === minedAs,
      explorer: toLink(chain, transaction.hash),
    })),
  })
}
