import { type Address, bytesToHex } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'
import type { AccountMemory, Memory } from './memory.ts'
import type { PhoneNumber } from './phone.ts'

/** What a typed PIN is to its account. */
export type PinVerdict =
  | { kind: 'right' }
  /** `left`: tries that are left. */
  | { kind: 'wrong'; left: number }
  /** Three wrong ones in a row, over all sessions. */
  | { kind: 'blocked' }
  /** The account has no PIN. */
  | { kind: 'unset' }
  /** The number was not dialled from for so long that it may be another person's by now. */
  | { kind: 'dormant' }

/** What came of what was asked about a PIN. `kept`: nothing was changed. */
export type PinChange = 'done' | 'kept' | 'dormant'

export type Pins = {
  /** A session begins: whether its caller has to choose a PIN first. */
  begin(account: Address): Promise<{ hasToChoose: boolean }>
  /** Judges a PIN that was typed at a step (a keyed digest): one step is one try, however often it comes. */
  verify(account: Address, pin: string, step: string): Promise<PinVerdict>
  /** Sets the PIN of an account that has none, or whose forgotten one may be replaced by now. */
  choose(account: Address, pin: string, session: string): Promise<PinChange>
  /** Sets another one. Who asks has verified the old one in the same session. */
  change(account: Address, pin: string, session: string): Promise<PinChange>
  /** Lets the PIN be replaced after a day. The old one, where it is typed before, calls that off. */
  forget(account: Address, session: string): Promise<PinChange>
}

type KeptPin = NonNullable<AccountMemory['pin']>

export const maxTries = 3
const dayMs = 24 * 60 * 60 * 1_000
/** Operators give unused numbers to others after that: the shortest that is usual. */
const dormantMs = 90 * dayMs
/** Wrong ones, and sessions that have changed something, that are known again. */
const remembered = 8

/** A PIN in form, whatever it is. */
export const isPin = (typed: string): boolean => /^[0-9]{4,6}$/.test(typed)

/** Whether a PIN is among those that a thief tries first. */
export function isEasy(pin: string, phone: PhoneNumber): boolean {
  const steps = [...pin]
    .slice(1)
    .map((digit, index) => (Number(digit) - Number(pin[index]) + 10) % 10)
  const isRun = steps.every((step) => step === steps[0] && [0, 1, 9].includes(step))
  const isRepeated = /^(\d+)\1+$/.test(pin)
  const isYear = /^(19|20)\d\d$/.test(pin)
  return isRun || isRepeated || isYear || phone.endsWith(pin)
}

export type PinsOptions = {
  secret: Secret
  memory: Memory
  /** What no other PIN has. */
  newSalt: () => string
}

/**
 * The PINs of accounts. At rest there is a keyed digest of account, salt and PIN alone. A slow hash would add
 * nothing: with the secret and the memory one tries all 10,000 in no time, and without the secret not one.
 */
export function createPins({ secret, memory, newSalt }: PinsOptions): Pins {
  const hash = createKeyedHash(secret)
  const digestOf = async (account: Address, salt: string, pin: string) =>
    bytesToHex(await hash('pin', account.toLowerCase(), salt, pin)).slice(2)

  /** Sets a PIN where that may be, once a session. */
  async function set(
    account: Address,
    pin: string,
    session: string,
    mayReplace: (kept: KeptPin, now: number) => boolean,
  ): Promise<PinChange> {
    const salt = newSalt()
    const digest = await digestOf(account, salt, pin)
    const after = await memory.change(account, (before, now) => {
      const { pin: kept } = before
      if (before.isDormant || (kept !== undefined && !mayReplace(kept, now))) return undefined
      if (kept?.sessions.includes(session)) return undefined
      return { ...before, pin: freshPin(digest, salt, [session, ...(kept?.sessions ?? [])]) }
    })
    return changeOf(after, session)
  }

  return {
    async begin(account) {
      let hasToChoose = true
      await memory.change(account, (before, now) => {
        hasToChoose = before.pin === undefined || isReplaceable(before.pin, now)
        return withDial(before, now)
      })
      return { hasToChoose }
    },
    async verify(account, typed, step) {
      for (;;) {
        const { pin } = await memory.read(account)
        const digest = pin && (await digestOf(account, pin.salt, typed))
        let verdict: PinVerdict | undefined
        await memory.change(account, (before) => {
          // It was changed meanwhile: judged again, by what it is now.
          if (before.pin?.salt !== pin?.salt) return undefined
          const judged = judge(before, step, before.pin?.digest === digest)
          verdict = judged.verdict
          return judged.after
        })
        if (verdict !== undefined) return verdict
      }
    },
    choose: (account, pin, session) => set(account, pin, session, isReplaceable),
    change: (account, pin, session) => set(account, pin, session, () => true),
    async forget(account, session) {
      const after = await memory.change(account, (before, now) => {
        const { pin } = before
        if (before.isDormant || pin === undefined || pin.sessions.includes(session))
          return undefined
        const sessions = [session, ...pin.sessions].slice(0, remembered)
        return {
          ...before,
          pin: { ...pin, sessions, replaceableAt: pin.replaceableAt ?? now + dayMs },
        }
      })
      return changeOf(after, session)
    },
  }
}

const freshPin = (digest: string, salt: string, sessions: string[]): KeptPin => ({
  ...{ digest, salt, tries: 0, wrong: [], sessions: sessions.slice(0, remembered) },
})

function changeOf({ pin, isDormant }: AccountMemory, session: string): PinChange {
  if (pin?.sessions.includes(session)) return 'done'
  return isDormant ? 'dormant' : 'kept'
}

const isReplaceable = ({ replaceableAt }: KeptPin, at: number): boolean =>
  replaceableAt !== undefined && replaceableAt <= at

/** Notes a dial, once a day, and whether it comes too long after the one before. */
function withDial(memory: AccountMemory, at: number): AccountMemory | undefined {
  const sinceMs = at - (memory.dialedAt ?? at)
  if (memory.dialedAt !== undefined && sinceMs < dayMs) return undefined
  return { ...memory, dialedAt: at, ...(sinceMs > dormantMs && { isDormant: true }) }
}

const wrongWith = (left: number): PinVerdict =>
  left === 0 ? { kind: 'blocked' } : { kind: 'wrong', left }

function judge(
  before: AccountMemory,
  step: string,
  isRight: boolean,
): { verdict: PinVerdict; after?: AccountMemory } {
  const { pin, isDormant } = before
  if (isDormant) return { verdict: { kind: 'dormant' } }
  if (pin === undefined) return { verdict: { kind: 'unset' } }
  const known = pin.wrong.find((each) => each.step === step)
  if (known !== undefined) return { verdict: wrongWith(known.left) }
  if (pin.tries >= maxTries) return { verdict: { kind: 'blocked' } }
  if (isRight) {
    const { replaceableAt, ...rest } = pin
    const isNews = pin.tries > 0 || replaceableAt !== undefined
    return {
      verdict: { kind: 'right' },
      ...(isNews && { after: { ...before, pin: { ...rest, tries: 0 } } }),
    }
  }
  const tries = pin.tries + 1
  const left = maxTries - tries
  const wrong = [{ step, left }, ...pin.wrong].slice(0, remembered)
  return {
    verdict: wrongWith(left),
    after: { ...before, pin: { ...pin, tries, wrong } },
  }
}

/** What an operator does for a caller who has shown who they are: all tries are there again. */
export function unlocked({ isDormant: _, ...memory }: AccountMemory): AccountMemory {
  const { pin } = memory
  return pin === undefined ? memory : { ...memory, pin: { ...pin, tries: 0, wrong: [] } }
}

/** The replacement of a forgotten PIN is called off. */
export function withoutWish(memory: AccountMemory): AccountMemory {
  if (memory.pin === undefined) return memory
  const { replaceableAt: _, ...pin } = memory.pin
  return { ...memory, pin }
}
