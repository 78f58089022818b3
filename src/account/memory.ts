import { type Address, isAddress, isAddressEqual } from 'viem'
import * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { orLate } from '../runtime/time-limit.ts'
import { type Language, languages } from './language.ts'

/**
 * Where each account has a memory of its own: one row, which nobody else's business ever reads or waits
 * for. A store knows nothing of what is in it.
 */
export type MemoryStore = {
  /** Empty, of version 0, where nothing was kept yet. */
  load(account: Address): Promise<KeptMemory>
  /** Writes a row over the one of this version. `false`: another was written since, and nothing has changed. */
  save(account: Address, row: string, version: number): Promise<boolean>
}

/** `now` is the time of the store's own clock (Unix time in ms): no process has to have the right one. */
export type KeptMemory = { row: string; version: number; now: number }

const account = z.custom<Address>((value) => isAddress(`${value}`, { strict: false }))

const remembered = z.object({
  /** Failures that the caller was told of, by their intents, and in which sessions (keyed digests); the newest first. */
  told: z._default(z.array(z.object({ intentId: z.string(), session: z.string() })), []),
  /**
   * Keeps what screens said of the last payments' recipients, by intent and account, the newest first. A
   * gateway that uses a session's id again after weeks has one intent pay two.
   */
  sent: z._default(
    z.array(z.object({ intentId: z.string(), address: account, to: z.string() })),
    [],
  ),
  /**
   * Lists whom the caller sent to last by number, the newest first: accounts, and what screens show of their numbers; where
   * messages are sent, the numbers as well, sealed.
   */
  recipients: z._default(
    z.array(
      z.object({
        address: account,
        to: z.string(),
        sealed: z.optional(z.string()),
      }),
    ),
    [],
  ),
  hasDialled: z._default(z.boolean(), false),
  /** The language that was chosen last, and those before it, with the sessions that chose them (keyed digests). */
  chosen: z._default(z.array(z.object({ language: z.enum(languages), session: z.string() })), []),
  /** When the caller dialled last, to a day (Unix time in ms), where there are PINs. */
  dialedAt: z.optional(z.int()),
  /** The last dial came so long after the one before that only an operator lets the account spend. */
  isDormant: z.optional(z.literal(true)),
  pin: z.optional(
    z.object({
      /** Keyed, of account, salt and PIN. */
      digest: z.string(),
      salt: z.string(),
      /** Wrong ones in a row. */
      tries: z.int(),
      /**
       * The last verdicts by their steps (keyed digests), the newest first: with the tries that were left (null: it
       * was right), when, and by which salt. A right one authorizes its session for five minutes, by this salt alone.
       */
      judged: z.array(
        z.object({
          step: z.string(),
          left: z.nullable(z.int()),
          at: z.int(),
          salt: z.string(),
        }),
      ),
      /** Sessions (keyed digests) that have set it or called it forgotten: none does it twice. */
      sessions: z.array(z.string()),
      /** From when on another may be chosen (Unix time in ms): it was called forgotten. */
      replaceableAt: z.optional(z.int()),
    }),
  ),
  /** Messages that went to the phone, by the names of what they told; the newest first. */
  texted: z._default(z.array(z.string()), []),
})

/**
 * Holds what is kept of an account for its caller's sake, but never a phone number that can be read, or what was
 * typed. Where it is lost, screens say less, and the caller chooses a new PIN: no payment is made twice or
 * forgotten for it.
 */
export type AccountMemory = z.output<typeof remembered>

export type Memory = {
  /** @throws {Error} the store gave no answer */
  read(account: Address): Promise<AccountMemory>
  /**
   * Changes what is kept, in one step, at a time of the store's: `change` is asked again where another change was faster. Undefined:
   * nothing is to be written.
   *
   * @throws {Error} the store gave no answer, or others were always faster
   */
  change(
    account: Address,
    change: (memory: AccountMemory, now: number) => AccountMemory | undefined,
  ): Promise<AccountMemory>
}

/** Failures that are remembered as told: more than are looked through for one. */
const mostTold = 20

const mostSent = 20

/** Sessions that are known to have chosen a language. */
const mostChosen = 8

/** Messages that are remembered: those of all that a limit of a day lets an account do, and get. */
const mostTexted = 60

const attempts = 10

export function createMemory(store: () => MemoryStore): Memory {
  return {
    read: async (account) => parseMemory(await store().load(account)),
    async change(account, change) {
      for (let attempt = 1; attempt <= attempts; attempt++) {
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

const mostRecipients = 3

/** Remembers whom a payment went to, or was to go to: a number by what screens show of it, and its account. */
export function withSent(
  memory: AccountMemory,
  intentId: string,
  { to, address, sealed }: AccountMemory['recipients'][number],
): AccountMemory | undefined {
  if (sentTo(memory, intentId, address) !== undefined) return undefined
  const others = memory.recipients.filter((known) => known.address !== address)
  const recipient = { address, to, sealed: sealed ?? sealedIn(memory, address) }
  return {
    ...memory,
    sent: [{ intentId, address, to }, ...memory.sent].slice(0, mostSent),
    recipients: [recipient, ...others].slice(0, mostRecipients),
  }
}

/** What a screen said of whom a payment of this intent to this account went to. Undefined: nothing is known. */
export function sentTo(
  { sent }: AccountMemory,
  intentId: string,
  address: Address,
): string | undefined {
  return sent.find((known) => known.intentId === intentId && isAddressEqual(known.address, address))
    ?.to
}

/** The sealed number of one whom the caller has sent to. Undefined: none is kept. */
export function sealedIn({ recipients }: AccountMemory, address: Address): string | undefined {
  return recipients.find((known) => known.address === address)?.sealed
}

/** Whom the caller may send to again. Two that screens show alike are not offered: nobody could tell them apart. */
export function recipientsIn({ recipients }: AccountMemory): AccountMemory['recipients'] {
  return recipients.filter(({ to }) => recipients.filter((other) => other.to === to).length === 1)
}

/** Whether a session tells of one of these failures: the session that was first to tell of it. */
export const tellsOf = (
  { told }: AccountMemory,
  failures: readonly string[],
  session: string,
): boolean => told.some((each) => each.session === session && failures.includes(each.intentId))

/** Remembers that a session tells of the first of these failures that none has told of. It tells of one. */
export function withTold(
  memory: AccountMemory,
  failures: readonly string[],
  session: string,
): AccountMemory | undefined {
  if (tellsOf(memory, failures, session)) return undefined
  const intentId = failures.find((id) => memory.told.every((each) => each.intentId !== id))
  if (intentId === undefined) return undefined
  return { ...memory, told: [{ intentId, session }, ...memory.told].slice(0, mostTold) }
}

export function withDialled(memory: AccountMemory): AccountMemory | undefined {
  return memory.hasDialled ? undefined : { ...memory, hasDialled: true }
}

/**
 * Where there are no PINs, dials are not noted by their days: what was noted before would say, once there are PINs
 * again, that nobody dialled meanwhile.
 */
export function withoutDialTime(memory: AccountMemory): AccountMemory | undefined {
  const { dialedAt, ...rest } = memory
  return dialedAt === undefined ? undefined : rest
}

/** The language that the caller chose. Undefined: none. */
export function languageIn({ chosen }: AccountMemory): Language | undefined {
  return chosen[0]?.language
}

/** Remembers a language. A session chooses once: delivered again, it takes nothing back. */
export function withLanguage(
  memory: AccountMemory,
  language: Language,
  session: string,
): AccountMemory | undefined {
  if (memory.chosen.some((earlier) => earlier.session === session)) return undefined
  return { ...memory, chosen: [{ language, session }, ...memory.chosen].slice(0, mostChosen) }
}

/** A store that is given up after a time, in ms: a screen has to come, with what is remembered or without. */
export function withinMs(store: MemoryStore, clock: Clock, ms: number): MemoryStore {
  const late = () => {
    throw new Error('the memory of an account gave no answer in time')
  }
  return {
    load: (account) => orLate(clock, ms, store.load(account), late),
    save: (account, row, version) => orLate(clock, ms, store.save(account, row, version), late),
  }
}

/** Remembers that a message went to the phone. Undefined: it has before. */
export function withTexted(memory: AccountMemory, name: string): AccountMemory | undefined {
  if (memory.texted.includes(name)) return undefined
  return { ...memory, texted: [name, ...memory.texted].slice(0, mostTexted) }
}
