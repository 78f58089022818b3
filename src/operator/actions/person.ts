import { isAddressEqual } from 'viem'
import * as z from 'zod/mini'
import { type AccountMemory, eraseMemory, findLanguage } from '../../account/memory.ts'
import type { HeldNames } from '../../account/names.ts'
import { localMoney } from '../../loan/local-worth.ts'
import type { PagePosition } from '../kept/backup.ts'
import { isoOrNull, toAuditEntry, toIso, toPaymentDetails, toPaymentSummary } from '../records.ts'
import { caller, decidedSession } from '../schemas/callers.ts'
import { hexAddress, nextPage, nonNegative, phone, till, time, wei } from '../schemas/fields.ts'
import { auditAnswer } from '../schemas/kept.ts'
import { loanSummary } from '../schemas/loans.ts'
import { payment, paymentAnswer } from '../schemas/payments.ts'
import { callerAction, recordInAudit } from './action.ts'
import { describeCaller, toSession } from './caller.ts'
import { toLoanAnswer } from './loans.ts'

/** Limits the time of one answer, after which the next request continues. */
const answerTimeoutMs = 10_000
const nodeTimeoutMs = 5_000

/** Describes an account's memory, without its digests and sealed data. */
const memory = z.object({
  hasDialled: z.boolean(),
  lastDialAt: z.nullable(time),
  language: z.nullable(z.string()),
  recipients: z.array(
    z.object({
      address: hexAddress,
      to: z.string(),
      amountWei: z.nullable(wei),
      local: z.optional(localMoney),
    }),
  ),
  senders: z.array(hexAddress),
  sent: z.array(z.object({ intentId: z.string(), address: hexAddress, to: z.string() })),
  /** Lists wallets; one that replaced the `former` address pays from `paysFrom` (Unix, in ms). */
  wallets: z.array(
    z.object({
      name: z.string(),
      address: hexAddress,
      former: z.optional(hexAddress),
      paysFrom: z.optional(z.int()),
    }),
  ),
  /** Holds the name that payers see, and the one that was verified. */
  names: z.object({ shown: z.nullable(z.string()), verified: z.nullable(z.string()) }),
  lookUps: z.array(z.object({ of: hexAddress, at: time })),
  /** Lists the intents of failed payments that the caller was told of. */
  failuresTold: z.array(z.string()),
})

const orZero = z._default(nonNegative, 0)

const personExport = z.object({
  account: hexAddress,
  caller: z.nullable(caller),
  memory: z.nullable(memory),
  loan: z.nullable(loanSummary),
  payments: z.array(paymentAnswer),
  /** Lists the payments that were settled over 8 days ago. */
  archived: z.array(payment),
  sessions: z.array(decidedSession),
  audit: auditAnswer.shape.entries,
  references: z.array(z.object({ intent: z.string(), reference: z.string() })),
  tills: z.array(till),
  next: nextPage,
})

/** Exports a person's data in pages, each after an audit entry; the first has what is no list. */
export const exportPerson = callerAction({
  request: z.object({ phone, part: orZero, from: orZero }),
  answer: personExport,
  async run(options, { address: account }, { part, from }) {
    const { ledger, clock } = options.relayer
    const { chain, loan: contract } = options.deployment
    const isFirst = part === 0
    await recordInAudit(options, 'export', { account })
    const [described, stored, names] = isFirst
      ? await Promise.all([
          describeCaller(options, account),
          options.memory.read(account),
          options.names.read(account),
        ])
      : [null, null, null]
    const pages: Awaited<ReturnType<typeof ledger.readPerson>>[] = []
    const endsAt = clock.now() + answerTimeoutMs
    let position: PagePosition | undefined = { part, from }
    while (position !== undefined && clock.now() < endsAt) {
      const page = await ledger.readPerson({ account, contract, position })
      pages.push(page)
      position = page.next
    }
    const loan = pages[0]?.loan
    return {
      account,
      caller: described,
      memory: stored && names && describeMemory(stored, names),
      loan: loan ? toLoanAnswer(loan, clock.now()) : null,
      payments: pages.flatMap((page) => page.payments).map((each) => toPaymentDetails(chain, each)),
      archived: pages.flatMap((page) => page.archived).map((each) => toPaymentSummary(chain, each)),
      sessions: pages.flatMap((page) => page.sessions).map(toSession),
      audit: pages.flatMap((page) => page.audit).map(toAuditEntry),
      references: pages.flatMap((page) => page.references),
      tills: pages.flatMap((page) => page.tills),
      next: position ?? null,
    }
  },
})

const count = z.int()

/** Erases a person's data page by page, and counts the records that stay: they guard money. */
export const erasePerson = callerAction({
  request: z.object({ phone, from: orZero }),
  answer: z.object({
    account: hexAddress,
    gone: z.object({ archived: count, messages: count, refusals: count, loans: count }),
    /** Counts what stays, because it protects money. */
    kept: z.object({
      payments: count,
      open: count,
      loans: count,
      holds: count,
      recalled: count,
      aliases: count,
      pins: count,
    }),
    /** Holds when the last session expires by itself. */
    until: time,
    /** Is the `from` of the next request; null once all pages are erased. */
    next: z.nullable(nonNegative),
  }),
  async run(options, { phone: number, address: account }, { from }) {
    const { ledger, node, clock } = options.relayer
    const [derivedAccount, balanceWei, debt, outsideWei] = await Promise.all([
      options.ownAccounts(number),
      options.loan.readBalance(account),
      options.loan.readDebt(account),
      node.getBalance(account, clock.timeout(nodeTimeoutMs)),
    ])
    const erasure = { id: options.nameAction(), account, contract: options.deployment.loan }
    const until = clock.now() + answerTimeoutMs
    let page = await ledger.erase({ ...erasure, from })
    const gone = { ...page.gone }
    while (page.next !== undefined && clock.now() < until) {
      page = await ledger.erase({ ...erasure, from: page.next })
      for (const name of Object.keys(gone) as (keyof typeof gone)[]) gone[name] += page.gone[name]
    }
    const { until: deletedAt, ...kept } = page.kept
    // Without a stored PIN the phone's next holder could choose one and spend the money.
    const isGuarded = balanceWei + debt.owedWei + outsideWei > 0n || kept.open > 0
    const { pin } = await options.memory.change(account, (before) => eraseMemory(before, isGuarded))
    return {
      account,
      gone,
      until: toIso(deletedAt),
      next: page.next ?? null,
      kept: {
        ...kept,
        pins: pin === undefined ? 0 : 1,
        aliases: isAddressEqual(derivedAccount.address, account) ? 0 : 1,
      },
    }
  },
})

/** Describes an account's memory: what the answer does not name, such as digests, is left out. */
const describeMemory = (stored: AccountMemory, names: HeldNames) =>
  memory.parse({
    ...stored,
    lastDialAt: isoOrNull(stored.dialedAt),
    language: findLanguage(stored) ?? null,
    recipients: stored.recipients.map((recipient) => ({ amountWei: null, ...recipient })),
    senders: stored.senders.map(({ address }) => address),
    names: { shown: names.shown?.text ?? null, verified: names.offered ?? null },
    lookUps: stored.lookUps.map((lookUp) => ({ ...lookUp, at: toIso(lookUp.at) })),
    failuresTold: stored.told.map(({ intentId }) => intentId),
  })
