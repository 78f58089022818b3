import { isAddressEqual } from 'viem'
import { type AccountMemory, erased, languageIn } from '../../account/memory.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { AskedOf, ToldOf } from '../answers.ts'
import { isoOrNull, toIso, toPaymentDetails, toPaymentSummary } from '../records.ts'
import type { AliasOptions } from './alias.ts'
import { type Caller, tellCaller, toSession } from './caller.ts'
import { toLoan } from './loans.ts'

type PersonOptions = AliasOptions & { relayer: Pick<Relayer, 'node' | 'clock'> }

/** Limits the time of one answer; the next request continues from there. */
const withinMs = 10_000
const nodeTimeoutMs = 5_000

type Exported = ToldOf<'person/export'>

/**
 * Tells what relay and ledger keep of a person. The audit has it before. @throws {Error} no answer
 */
export async function exportPerson(
  of: PersonOptions,
  { account: { address: account } }: Caller,
  { part, from }: AskedOf<'person/export'>,
): Promise<Exported> {
  const { ledger, clock } = of.relayer
  const { chain, loan: contract } = of.subject
  const isFirst = part === 0
  await ledger.recordAction({ id: of.newId(), action: 'export', detail: { account } })
  const [caller, memory] = isFirst
    ? await Promise.all([tellCaller(of, account), of.memory.read(account)])
    : [null, null]
  const told: Exported = {
    ...{ account, caller, memory: memory && toldOfMemory(memory), loan: null },
    ...{ payments: [], archived: [], sessions: [], audit: [], references: [], tills: [] },
    next: { part, from },
  }
  const until = clock.now() + withinMs
  while (told.next !== null && clock.now() < until) {
    const page = await ledger.readPerson({ account, contract, place: told.next })
    told.loan ??= page.loan === undefined ? null : toLoan(page.loan, clock.now())
    told.payments.push(...page.payments.map((trace) => toPaymentDetails(chain, trace)))
    told.archived.push(...page.archived.map((record) => toPaymentSummary(chain, record)))
    told.sessions.push(...page.sessions.map(toSession))
    told.audit.push(...page.audit.map(({ id: _, at, ...entry }) => ({ ...entry, at: toIso(at) })))
    told.references.push(
      ...page.references.map(({ intentId, reference }) => ({ intent: intentId, reference })),
    )
    told.tills.push(...page.tills)
    told.next = page.next ?? null
  }
  return told
}

/** Erases a person's data, and reports what stays to guard money. @throws {Error} no answer */
export async function erasePerson(
  of: PersonOptions,
  { phone, account: { address: account } }: Caller,
  { from }: AskedOf<'person/erase'>,
): Promise<ToldOf<'person/erase'>> {
  const { ledger, node, clock, log } = of.relayer
  const [own, balanceWei, debt, outsideWei] = await Promise.all([
    of.ownAccounts(phone),
    of.loan.balance(account),
    of.loan.debt(account),
    node.balance(account, clock.timeout(nodeTimeoutMs)),
  ])
  const erasing = { id: of.newId(), account, contract: of.subject.loan }
  log({ level: 'warn', event: 'operator.erase', message: 'An operator has a person forgotten' })
  const until = clock.now() + withinMs
  let page = await ledger.erase({ ...erasing, from })
  const gone = { ...page.gone }
  while (page.next !== undefined && clock.now() < until) {
    page = await ledger.erase({ ...erasing, from: page.next })
    for (const name of Object.keys(gone) as (keyof typeof gone)[]) gone[name] += page.gone[name]
  }
  const { until: keptUntil, ...kept } = page.kept
  // Without a PIN the phone's holder could choose one: keep it while money depends on it.
  const isGuarded = balanceWei + debt.owedWei + outsideWei > 0n || kept.open > 0
  const { pin } = await of.memory.change(account, (memory) => erased(memory, isGuarded))
  return {
    ...{ account, gone, until: toIso(keptUntil), next: page.next ?? null },
    kept: {
      ...{ ...kept, pins: pin === undefined ? 0 : 1 },
      aliases: isAddressEqual(own.address, account) ? 0 : 1,
    },
  }
}

/** Describes an account's memory without digests; sealed data stays sealed. */
function toldOfMemory(memory: AccountMemory): NonNullable<Exported['memory']> {
  const { recipients, senders, sent, wallets, told, hasDialled, dialedAt } = memory
  return {
    ...{ hasDialled, lastDialAt: isoOrNull(dialedAt), language: languageIn(memory) ?? null },
    recipients: recipients.map(({ address, to, amountWei = null }) => ({ address, to, amountWei })),
    senders: senders.map(({ address }) => address),
    ...{ sent, wallets, failuresTold: told.map(({ intentId }) => intentId) },
  }
}
