import { type Address, isAddress, isAddressEqual } from 'viem'
import * as z from 'zod/mini'
import { type Clock, withTimeLimit } from '../runtime/clock.ts'
import { type Language, languages } from './language.ts'

/** Stores one row per account, so that accounts never wait for each other. */
export type MemoryStore = {
  /** Returns an empty row of version 0 if nothing was stored yet. */
  load(account: Address): Promise<StoredMemory>
  /** Replaces the row of this version; `false` if another was written since. */
  save(account: Address, row: string, version: number): Promise<boolean>
}

/** Holds a row and the store's time (Unix ms), because a process's clock may be wrong. */
export type StoredMemory = { row: string; version: number; now: number }

/** Is an address in any case of letters. */
export const accountAddress = z.custom<Address>((value) => isAddress(`${value}`, { strict: false }))

const wallet = z.object({ name: z.string(), address: accountAddress })

/** Describes a saved wallet. One that replaced another's address pays nobody until `paysFrom`. */
const savedWallet = z.extend(wallet, {
  former: z.optional(accountAddress),
  paysFrom: z.optional(z.int()),
})

const listOf = <Fields extends z.core.$ZodShape>(fields: Fields) =>
  z._default(z.array(z.object(fields)), [])

const accountMemory = z.object({
  /** Lists the failed payments that sessions have shown to the caller, the newest first. */
  told: listOf({ intentId: z.string(), session: z.string() }),
  /** Stores the names that screens gave recipients, by intent and account. */
  sent: listOf({ intentId: z.string(), address: accountAddress, to: z.string() }),
  /** Lists the last recipients; `sealed` is the encrypted number. */
  recipients: listOf({
    address: accountAddress,
    to: z.string(),
    sealed: z.optional(z.string()),
    amountWei: z.optional(z.string()),
    /** Holds the amount in local money, in hundredths, if the caller agreed to it in that. */
    local: z.optional(z.object({ currency: z.string(), cents: z.string() })),
  }),
  /** Lists the last senders; `sealed` is the encrypted visible part of the number. */
  senders: listOf({ address: accountAddress, sealed: z.string() }),
  /** Lists named external addresses that the caller may cash out to. */
  wallets: z._default(z.array(savedWallet), []),
  /** Holds a wallet code's wallet, expiry (Unix ms) and redeemer; set only in rows of codes. */
  walletCode: z.optional(
    z.extend(wallet, { expiresAt: z.int(), takenBy: z.optional(accountAddress) }),
  ),
  hasDialled: z._default(z.boolean(), false),
  chosen: listOf({ language: z.enum(languages), session: z.string() }),
  /** Holds the day of the last dial (Unix ms), if the deployment uses PINs. */
  dialedAt: z.optional(z.int()),
  /** Marks an account unused for 90 days, which only an operator lets spend again. */
  isDormant: z.optional(z.literal(true)),
  pin: z.optional(
    z.object({
      digest: z.string(),
      salt: z.string(),
      tries: z.int(),
      /** Lists the last PIN checks, the newest first; `left` is null if the PIN was right. */
      judged: z.array(
        z.object({ step: z.string(), left: z.nullable(z.int()), at: z.int(), salt: z.string() }),
      ),
      /** Lists sessions that set the PIN or reported it forgotten, which each may do once. */
      sessions: z.array(z.string()),
      /** Holds the time from which a forgotten PIN may be replaced (Unix ms). */
      replaceableAt: z.optional(z.int()),
    }),
  ),
  /** Holds what a session last asked to confirm, encrypted, and when (Unix ms). */
  unconfirmed: z.optional(z.object({ session: z.string(), sealed: z.string(), at: z.int() })),
  /** Holds sealed names, which of them payers see, when each came, and the session of `own`. */
  names: z._default(
    z.partial(
      z.object({
        shows: z.enum(['own', 'verified']),
        own: z.string(),
        verified: z.string(),
        verifiedAt: z.int(),
        typedAt: z.int(),
        session: z.string(),
      }),
    ),
    {},
  ),
  /** Lists the accounts whose names this one looked up within a day, and has not paid. */
  lookUps: listOf({ of: accountAddress, session: z.string(), at: z.int() }),
  texted: z._default(z.array(z.string()), []),
})

/** Holds an account's stored data, without readable numbers or typed text. */
export type AccountMemory = z.output<typeof accountMemory>

/** Judges a change of an account in the step that makes it. */
export type IsAllowed = (memory: AccountMemory, now: number) => boolean

export type Memory = ReturnType<typeof createMemory>

/** The most entries of each list, of which the newest stay. */
const maxEntries = { told: 20, sent: 20, recipients: 3, senders: 8, chosen: 8, texted: 60 }

const prepend = <Item>(
  list: keyof typeof maxEntries,
  item: Item,
  before: readonly Item[],
): Item[] => [item, ...before].slice(0, maxEntries[list])

/** Limits the attempts at a change; changes by the account's own caller get more. */
const maxAttempts = { own: 20, others: 10 }

export function createMemory(store: () => MemoryStore) {
  return {
    /** Reads the row, with the store's time (Unix ms). */
    async read(account: Address): Promise<AccountMemory & { now: number }> {
      const stored = await store().load(account)
      return { ...parseMemory(stored), now: stored.now }
    },
    /** Changes the row by compare-and-set, and runs `change` again after a concurrent write. */
    async change(
      account: Address,
      change: (memory: AccountMemory, now: number) => AccountMemory | undefined,
      writer: keyof typeof maxAttempts = 'own',
    ): Promise<AccountMemory> {
      for (let attempt = 1; attempt <= maxAttempts[writer]; attempt++) {
        const stored = await store().load(account)
        const memory = parseMemory(stored)
        const changed = change(memory, stored.now)
        if (changed === undefined) return memory
        const isSaved = await store().save(account, JSON.stringify(changed), stored.version)
        if (isSaved) return changed
      }
      throw new Error('the memory of an account changes too often')
    },
  }
}

const parseMemory = ({ row }: Pick<StoredMemory, 'row'>): AccountMemory =>
  accountMemory.parse(row === '' ? {} : JSON.parse(row))

/** Records a recipient's name on a screen; returns undefined if it was already recorded. */
export function recordRecipientName(memory: AccountMemory, sent: AccountMemory['sent'][number]) {
  if (findRecipientName(memory, sent.intentId, sent.address) !== undefined) return undefined
  return { ...memory, sent: prepend('sent', sent, memory.sent) }
}

/** Records a payment's recipient; returns undefined if that was already recorded. */
export function recordPayment(
  memory: AccountMemory,
  intentId: string,
  { sealed, ...payment }: AccountMemory['recipients'][number],
): AccountMemory | undefined {
  const { address, to } = payment
  const stored = recordRecipientName(memory, { intentId, address, to })
  if (stored === undefined) return undefined
  const others = memory.recipients.filter((recipient) => recipient.address !== address)
  const recipient = { ...payment, sealed: sealed ?? findSealedNumber(memory, address) }
  return { ...stored, recipients: prepend('recipients', recipient, others) }
}

/** Records a sender; returns undefined if the sender was already recorded. */
export function recordSender(memory: AccountMemory, sender: AccountMemory['senders'][number]) {
  const isRecorded = memory.senders.some(({ address }) => address === sender.address)
  if (isRecorded) return undefined
  return { ...memory, senders: prepend('senders', sender, memory.senders) }
}

export function findRecipientName({ sent }: AccountMemory, intentId: string, address: Address) {
  return sent.find(
    (payment) => payment.intentId === intentId && isAddressEqual(payment.address, address),
  )?.to
}

export const findSealedNumber = ({ recipients }: AccountMemory, address: Address) =>
  recipients.find((recipient) => recipient.address === address)?.sealed

/** Forgets a recipient who was paid by mistake; returns undefined for one who is not stored. */
export function forgetRecipient(memory: AccountMemory, address: Address) {
  const recipients = memory.recipients.filter((each) => !isAddressEqual(each.address, address))
  return recipients.length === memory.recipients.length ? undefined : { ...memory, recipients }
}

/** Lists the recipients to offer again, without those that screens could not tell apart. */
export function listRecipients({ recipients }: AccountMemory): AccountMemory['recipients'] {
  return recipients.filter(
    ({ to }) => recipients.filter((recipient) => recipient.to === to).length === 1,
  )
}

export const hasShownFailure = (
  { told }: AccountMemory,
  failures: readonly string[],
  session: string,
): boolean =>
  told.some((failure) => failure.session === session && failures.includes(failure.intentId))

/** Records that a session shows the first of these failures that no session has shown. */
export function recordShownFailure(
  memory: AccountMemory,
  failures: readonly string[],
  session: string,
) {
  if (hasShownFailure(memory, failures, session)) return undefined
  const intentId = failures.find((id) => memory.told.every((failure) => failure.intentId !== id))
  if (intentId === undefined) return undefined
  return { ...memory, told: prepend('told', { intentId, session }, memory.told) }
}

export const recordDial = (memory: AccountMemory): AccountMemory | undefined =>
  memory.hasDialled ? undefined : { ...memory, hasDialled: true }

/** Removes the day of the last dial, which a deployment without PINs does not maintain. */
export function removeDialTime(memory: AccountMemory): AccountMemory | undefined {
  const { dialedAt, ...rest } = memory
  return dialedAt === undefined ? undefined : rest
}

export const findLanguage = ({ chosen }: AccountMemory): Language | undefined => chosen[0]?.language

/** Records a language. A session chooses once, so that a redelivery changes nothing. */
export function recordLanguage(memory: AccountMemory, language: Language, session: string) {
  if (memory.chosen.some((earlier) => earlier.session === session)) return undefined
  return { ...memory, chosen: prepend('chosen', { language, session }, memory.chosen) }
}

/** Erases a person's data, except the names of sent messages and, with `keepsPin`, the PIN. */
export function eraseMemory(
  { pin, dialedAt, isDormant, texted }: AccountMemory,
  keepsPin: boolean,
) {
  return accountMemory.parse({ texted, ...(keepsPin && { pin, dialedAt, isDormant }) })
}

/** Limits the time of each call of a store, in ms, so that a screen is always shown. */
export function limitStoreTime(store: MemoryStore, clock: Clock, ms: number): MemoryStore {
  const throwLate = () => {
    throw new Error('the memory of an account gave no answer in time')
  }
  return {
    load: (account) => withTimeLimit(clock, ms, store.load(account), throwLate),
    save: (account, row, version) =>
      withTimeLimit(clock, ms, store.save(account, row, version), throwLate),
  }
}

export function recordMessage(memory: AccountMemory, name: string): AccountMemory | undefined {
  if (memory.texted.includes(name)) return undefined
  return { ...memory, texted: prepend('texted', name, memory.texted) }
}
