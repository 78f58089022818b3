import type { Hex } from 'viem'
import { parseCaller } from '../account/phone.ts'
import {
  type IntakeWish,
  isOpen,
  listPayments,
  type PaymentQuery,
  type PaymentTrace,
} from '../relay/ledger/port.ts'
import { intakeActions } from '../relay/ledger/records/operations.ts'
import type { Relayer } from '../relay/relayer.ts'
import { cached } from '../runtime/cached.ts'
import { describeFault } from '../runtime/log.ts'
import { addAgent, listAgents, removeAgent } from './actions/agents.ts'
import { type AliasOptions, badNumber, keepAccounts, otherSecrets } from './actions/alias.ts'
import {
  type Caller,
  depositFor,
  holdAccount,
  lookUpCaller,
  type RefusedRequest,
  tendPin,
  traceSession,
} from './actions/caller.ts'
import { type CashOutOptions, cashOutFor } from './actions/cash-out.ts'
import { loanBookNow, loansAsCsv } from './actions/loans.ts'
import { outbidNonce } from './actions/outbid.ts'
import { erasePerson, exportPerson } from './actions/person.ts'
import { createRestores, type RestoreOptions } from './actions/restore.ts'
import { changeWallets, issueWalletCode } from './actions/wallets.ts'
import { alertsNow } from './alerting/alerts.ts'
import type { ActionName, AskedOf, ToldOf } from './answers.ts'
import { type Condition, describeSilence, judgeHealth, type KnownCondition } from './health.ts'
import { writeMetrics } from './metrics.ts'
import { toAlert, toIso, toPaymentDetails, toPaymentSummary } from './records.ts'
import { type Counts, describeStatus, shownIntake } from './status.ts'

export type Operator = ReturnType<typeof createOperator>

/** Reports that the ledger did not answer and nothing was done. */
export class LedgerSilent extends Error {
  override readonly name = 'LedgerSilent'
}

export type OperatorOptions = CashOutOptions &
  AliasOptions &
  RestoreOptions & {
    relayer: Relayer
    condition: () => Promise<Condition>
    /** Returns the state as of a few seconds ago at most. */
    sharedCondition: () => Promise<Condition>
  }

type Actions = { [Of in ActionName]: (asked: AskedOf<Of>) => Promise<ToldOf<Of> | RefusedRequest> }

const nodeTimeoutMs = 3_000
/** Shares the relayer's nonces among status requests for this time. */
const countsMs = 5_000
const shownEntries = 200

export function createOperator(options: OperatorOptions) {
  const { relayer, condition, newId } = options
  const { ledger, log } = relayer

  async function known(): Promise<KnownCondition> {
    const { vitals, store, ...rest } = await condition()
    if (vitals === undefined) throw new LedgerSilent(describeSilence(store))
    return { vitals, ...rest }
  }

  /** Finds a number's account after checking that the ledger began with the same secrets. */
  const forCaller =
    <Sent extends { phone: string }, Answer>(
      act: (options: OperatorOptions, caller: Caller, asked: Sent) => Promise<Answer>,
    ) =>
    async (asked: Sent): Promise<Answer | RefusedRequest> => {
      const { vitals } = await known()
      const phone = parseCaller(asked.phone.trim(), options.country)
      if (phone === undefined) return badNumber
      if (vitals.identity?.kind !== 'same') return otherSecrets
      return await act(options, { phone, account: await options.accounts(phone) }, asked)
    }

  async function setIntake(kind: IntakeWish, nextAccountKey?: string) {
    // The secret that a drain has named is forgotten with it: this Worker's is learnt before that.
    if (kind === 'open') await ledger.identify(await options.identity())
    const intake = await ledger.setIntake(kind, newId(), nextAccountKey)
    const message = `An operator did: ${intakeActions[kind]}`
    log({ level: 'warn', event: 'operator.intake', message })
    const work = await ledger.readWork()
    return { intake: shownIntake(intake, isOpen(work)), open: listPayments(work).length }
  }

  const { exported, restoring } = createRestores(options)
  const act: Actions = {
    pause: () => setIntake('paused'),
    resume: () => setIntake('open'),
    drain: ({ nextAccountKey }) => setIntake('draining', nextAccountKey),
    async outbid({ nonce }) {
      await ledger.recordAction({ id: newId(), action: 'outbid', detail: { nonce: `${nonce}` } })
      const message = 'An operator outbids a nonce'
      log({ level: 'warn', event: 'operator.outbid', message, nonce })
      return await outbidNonce(relayer, nonce)
    },
    lookup: forCaller(lookUpCaller),
    session: forCaller(traceSession),
    'person/export': forCaller(exportPerson),
    'person/erase': forCaller(erasePerson),
    hold: (asked) => holdAccount(options, asked),
    'cash-out': forCaller(cashOutFor),
    deposit: forCaller(depositFor),
    wallet: forCaller(changeWallets),
    agents: () => listAgents(options),
    'agents/add': forCaller(addAgent),
    'agents/remove': (asked) => removeAgent(options, asked),
    'wallet-code': (asked) => issueWalletCode(options, asked),
    pin: forCaller(tendPin),
    alias: async (asked) => keepAccounts(options, asked, (await known()).vitals),
    ...restoring,
  }

  return { act, exported, ...createReads(options, known) }
}

function createReads(options: OperatorOptions, known: () => Promise<KnownCondition>) {
  const { subject, relayer } = options
  const { ledger } = relayer
  const { chain } = subject
  const counts = cached(relayer.clock, countsMs, () => readCounts(relayer))
  return {
    health: async () => judgeHealth(await options.sharedCondition()),
    status: async () => describeStatus(subject, await known(), await counts()),
    /** Returns the status without asking a node, for pages that reload all day. */
    overview: async () => describeStatus(subject, await known(), { chain: null, pool: null }),
    metrics: async () => writeMetrics(subject, await known()),
    async payments(query: PaymentQuery) {
      const { payments, next } = await ledger.readPage(query)
      return {
        payments: payments.map((record) => toPaymentSummary(chain, record)),
        next: next === undefined ? null : toIso(next),
      }
    },
    async payment(intent: Hex) {
      const trace = await ledger.tracePayment(intent)
      return trace && toPaymentDetails(chain, trace, await gasUsedBy(relayer, trace))
    },
    async alerts() {
      const past = await ledger.listPastAlerts()
      return { alerts: alertsNow(await known(), subject).map(toAlert), past: past.map(toAlert) }
    },
    loans: (query: Parameters<typeof loanBookNow>[1]) => loanBookNow(options, query),
    loansAsCsv: () => loansAsCsv(options),
    async audit() {
      const entries = await ledger.listAudit(shownEntries)
      return { entries: entries.map(({ id: _, at, ...entry }) => ({ ...entry, at: toIso(at) })) }
    },
  }
}

async function readCounts({ node, signer, clock }: Relayer): Promise<Counts> {
  const count = (upTo: 'latest' | 'pending') =>
    node.transactionCount(signer.address, clock.timeout(nodeTimeoutMs), upTo).catch(() => null)
  const [chain, pool] = await Promise.all([count('latest'), count('pending')])
  return { chain, pool }
}

/** Reads the gas used by a payment's transaction; undefined if not mined, or no answer. */
async function gasUsedBy({ node, clock, log }: Relayer, { hash, block }: PaymentTrace) {
  if (hash === null || block === null) return undefined
  try {
    return (await node.receipt(hash, clock.timeout(nodeTimeoutMs)))?.gasUsed
  } catch (error) {
    log({ level: 'warn', event: 'gas.unknown', message: describeFault(error) })
    return undefined
  }
}
