import { type Address, isAddress, isAddressEqual } from 'viem'
import * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { orLate } from '../runtime/time-limit.ts'
import { type Language, languages } from './language.ts'

/** Stores one row per account. No account waits for another's. */
export type MemoryStore = {
  /** Returns an empty row of version 0 if nothing was stored yet. */
  load(account: Address): Promise<KeptMemory>
  /** Replaces the row of this version; `false` if another was written since. */
  save(account: Address, row: string, version: number): Promise<boolean>
}

/** Holds a row and the time of the store's clock (Unix time in ms): a process's may be wrong. */
export type KeptMemory = { row: string; version: number; now: number }

const account = z.custom<Address>((value) => isAddress(`${value}`, { strict: false }))

const wallet = z.object({ name: z.string(), address: account })

const remembered = z.object({
  /** Lists failures that were shown, and the sessions that showed them; the newest first. */
  told: z._default(z.array(z.object({ intentId: z.string(), session: z.string() })), []),
  /** Stores what screens called recipients, by intent and account: intents may recur. */
  sent: z._default(
    z.array(z.object({ intentId: z.string(), address: account, to: z.string() })),
    [],
  ),
  /** Lists the last recipients by number; `sealed` is that number. */
  recipients: z._default(
    z.array(
      z.object({
        address: account,
        to: z.string(),
        sealed: z.optional(z.string()),
        amountWei: z.optional(z.string()),
      }),
    ),
    [],
  ),
  /** Lists the last senders by account, with the shown part of the number, sealed. */
  senders: z._default(z.array(z.object({ address: account, sealed: z.string() })), []),
  /** Lists named external addresses that the caller may cash out to. */
  wallets: z._default(z.array(wallet), []),
  /** Is set in a code's row: the wallet that it gives, its expiry, and who took it. */
  walletCode: z.optional(z.extend(wallet, { expiresAt: z.int(), takenBy: z.optional(account) })),
  hasDialled: z._default(z.boolean(), false),
  chosen: z._default(z.array(z.object({ language: z.enum(languages), session: z.string() })), []),
  /** Tells the day of the last dial (Unix time in ms), if there are PINs. */
  dialedAt: z.optional(z.int()),
  /** Is set after a dial so late that only an operator lets the account spend. */
  isDormant: z.optional(z.literal(true)),
  pin: z.optional(
    z.object({
      digest: z.string(),
      salt: z.string(),
      tries: z.int(),
      /** Lists the last verdicts, the newest first; `left` is null if the PIN was right. */
      judged: z.array(
        z.object({ step: z.string(), left: z.nullable(z.int()), at: z.int(), salt: z.string() }),
      ),
      /** Lists sessions that have set it or reported it forgotten: none does it twice. */
      sessions: z.array(z.string()),
      /** Tells from when a forgotten PIN may be replaced (Unix time in ms). */
      replaceableAt: z.optional(z.int()),
    }),
  ),
  texted: z._default(z.array(z.string()), []),
})

/** Holds what is stored for the caller's sake, without readable numbers or typed text. */
export type AccountMemory = z.output<typeof remembered>

export type Memory = ReturnType<typeof createMemory>

/** Limits the entries of each list; the newest are kept. */
const most = { told: 20, sent: 20, recipients: 3, senders: 8, chosen: 8, texted: 60 }

const added = <Item>(of: keyof typeof most, item: Item, before: readonly Item[]): Item[] =>
  [item, ...before].slice(0, most[of])

/** Limits the attempts at a change; a caller's own change gets more than others'. */
const attempts = { own: 20, others: 10 }

export function createMemory(store: () => MemoryStore) {
  return {
    read: async (account: Address) => parseMemory(await store().load(account)),
    /** Changes the row by compare-and-set; `change` runs again if another write was faster. */
    async change(
      account: Address,
      change: (memory: AccountMemory, now: number) => AccountMemory | undefined,
      by: keyof typeof attempts = 'own',
    ): Promise<AccountMemory> {
      for (let attempt = 1; attempt <= attempts[by]; attempt++) {
        const kept = await store().load(account)
        const memory = parseMemory(kept)
        const changed = change(memory, kept.now)
        if (changed === undefined) return memory
        const isSaved = await store().save(account, JSON.stringify(changed), kept.version)
        if (isSaved) return changed
      }
      throw new Error('the memory of an account changes too often')
    },
  }
}

function parseMemory({ row }: Pick<KeptMemory, 'row'>): AccountMemory {
  return remembered.parse(row === '' ? {} : JSON.parse(row))
}

/** Records what a screen called a payment's recipient. */
export function withSentTo(memory: AccountMemory, sent: AccountMemory['sent'][number]) {
  if (sentTo(memory, sent.intentId, sent.address) !== undefined) return undefined
  return { ...memory, sent: added('sent', sent, memory.sent) }
}

/** Records a payment's recipient: the shown part of the number, and its account. */
export function withSent(
  memory: AccountMemory,
  intentId: string,
  { to, address, sealed, amountWei }: AccountMemory['recipients'][number],
): AccountMemory | undefined {
  const kept = withSentTo(memory, { intentId, address, to })
  if (kept === undefined) return undefined
  const others = memory.recipients.filter((known) => known.address !== address)
  const recipient = { address, to, sealed: sealed ?? sealedIn(memory, address), amountWei }
  return {
    ...kept,
    recipients: added('recipients', recipient, others),
  }
}

/** Records a sender once, the newest first. */
export function withSender(memory: AccountMemory, sender: AccountMemory['senders'][number]) {
  const isKnown = memory.senders.some(({ address }) => address === sender.address)
  if (isKnown) return undefined
  return { ...memory, senders: added('senders', sender, memory.senders) }
}

export function sentTo({ sent }: AccountMemory, intentId: string, address: Address) {
  return sent.find((known) => known.intentId === intentId && isAddressEqual(known.address, address))
    ?.to
}

export function sealedIn({ recipients }: AccountMemory, address: Address): string | undefined {
  return recipients.find((known) => known.address === address)?.sealed
}

/** Lists whom the caller may send to again, without those that screens show alike. */
export function recipientsIn({ recipients }: AccountMemory): AccountMemory['recipients'] {
  return recipients.filter(({ to }) => recipients.filter((other) => other.to === to).length === 1)
}

/** Tells whether a session was the first to show one of these failures. */
export const wasTold = (
  { told }: AccountMemory,
  failures: readonly string[],
  session: string,
): boolean => told.some((each) => each.session === session && failures.includes(each.intentId))

/** Records that a session shows the first of these failures that none has shown. */
export function withTold(memory: AccountMemory, failures: readonly string[], session: string) {
  if (wasTold(memory, failures, session)) return undefined
  const intentId = failures.find((id) => memory.told.every((each) => each.intentId !== id))
  if (intentId === undefined) return undefined
  return { ...memory, told: added('told', { intentId, session }, memory.told) }
}

export function withDialled(memory: AccountMemory): AccountMemory | undefined {
  return memory.hasDialled ? undefined : { ...memory, hasDialled: true }
}

/** Forgets the day of the last dial if there are no PINs, since dials are not recorded then. */
export function withoutDialTime(memory: AccountMemory): AccountMemory | undefined {
  const { dialedAt, ...rest } = memory
  return dialedAt === undefined ? undefined : rest
}

export function languageIn({ chosen }: AccountMemory): Language | undefined {
  return chosen[0]?.language
}

/** Records a language. A session chooses once: redelivered, it reverts nothing. */
export function withLanguage(memory: AccountMemory, language: Language, session: string) {
  if (memory.chosen.some((earlier) => earlier.session === session)) return undefined
  return { ...memory, chosen: added('chosen', { language, session }, memory.chosen) }
}

/** Erases a person's data, except which messages were sent, and what guards money for the PIN. */
export function erased({ pin, dialedAt, isDormant, texted }: AccountMemory, isGuarded: boolean) {
  return remembered.parse({ texted, ...(isGuarded && { pin, dialedAt, isDormant }) })
}

/** Limits each call of a store to a time, in ms: a screen must be shown in any case. */
export function withinMs(store: MemoryStore, clock: Clock, ms: number): MemoryStore {
  const late = () => {
    throw new Error('the memory of an account gave no answer in time')
  }
  return {
    load: (account) => orLate(clock, ms, store.load(account), late),
    save: (account, row, version) => orLate(clock, ms, store.save(account, row, version), late),
  }
}

export function withTexted(memory: AccountMemory, name: string): AccountMemory | undefined {
  if (memory.texted.includes(name)) return undefined
  return { ...memory, texted: added('texted', name, memory.texted) }
}
