import type { Hex } from 'viem'
import type { LoanReader } from '../loan/reader.ts'
import type { ExportEntry, ExportHead, ExportPlace } from '../relay/ledger/copies/export-format.ts'
import { intakeActions } from '../relay/ledger/notes/operations.ts'
import type {
  Identity,
  IntakeWish,
  PaymentQuery,
  PaymentTrace,
  SetBack,
  SetBackAnswer,
  Vitals,
} from '../relay/ledger/port.ts'
import { isOpen, paymentsOf } from '../relay/ledger/port.ts'
import type { Relayer } from '../relay/relayer.ts'
import { cached } from '../runtime/cached.ts'
import { faultOf } from '../runtime/log.ts'
import { type AliasOptions, keepAccounts } from './actions/alias.ts'
import { callerBy, type NoCaller } from './actions/caller.ts'
import { type CashOutOptions, cashOutFor } from './actions/cash-out.ts'
import { type DepositOptions, depositFor } from './actions/deposit.ts'
import { outbidNonce } from './actions/outbid.ts'
import { type PinOptions, tendPin } from './actions/pin.ts'
import type {
  AliasRequest,
  AuditAnswer,
  CashOutRequest,
  IntakeAnswer,
  LookupAnswer,
  PaymentDetails,
  PaymentsAnswer,
  PinRequest,
} from './answers.ts'
import { type Condition, healthOf } from './health.ts'
import { metricsOf } from './metrics.ts'
import { isoOf, toPaymentDetails, toPaymentSummary } from './records.ts'
import { type Counts, shownIntake, statusOf } from './status.ts'

/** What is told to operators, and what they do. */
export type Operator = ReturnType<typeof createOperator>

export type LookedUp = ({ kind: 'found' } & LookupAnswer) | NoCaller

/** The ledger gave no answer: nothing can be told, and nothing was done. */
export class LedgerSilent extends Error {
  override readonly name = 'LedgerSilent'
}

export type OperatorOptions = CashOutOptions &
  DepositOptions &
  PinOptions &
  AliasOptions & {
    relayer: Relayer
    /** What is known of the deployment now. */
    condition: () => Promise<Condition>
    /** What was known of it some seconds ago at most. */
    sharedCondition: () => Promise<Condition>
    loan: Pick<LoanReader, 'balance' | 'owed'>
    /** What the ledger has to have been begun with. */
    identity: () => Promise<Identity>
    /** Undefined: the ledger is kept where no history is. */
    setBack: ((to: SetBack) => Promise<SetBackAnswer>) | undefined
  }

const nodeTimeoutMs = 3_000
/** How long those who ask for status share what a node says of the relayer's account. */
const countsMs = 5_000
const shownPayments = 20
const shownEntries = 200

export function createOperator(options: OperatorOptions) {
  const { subject, relayer, condition, newId } = options
  const { ledger, log } = relayer
  const { chain } = subject
  const counts = cached(relayer.clock, countsMs, () => countsOf(relayer))

  async function known(): Promise<Condition & { vitals: Vitals }> {
    const { vitals, ...rest } = await condition()
    if (vitals === undefined) {
      throw new LedgerSilent('the ledger gives no answer: look at the Durable Object, or at Redis')
    }
    return { vitals, ...rest }
  }

  return {
    health: async () => healthOf(await options.sharedCondition()),
    status: async () => statusOf(subject, await known(), await counts()),
    /** In Prometheus' text format. */
    metrics: async () => metricsOf(subject, await known()),
    async payments(query: PaymentQuery): Promise<PaymentsAnswer> {
      const { payments, next } = await ledger.page(query)
      return {
        payments: payments.map((record) => toPaymentSummary(chain, record)),
        next: next === undefined ? null : isoOf(next),
      }
    },
    async payment(intent: Hex): Promise<PaymentDetails | undefined> {
      const trace = await ledger.tracePayment(intent)
      return trace && toPaymentDetails(chain, trace, await gasUsedBy(relayer, trace))
    },
    async setIntake(kind: IntakeWish, nextAccountKey?: string): Promise<IntakeAnswer> {
      // The secret that a drain has named is forgotten with it: this Worker's is learnt before that.
      if (kind === 'open') await ledger.identify(await options.identity())
      const intake = await ledger.setIntake(kind, newId(), nextAccountKey)
      log({
        level: 'warn',
        event: 'operator.intake',
        message: `An operator did: ${intakeActions[kind]}`,
      })
      const work = await ledger.work()
      return { intake: shownIntake(intake, isOpen(work)), open: paymentsOf(work).length }
    },
    async outbid(nonce: number) {
      await ledger.note({ id: newId(), action: 'outbid', detail: { nonce: `${nonce}` } })
      log({
        level: 'warn',
        event: 'operator.outbid',
        message: 'An operator outbids a nonce',
        nonce,
      })
      return await outbidNonce(relayer, nonce)
    },
    lookup: async (phone: string) => lookUp(options, phone, (await known()).vitals),
    cashOut: async (request: CashOutRequest) =>
      cashOutFor(options, request, (await known()).vitals),
    deposit: async (phone: string) => depositFor(options, phone, (await known()).vitals),
    pin: async (request: PinRequest) => tendPin(options, request, (await known()).vitals),
    alias: async (request: AliasRequest) => keepAccounts(options, request, (await known()).vitals),
    async audit(): Promise<AuditAnswer> {
      const entries = await ledger.audit(shownEntries)
      return { entries: entries.map(({ id: _, at, ...entry }) => ({ ...entry, at: isoOf(at) })) }
    },
    ...ledgerOf(options),
  }
}

/** The ledger as a whole: out into a file, and back. */
function ledgerOf({ relayer, identity, newId, setBack }: OperatorOptions) {
  const { ledger, log } = relayer
  const say = (message: string) => log({ level: 'warn', event: 'operator.restore', message })
  return {
    exported: async (place: ExportPlace) => ledger.exported(await identity(), place),
    async beginRestore(head: ExportHead, adds: boolean) {
      const begun = await ledger.beginRestore({
        id: newId(),
        head,
        identity: await identity(),
        adds,
      })
      if (begun.kind === 'begun') say('An operator restores the ledger: no session is decided')
      return begun
    },
    restore: (exportedAt: number, entries: readonly ExportEntry[]) =>
      ledger.restore(exportedAt, entries),
    async endRestore(exportedAt: number) {
      const ended = await ledger.endRestore(exportedAt)
      if (ended.kind === 'restored') say('The ledger is restored')
      return ended
    },
    async setBack(to: SetBack): Promise<SetBackAnswer> {
      if (setBack === undefined) return { kind: 'refused', reason: 'Redis keeps no history' }
      const answer = await setBack(to)
      if (answer.kind === 'refused') return answer
      say(`An operator set the ledger back; the bookmark ${answer.undo} takes it back`)
      // In the ledger as it is now: what was written before is gone with the rest.
      await ledger.note({ id: newId(), action: 'set-back', detail: { undo: answer.undo } })
      return answer
    },
  }
}

async function countsOf({ node, signer, clock }: Relayer): Promise<Counts> {
  const count = (upTo: 'latest' | 'pending') =>
    node.transactionCount(signer.address, clock.timeout(nodeTimeoutMs), upTo).catch(() => null)
  const [chain, pool] = await Promise.all([count('latest'), count('pending')])
  return { chain, pool }
}

/** By the transaction that was mined for a payment; undefined where none was, or no node tells. */
async function gasUsedBy(
  { node, clock, log }: Relayer,
  { hash, block }: PaymentTrace,
): Promise<number | undefined> {
  if (hash === null || block === null) return undefined
  try {
    return (await node.receipt(hash, clock.timeout(nodeTimeoutMs)))?.gasUsed
  } catch (error) {
    log({ level: 'warn', event: 'gas.unknown', message: faultOf(error) })
    return undefined
  }
}

/** What a caller's number leads to. */
async function lookUp(options: OperatorOptions, phone: string, vitals: Vitals): Promise<LookedUp> {
  const caller = await callerBy(options, phone, vitals)
  if (caller.kind !== 'caller') return caller
  const { address: account } = caller.account
  const { subject, relayer, loan, newId } = options
  const { ledger, log } = relayer
  await ledger.note({ id: newId(), action: 'lookup', detail: { account } })
  const told = (wei: Promise<bigint>) =>
    wei.then(String).catch((error: unknown) => {
      log({ level: 'warn', event: 'lookup.failed', message: faultOf(error) })
      return null
    })
  const [page, balanceWei, owedWei] = await Promise.all([
    ledger.page({ account, limit: shownPayments }),
    told(loan.balance(account)),
    told(loan.owed(account)),
  ])
  const payments = page.payments.map((record) => toPaymentSummary(subject.chain, record))
  return { kind: 'found', account, balanceWei, owedWei, payments }
}
