import { type Address, isAddressEqual } from 'viem'
import type { AccountMemory, IsAllowed, Memory } from './memory.ts'
import { isUnused } from './pin.ts'
import type { Seal } from './secrets.ts'

type NameKind = 'own' | 'verified'

/** Is what a payer sees: a holder's own word, or what the operator verified. */
export type ShownName = { kind: NameKind; text: string }

/** Says which name payers shall see: one that the holder types, the verified one, or none. */
export type NameChoice = { kind: 'own'; text: string } | { kind: 'verified' | 'none' }

/** Is what holders see of their names; payers see `shown` in so many hours. */
export type HeldNames = { shown: ShownName | undefined; hours: number; offered: string | undefined }

/** Asks for a name to show to a payer, once a session for each account. */
type LookUp = { of: Address; caller: Address; session: string }

/** Is a payment of a caller: to whom, and when it was accepted (Unix time in ms). */
type Paid = { to: Address; at: number }

/** Says what became of a choice: it may come too early, or be of a name that is not there. */
export type NameChange = 'done' | 'impossible' | 'forbidden'

export type Names = ReturnType<typeof createNames>

const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
/** Limits a caller's look-ups of a day that no payment follows: names are no directory. */
const maxLookUps = 10

const nameForm = /^[a-zæøß][a-zæøß'-]{1,14}( [a-zæøß][a-zæøß'-]*){0,4}$/i

const toBaseLetters = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '')

/**
 * Shortens a name to the first word and the initial of the last one, which alone is stored. Returns
 * undefined unless it has letters that phones show, and nothing else.
 */
export function shortenName(typed: string): string | undefined {
  const plain = typed.normalize('NFKC').replaceAll(/[‘’`ʼ]/g, "'")
  const words = plain.trim().toLowerCase().split(/\s+/)
  if (!nameForm.test(toBaseLetters(words.join(' ')))) return undefined
  const [first = '', ...others] = words
  const initials = others.slice(-1).map((word) => ` ${word.slice(0, 1).toUpperCase()}.`)
  return first.replaceAll(/(^|-)\p{L}/gu, (start) => start.toUpperCase()) + initials.join('')
}

/** Writes letters alike that people read alike. */
const fold = (name: string): string =>
  toBaseLetters(name)
    .toLowerCase()
    .replaceAll(/[0ø]/g, 'o')
    .replaceAll(/[1i|]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('rn', 'm')
    .replaceAll(/[^a-z]/g, '')

/** Tells whether a short name may be taken for that of the service or of a till. */
export function isTakenName(name: string, serviceName: string, tills: readonly string[]): boolean {
  const getFirst = (text: string) => fold(text.split(' ')[0] ?? '')
  if (getFirst(serviceName) === getFirst(name)) return true
  return [serviceName, ...tills].some((taken) => {
    const [first = '', ...others] = taken.split(' ')
    const forms = [taken, ...others.map((word) => first + word.slice(0, 1))]
    return forms.some((form) => fold(form) === fold(name))
  })
}

/** Picks the name that payers see, sealed, and from when they do (Unix time in ms). */
function pickName({ names: { shows, typedAt = 0, ...names } }: AccountMemory) {
  const sealed = shows && names[shows]
  return sealed ? { kind: shows, sealed, from: shows === 'own' ? typedAt + dayMs : 0 } : undefined
}

const hasLookedUp = ({ lookUps }: AccountMemory, { of, session }: LookUp): boolean =>
  lookUps.some((other) => other.session === session && isAddressEqual(other.of, of))

/** Counts a look-up once; undefined if it was counted, or if there were too many. */
function countLookUp(memory: AccountMemory, look: LookUp, paid: readonly Paid[], now: number) {
  if (hasLookedUp(memory, look)) return undefined
  const isPaid = (other: { of: Address; at: number }) =>
    paid.some(({ to, at }) => at >= other.at && isAddressEqual(to, other.of))
  const counted = memory.lookUps.filter((other) => now - other.at < dayMs && !isPaid(other))
  if (counted.length >= maxLookUps) return undefined
  const { of, session } = look
  return { ...memory, lookUps: [...counted, { of, session, at: now }] }
}

/** Stores the names that payers see, sealed, each in the memory of its holder's account. */
export function createNames({ memory, seal }: { memory: Memory; seal: Seal }) {
  const toContext = (kind: NameKind, account: Address) => `${kind} ${account.toLowerCase()}`
  const open = async (kind: NameKind, account: Address, sealed: string | undefined) =>
    sealed === undefined ? undefined : seal.decrypt(sealed, toContext(kind, account))

  return {
    async read(account: Address): Promise<HeldNames> {
      const { now, ...stored } = await memory.read(account)
      const { kind = 'own', sealed, from = 0 } = pickName(stored) ?? {}
      const text = await open(kind, account, sealed)
      return {
        shown: text === undefined ? undefined : { kind, text },
        hours: Math.max(0, Math.ceil((from - now) / hourMs)),
        offered: await open('verified', account, stored.names.verified),
      }
    },
    /**
     * Finds the name to show to a payer, and counts that in the caller's memory. Returns undefined
     * without such a name, or after too many look-ups of the caller that no payment followed.
     */
    async lookUp(look: LookUp, readPaid: () => Promise<Paid[]>): Promise<ShownName | undefined> {
      const { now, ...holder } = await memory.read(look.of)
      const picked = pickName(holder)
      if (picked === undefined || picked.from > now || isUnused(holder, now)) return undefined
      const text = await open(picked.kind, look.of, picked.sealed)
      if (text === undefined) return undefined
      const paid = await readPaid()
      const count = (before: AccountMemory, at: number) => countLookUp(before, look, paid, at)
      const after = await memory.change(look.caller, count)
      return hasLookedUp(after, look) ? { kind: picked.kind, text } : undefined
    },
    /**
     * Shows what a holder chooses, as often as that is delivered. `isAllowed` is asked in the step
     * that changes the account.
     */
    async choose(account: Address, choice: NameChoice, session: string, isAllowed: IsAllowed) {
      const { kind } = choice
      const own =
        choice.kind === 'own' ? await seal.encrypt(choice.text, toContext('own', account)) : ''
      let result: NameChange = 'done'
      await memory.change(account, (before, now) => {
        const { names } = before
        const typed = names.typedAt !== undefined && now - names.typedAt < dayMs
        const isRepeated = kind === 'own' && names.session === session
        const isPossible = { own: !typed, verified: names.verified !== undefined, none: true }[kind]
        result = 'done'
        if (isRepeated) return undefined
        if (!isPossible) result = 'impossible'
        else if (!isAllowed(before, now)) result = 'forbidden'
        if (result !== 'done') return undefined
        if (kind === 'verified') return { ...before, names: { ...names, shows: kind } }
        // A name that is taken away leaves the time for which the next one waits.
        const next = kind === 'own' ? { shows: kind, own, typedAt: now, session } : hidden
        return { ...before, names: { ...names, ...next } }
      })
      return result
    },
    /** Offers a verified name to its holder, or takes all names away if `text` is null. */
    async verify(account: Address, text: string | null): Promise<void> {
      const context = toContext('verified', account)
      const verified = text === null ? undefined : await seal.encrypt(text, context)
      await memory.change(account, ({ names, ...before }, verifiedAt) => {
        const isSeen = text !== null && names.shows === 'own'
        const next = { ...names, ...(isSeen ? {} : hidden), verified, verifiedAt }
        return { ...before, names: next }
      })
    },
  }
}

const hidden = { shows: undefined, own: undefined }
