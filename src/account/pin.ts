import { type Address, bytesToHex } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'
import type { AccountMemory, Memory } from './memory.ts'
import type { PhoneNumber } from './phone.ts'

export type PinVerdict =
  | { kind: 'right' }
  | { kind: 'wrong'; left: number }
  /** Three wrong PINs in a row, counted over all sessions. */
  | { kind: 'blocked' }
  | { kind: 'unset' }
  /** No dial for 90 days, so that the number may belong to another person. */
  | { kind: 'dormant' }

/** Tells whether a right PIN still authorizes its session; `void` if changed or expired. */
export type Authorization = 'valid' | 'blocked' | 'dormant' | 'void'

/** Describes an account's PIN, with the hours until a forgotten one may be replaced. */
export type PinState = { kind: 'open' | 'blocked' | 'dormant'; hours?: number }

export type PinChange = 'done' | 'kept' | 'dormant'

export type Pins = ReturnType<typeof createPins>

type KeptPin = NonNullable<AccountMemory['pin']>

export const maxPinTries = 3
const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
/** Shortest time after which mobile operators give an unused number to another person. */
const dormantMs = 90 * dayMs
const rememberedCount = 8
/** Time for which a right PIN authorizes its session. */
const authorizedMs = 5 * 60 * 1_000

export const isPin = (typed: string): boolean => /^[0-9]{4,6}$/.test(typed)

/** Marks the start of a text that replaces a PIN in stored input: no caller can type it. */
export const pinMark = '\u0000'

/** Tells whether an answer replaces a PIN of an earlier delivery, whose digits are not stored. */
export const isMaskedPin = (typed: string): boolean => typed.startsWith(pinMark)

/** Tells whether the answer holds the digest of a new PIN that an earlier delivery accepted. */
export const isAcceptedPin = (typed: string): boolean =>
  isMaskedPin(typed) && typed.length > pinMark.length

/** Tells whether a PIN is easy to guess: a run, a repetition, a year, or the number's end. */
export function isEasyPin(pin: string, phone: PhoneNumber): boolean {
  const gaps = [...pin]
    .slice(1)
    .map((digit, index) => (Number(digit) - Number(pin[index]) + 10) % 10)
  const isRun = gaps.every((gap) => gap === gaps[0] && [0, 1, 9].includes(gap))
  const isRepeated = /^(\d+)\1+$/.test(pin)
  const isYear = /^(19|20)\d\d$/.test(pin)
  return isRun || isRepeated || isYear || phone.endsWith(pin)
}

type MayReplace = (before: AccountMemory, now: number) => boolean

export type PinsOptions = { secret: Secret; memory: Memory; createSalt: () => string }

/** Stores PINs as keyed digests; a slow hash adds nothing, because there are so few PINs. */
export function createPins({ secret, memory, createSalt }: PinsOptions) {
  const hash = createKeyedHash(secret)
  const hashPin = async (account: Address, salt: string, pin: string) =>
    bytesToHex(await hash('pin', account.toLowerCase(), salt, pin)).slice(2)

  async function set(account: Address, pin: string, session: string, mayReplace: MayReplace) {
    const salt = createSalt()
    const digest = await hashPin(account, salt, pin)
    const after = await memory.change(account, (before, now) => {
      const { pin: kept } = before
      if (before.isDormant || (kept !== undefined && !mayReplace(before, now))) return undefined
      if (kept?.sessions.includes(session)) return undefined
      const sessions = [session, ...(kept?.sessions ?? [])].slice(0, rememberedCount)
      // Checks with the former salt stay for redeliveries, but authorize nothing.
      return { ...before, pin: { digest, salt, tries: 0, judged: kept?.judged ?? [], sessions } }
    })
    return describeChange(after, session)
  }

  return {
    /** Returns the digest that a retyped new PIN is compared by. */
    digest: hashPin,
    /** Records the dial, and tells whether the caller must choose a PIN first. */
    async beginSession(account: Address) {
      let hasToChoose = true
      await memory.change(account, (before, now) => {
        hasToChoose = before.pin === undefined || isReplaceable(before, now)
        return recordDailyDial(before, now)
      })
      return { hasToChoose }
    },
    /** Checks a PIN. All deliveries of one step count as one try. */
    async verify(account: Address, typed: string, step: string): Promise<PinVerdict> {
      for (;;) {
        const { pin } = await memory.read(account)
        const digest = pin && (await hashPin(account, pin.salt, typed))
        let verdict: PinVerdict | undefined
        await memory.change(account, (before, now) => {
          verdict = undefined
          // Another session changed the PIN, so the loop checks the new one.
          if (before.pin?.salt !== pin?.salt) return undefined
          const checked = checkPin(before, step, before.pin?.digest === digest, now)
          verdict = checked.verdict
          return checked.after
        })
        if (verdict !== undefined) return verdict
      }
    },
    /** Tells whether the PIN that was right at a step still authorizes its session. */
    async authorize(account: Address, step: string): Promise<Authorization> {
      let found: Authorization = 'void'
      await memory.change(account, (before, now) => {
        found = findAuthorization(before, step, now)
        return undefined
      })
      return found
    },
    /** Returns whether an account may pay, and the hours until a new PIN may be chosen. */
    async state(account: Address): Promise<PinState> {
      let state: PinState = { kind: 'open' }
      await memory.change(account, (before, now) => {
        state = describeState(before, now)
        return undefined
      })
      return state
    },
    /** Sets the PIN of an account that has none, or whose forgotten one may be replaced. */
    choose: (account: Address, pin: string, session: string) =>
      set(account, pin, session, (before, now) => isReplaceable(before, now)),
    /** Replaces the PIN, if this step authorized the session with the old PIN. */
    change: (account: Address, pin: string, session: string, step: string) =>
      set(account, pin, session, (before, now) => findAuthorization(before, step, now) === 'valid'),
    /** Allows a new PIN after a day, unless the caller enters the old PIN before. */
    async requestReset(account: Address, session: string): Promise<PinChange> {
      const after = await memory.change(account, (before, now) => {
        const { pin } = before
        if (before.isDormant || !pin || pin.sessions.includes(session)) return undefined
        const sessions = [session, ...pin.sessions].slice(0, rememberedCount)
        const judged = revokeAuthorizations(pin.judged)
        const replaceableAt = pin.replaceableAt ?? now + dayMs
        return { ...before, pin: { ...pin, sessions, judged, replaceableAt } }
      })
      return describeChange(after, session)
    },
  }
}

function describeChange({ pin, isDormant }: AccountMemory, session: string): PinChange {
  if (pin?.sessions.includes(session)) return 'done'
  return isDormant ? 'dormant' : 'kept'
}

const isReplaceable = ({ pin }: AccountMemory, at: number): boolean =>
  pin?.replaceableAt !== undefined && pin.replaceableAt <= at

function findAuthorization({ pin, isDormant }: AccountMemory, step: string, now: number) {
  if (isDormant) return 'dormant'
  if (pin === undefined) return 'void'
  if (pin.tries >= maxPinTries) return 'blocked'
  const right = pin.judged.find((check) => check.step === step && check.left === null)
  return right?.salt === pin.salt && now - right.at <= authorizedMs ? 'valid' : 'void'
}

function describeState({ pin, isDormant }: AccountMemory, now: number): PinState {
  if (isDormant) return { kind: 'dormant' }
  const waitMs = (pin?.replaceableAt ?? now) - now
  const waits = waitMs > 0 ? { hours: Math.ceil(waitMs / hourMs) } : {}
  return { kind: (pin?.tries ?? 0) >= maxPinTries ? 'blocked' : 'open', ...waits }
}

/** Records a dial once a day, and marks the account dormant if the last one is too long ago. */
function recordDailyDial(memory: AccountMemory, at: number): AccountMemory | undefined {
  const sinceMs = at - (memory.dialedAt ?? at)
  if (memory.dialedAt !== undefined && sinceMs < dayMs) return undefined
  return { ...memory, dialedAt: at, ...(sinceMs > dormantMs && { isDormant: true }) }
}

const toVerdict = (left: number | null): PinVerdict => {
  if (left === null) return { kind: 'right' }
  return left === 0 ? { kind: 'blocked' } : { kind: 'wrong', left }
}

type CheckedPin = { verdict: PinVerdict; after?: AccountMemory }

function checkPin(before: AccountMemory, step: string, isRight: boolean, at: number): CheckedPin {
  const { pin, isDormant } = before
  if (isDormant) return { verdict: { kind: 'dormant' } }
  if (pin === undefined) return { verdict: { kind: 'unset' } }
  const known = pin.judged.find((check) => check.step === step)
  if (known !== undefined) return { verdict: toVerdict(known.left) }
  if (pin.tries >= maxPinTries) return { verdict: { kind: 'blocked' } }
  const tries = isRight ? 0 : pin.tries + 1
  const left = isRight ? null : maxPinTries - tries
  const { replaceableAt, ...rest } = pin
  const isKept = replaceableAt !== undefined && !isRight
  // A block voids earlier authorizations, even after it is lifted.
  const earlier = left === 0 ? revokeAuthorizations(pin.judged) : pin.judged
  const judged = [{ step, left, at, salt: pin.salt }, ...earlier].slice(0, rememberedCount)
  const after = { ...rest, tries, judged, ...(isKept && { replaceableAt }) }
  return { verdict: toVerdict(left), after: { ...before, pin: after } }
}

/** Keeps the verdicts for redeliveries, and takes their authorization away. */
const revokeAuthorizations = (judged: KeptPin['judged']): KeptPin['judged'] =>
  judged.map((check) => ({ ...check, salt: '' }))

/** Restores all tries, after an operator has identified the caller. */
export function unlockPin({ isDormant: _, ...memory }: AccountMemory): AccountMemory {
  const { pin } = memory
  if (pin === undefined) return memory
  return { ...memory, pin: { ...pin, tries: 0, judged: revokeAuthorizations(pin.judged) } }
}

export function cancelPinRequest(memory: AccountMemory): AccountMemory {
  if (memory.pin === undefined) return memory
  const { replaceableAt: _, ...pin } = memory.pin
  return { ...memory, pin }
}
