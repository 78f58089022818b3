import { isAddressEqual } from 'viem'
import { type AccountMemory, eraseMemory, findLanguage } from '../../account/memory.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { isoOrNull, toIso, toPaymentDetails, toPaymentSummary } from '../records.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import type { AliasOptions } from './alias.ts'
import { type Caller, describeCaller, toSession } from './caller.ts'
import { toLoanAnswer } from './loans.ts'

type PersonOptions = AliasOptions & { relayer: Pick<Relayer, 'node' | 'clock'> }

/** Limits the time of one answer, after which the next request continues. */
const answerTimeoutMs = 10_000
const nodeTimeoutMs = 5_000

type PersonExport = ActionAnswer<'person/export'>

/**
 * Exports a page of a person's data, after the audit has recorded the export.
 * @throws {Error} ledger or memory do not answer
 */
export async function exportPerson(
  options: PersonOptions,
  { account: { address: account } }: Caller,
  { part, from }: ActionRequest<'person/export'>,
): Promise<PersonExport> {
  const { ledger, clock } = options.relayer
  const { chain, loan: contract } = options.deployment
  const isFirst = part === 0
  await ledger.recordAction({ id: options.newId(), action: 'export', detail: { account } })
  const [caller, memory] = isFirst
    ? await Promise.all([describeCaller(options, account), options.memory.read(account)])
    : [null, null]
  const exportedPage: PersonExport = {
    account,
    caller,
    memory: memory && describeMemory(memory),
    loan: null,
    payments: [],
    archived: [],
    sessions: [],
    audit: [],
    references: [],
    tills: [],
    next: { part, from },
  }
  const endsAt = clock.now() + answerTimeoutMs
  while (exportedPage.next !== null && clock.now() < endsAt) {
    const page = await ledger.readPerson({ account, contract, position: exportedPage.next })
    exportedPage.loan ??= page.loan === undefined ? null : toLoanAnswer(page.loan, clock.now())
    exportedPage.payments.push(...page.payments.map((trace) => toPaymentDetails(chain, trace)))
    exportedPage.archived.push(...page.archived.map((record) => toPaymentSummary(chain, record)))
    exportedPage.sessions.push(...page.sessions.map(toSession))
    exportedPage.audit.push(
      ...page.audit.map(({ id: _, at, ...entry }) => ({ ...entry, at: toIso(at) })),
    )
    exportedPage.references.push(
      ...page.references.map(({ intentId, reference }) => ({ intent: intentId, reference })),
    )
    exportedPage.tills.push(...page.tills)
    exportedPage.next = page.next ?? null
  }
  return exportedPage
}

/**
 * Erases a person's data, and counts the records that stay because they guard money.
 * @throws {Error} ledger, memory or node do not answer
 */
export async function erasePerson(
  options: PersonOptions,
  { phone, account: { address: account } }: Caller,
  { from }: ActionRequest<'person/erase'>,
): Promise<ActionAnswer<'person/erase'>> {
  const { ledger, node, clock, log } = options.relayer
  const [derivedAccount, balanceWei, debt, outsideWei] = await Promise.all([
    options.ownAccounts(phone),
    options.loan.readBalance(account),
    options.loan.readDebt(account),
    node.getBalance(account, clock.timeout(nodeTimeoutMs)),
  ])
  const erasure = { id: options.newId(), account, contract: options.deployment.loan }
  log({ level: 'warn', event: 'operator.erase', message: "An operator erases a person's data" })
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
  const { pin } = await options.memory.change(account, (memory) => eraseMemory(memory, isGuarded))
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
}

/** Describes an account's memory without digests; sealed data stays sealed. */
function describeMemory(memory: AccountMemory): NonNullable<PersonExport['memory']> {
  const { recipients, senders, sent, wallets, told, hasDialled, dialedAt } = memory
  return {
    hasDialled,
    lastDialAt: isoOrNull(dialedAt),
    language: findLanguage(memory) ?? null,
    recipients: recipients.map(({ address, to, amountWei = null }) => ({ address, to, amountWei })),
    senders: senders.map(({ address }) => address),
    sent,
    wallets,
    failuresTold: told.map(({ intentId }) => intentId),
  }
}
