import type { Hex } from 'viem'
import { intakeActions } from '../relay/ledger/notes/operations.ts'
import type { IntakeWish, PaymentQuery, PaymentTrace, Vitals } from '../relay/ledger/port.ts'
import { isOpen, paymentsOf } from '../relay/ledger/port.ts'
import type { Relayer } from '../relay/relayer.ts'
import { cached } from '../runtime/cached.ts'
import { faultOf } from '../runtime/log.ts'
import { type AliasOptions, keepAccounts } from './actions/alias.ts'
import { type CashOutOptions, cashOutFor } from './actions/cash-out.ts'
import { type DepositOptions, depositFor } from './actions/deposit.ts'
import { type LookupOptions, lookUpCaller } from './actions/lookup.ts'
import { outbidNonce } from './actions/outbid.ts'
import { type PinOptions, tendPin } from './actions/pin.ts'
import { createRestores, type RestoreOptions } from './actions/restore.ts'
import type { AuditAnswer, IntakeAnswer, PaymentDetails, PaymentsAnswer } from './answers.ts'
import { type Condition, healthOf, type KnownCondition } from './health.ts'
import { metricsOf } from './metrics.ts'
import { isoOf, toPaymentDetails, toPaymentSummary } from './records.ts'
import { type Counts, shownIntake, statusOf } from './status.ts'

/** Tells operators what they ask, and does what they order. */
export type Operator = ReturnType<typeof createOperator>

/** Is thrown where the ledger gave no answer: nothing can be told, and nothing was done. */
export class LedgerSilent extends Error {
  override readonly name = 'LedgerSilent'
}

export type OperatorOptions = CashOutOptions &
  DepositOptions &
  LookupOptions &
  PinOptions &
  AliasOptions &
  RestoreOptions & {
    relayer: Relayer
    /** Asks what is known of the deployment now. */
    condition: () => Promise<Condition>
    /** Gives what was known of it some seconds ago at most. */
    sharedCondition: () => Promise<Condition>
  }

const nodeTimeoutMs = 3_000
/** Shares what a node says of the relayer's account among those who ask for status. */
const countsMs = 5_000
const shownEntries = 200

export function createOperator(options: OperatorOptions) {
  const { subject, relayer, condition, newId } = options
  const { ledger, log } = relayer
  const { chain } = subject
  const counts = cached(relayer.clock, countsMs, () => countsOf(relayer))

  async function known(): Promise<KnownCondition> {
    const { vitals, ...rest } = await condition()
    if (vitals === undefined) {
      throw new LedgerSilent('the ledger gives no answer: look at the Durable Object, or at Redis')
    }
    return { vitals, ...rest }
  }

  const whenKnown =
    <Asked, Answer>(
      act: (options: OperatorOptions, asked: Asked, vitals: Vitals) => Promise<Answer>,
    ) =>
    async (asked: Asked) =>
      act(options, asked, (await known()).vitals)

  return {
    health: async () => healthOf(await options.sharedCondition()),
    status: async () => statusOf(subject, await known(), await counts()),
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
      const message = `An operator did: ${intakeActions[kind]}`
      log({ level: 'warn', event: 'operator.intake', message })
      const work = await ledger.work()
      return { intake: shownIntake(intake, isOpen(work)), open: paymentsOf(work).length }
    },
    async outbid({ nonce }: { nonce: number }) {
      await ledger.note({ id: newId(), action: 'outbid', detail: { nonce: `${nonce}` } })
      const message = 'An operator outbids a nonce'
      log({ level: 'warn', event: 'operator.outbid', message, nonce })
      return await outbidNonce(relayer, nonce)
    },
    lookup: whenKnown(lookUpCaller),
    cashOut: whenKnown(cashOutFor),
    deposit: whenKnown(depositFor),
    pin: whenKnown(tendPin),
    alias: whenKnown(keepAccounts),
    async audit(): Promise<AuditAnswer> {
      const entries = await ledger.audit(shownEntries)
      return { entries: entries.map(({ id: _, at, ...entry }) => ({ ...entry, at: isoOf(at) })) }
    },
    ...createRestores(options),
  }
}

async function countsOf({ node, signer, clock }: Relayer): Promise<Counts> {
  const count = (upTo: 'latest' | 'pending') =>
    node.transactionCount(signer.address, clock.timeout(nodeTimeoutMs), upTo).catch(() => null)
  const [chain, pool] = await Promise.all([count('latest'), count('pending')])
  return { chain, pool }
}

/** Asks what the mined transaction of a payment used; undefined where none was, or no node tells. */
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
