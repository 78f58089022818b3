import { type Address, bytesToHex } from 'viem'
import type { Language } from './language.ts'
import { type AccountMemory, type IsAllowed, type Memory, recordLanguage } from './memory.ts'
import type { PhoneNumber } from './phone.ts'
import { createKeyedHash, type Secret } from './secrets.ts'

export type PinVerdict =
  | { kind: 'right' }
  | { kind: 'wrong'; left: number }
  /** Three PINs in a row were wrong, counted over all sessions. */
  | { kind: 'blocked' }
  | { kind: 'unset' }
  /** Nobody dialled for 90 days, so the number may belong to another person. */
  | { kind: 'dormant' }

/** Tells whether a right PIN still authorizes its session; `void` if it was changed or expired. */
export type Authorization = 'valid' | 'blocked' | 'dormant' | 'void'

/** Describes an account's PIN; in `hours`, at `from`, a forgotten one may be replaced. */
export type PinState = { kind: 'open' | 'blocked' | 'dormant'; hours?: number; from?: number }

export type PinChange = 'done' | 'unchanged' | 'dormant'

export type Pins = ReturnType<typeof createPins>

type StoredPin = NonNullable<AccountMemory['pin']>

export const maxPinTries = 3
const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
/** Limits the time without a dial; operators give a number to another person after it. */
const dormantAfterMs = 90 * dayMs
const maxRemembered = 8
/** Limits the time for which a right PIN authorizes its session. */
const authorizationMs = 5 * 60 * 1_000

export const isPin = (typed: string): boolean => /^[0-9]{4,6}$/.test(typed)

/** Marks the start of a text that replaces a PIN in stored input. No caller can type it. */
export const pinMark = '\u0000'

/** Tells whether an answer replaces a PIN of an earlier delivery, whose digits are not stored. */
export const isMaskedPin = (typed: string): boolean => typed.startsWith(pinMark)

/** Tells whether the answer holds the digest of a new PIN that an earlier delivery accepted. */
export const isAcceptedPin = (typed: string): boolean =>
  isMaskedPin(typed) && typed.length > pinMark.length

/** Tells whether a PIN is easy to guess, such as a run, a year, or the end of the number. */
export function isEasyPin(pin: string, phone: PhoneNumber): boolean {
  const differences = [...pin]
    .slice(1)
    .map((digit, index) => (Number(digit) - Number(pin[index]) + 10) % 10)
  // A difference of 9 modulo 10 counts down.
  const isRun = differences.every((each) => each === differences[0] && [0, 1, 9].includes(each))
  const isRepeated = /^(\d+)\1+$/.test(pin)
  const isYear = /^(19|20)\d\d$/.test(pin)
  // Is the column of a keypad.
  const isColumn = pin === '2580' || pin === '0852'
  return isRun || isRepeated || isYear || isColumn || phone.endsWith(pin)
}

type Choice = { pin: string; session: string; language?: Language | undefined }

export type PinsOptions = { secret: Secret; memory: Memory; createSalt: () => string }

/** Stores PINs as keyed digests. A slow hash adds nothing, because all PINs are quickly tried. */
export function createPins({ secret, memory, createSalt }: PinsOptions) {
  const hash = createKeyedHash(secret)
  const hashPin = (account: Address, salt: string, pin: string) =>
    bytesToHex(hash('pin', account.toLowerCase(), salt, pin)).slice(2)

  /** Replaces the PIN once per session, unless `mayReplace` forbids it. */
  async function save(account: Address, choice: Choice, mayReplace: IsAllowed) {
    const { pin, session } = choice
    const salt = createSalt()
    const digest = hashPin(account, salt, pin)
    const after = await memory.change(account, (before, now) => {
      const { pin: former } = before
      if (before.isDormant || (former !== undefined && !mayReplace(before, now))) return undefined
      if (former?.sessions.includes(session)) return undefined
      const sessions = [session, ...(former?.sessions ?? [])].slice(0, maxRemembered)
      // Checks with the former salt stay for redeliveries, but authorize nothing.
      const judged = former?.judged ?? []
      const changed = adaptToChoice(before, choice, now)
      return { ...changed, pin: { digest, salt, tries: 0, judged, sessions } }
    })
    return describeChange(after, session)
  }

  return {
    /** Computes the digest by which a new PIN is compared with its repetition. */
    hashPin,
    /** Records the dial, and tells where the session begins: a caller without a PIN chooses one. */
    async beginSession(account: Address): Promise<'main' | 'newPin' | 'dormant'> {
      let hasToChoose = true
      const { isDormant } = await memory.change(account, (before, now) => {
        hasToChoose = before.pin === undefined || isReplaceable(before, now)
        return recordDailyDial(before, now)
      })
      if (isDormant) return 'dormant'
      return hasToChoose ? 'newPin' : 'main'
    },
    /** Checks a PIN. All deliveries of one step count as one try. */
    async verify(account: Address, typed: string, step: string): Promise<PinVerdict> {
      for (;;) {
        const { pin } = await memory.read(account)
        const digest = pin && hashPin(account, pin.salt, typed)
        let verdict: PinVerdict | undefined
        await memory.change(account, (before, now) => {
          verdict = undefined
          // Another session has changed the PIN, so the loop checks the new one.
          if (before.pin?.salt !== pin?.salt) return undefined
          const checked = checkPin(before, step, before.pin?.digest === digest, now)
          verdict = checked.verdict
          return checked.after
        })
        if (verdict !== undefined) return verdict
      }
    },
    /** Tells whether the PIN that was right at a step still authorizes its session. */
    async readAuthorization(account: Address, step: string): Promise<Authorization> {
      const { now, ...stored } = await memory.read(account)
      return toAuthorization(stored, step, now)
    },
    /** Reads whether an account may pay, and from when a new PIN may be chosen. */
    readState: async (account: Address) => describeState(await memory.read(account)),
    /** Sets the PIN, and the language, of an account that has no PIN or forgot its PIN. */
    choose: (account: Address, pin: string, session: string, language?: Language) =>
      save(account, { pin, session, language }, isReplaceable),
    /** Replaces the PIN, if this step authorized the session with the old PIN. */
    change: (account: Address, pin: string, session: string, step: string) =>
      save(
        account,
        { pin, session },
        (before, now) => toAuthorization(before, step, now) === 'valid',
      ),
    /** Allows a new PIN after a day, unless the caller enters the old PIN before then. */
    async requestReset(account: Address, session: string): Promise<PinChange> {
      const after = await memory.change(account, (before, now) => {
        const { pin } = before
        if (before.isDormant || !pin || pin.sessions.includes(session)) return undefined
        const sessions = [session, ...pin.sessions].slice(0, maxRemembered)
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
  return isDormant ? 'dormant' : 'unchanged'
}

/** Records the language of who chooses a PIN. In the place of a forgotten one it ends all names. */
function adaptToChoice(before: AccountMemory, { session, language }: Choice, now: number) {
  const spoken = language && recordLanguage(before, language, session)
  // Who forgot the PIN may be another person, who has agreed to no name.
  return { ...before, ...spoken, ...(isReplaceable(before, now) && { names: {} }) }
}

const isReplaceable = ({ pin }: AccountMemory, now: number): boolean =>
  pin?.replaceableAt !== undefined && pin.replaceableAt <= now

/** Tells whether the PIN that was right at a step, after `since`, authorizes a change. */
export const isAuthorized = (
  memory: AccountMemory,
  step: string,
  now: number,
  since?: number,
): boolean => toAuthorization(memory, step, now, since) === 'valid'

function toAuthorization({ pin, isDormant }: AccountMemory, step: string, now: number, since = 0) {
  if (isDormant) return 'dormant'
  if (pin === undefined) return 'void'
  if (pin.tries >= maxPinTries) return 'blocked'
  const rightCheck = pin.judged.find((check) => check.step === step && check.left === null)
  if (rightCheck?.salt !== pin.salt || rightCheck.at <= since) return 'void'
  return now - rightCheck.at <= authorizationMs ? 'valid' : 'void'
}

function describeState({ pin, isDormant, now }: AccountMemory & { now: number }): PinState {
  if (isDormant) return { kind: 'dormant' }
  const waitMs = (pin?.replaceableAt ?? now) - now
  const wait = waitMs > 0 ? { hours: Math.ceil(waitMs / hourMs), from: now + waitMs } : {}
  return { kind: (pin?.tries ?? 0) >= maxPinTries ? 'blocked' : 'open', ...wait }
}

/** Tells whether nobody has dialled for so long that the number may be another person's. */
export const isUnused = ({ isDormant, dialedAt = 0 }: AccountMemory, now: number): boolean =>
  isDormant === true || now - dialedAt > dormantAfterMs

/** Records a dial once a day. Marks the account dormant if the last one was over 90 days ago. */
function recordDailyDial(memory: AccountMemory, now: number): AccountMemory | undefined {
  const sinceMs = now - (memory.dialedAt ?? now)
  if (memory.dialedAt !== undefined && sinceMs < dayMs) return undefined
  return { ...memory, dialedAt: now, ...(sinceMs > dormantAfterMs && { isDormant: true }) }
}

const toVerdict = (left: number | null): PinVerdict => {
  if (left === null) return { kind: 'right' }
  return left === 0 ? { kind: 'blocked' } : { kind: 'wrong', left }
}

type CheckedPin = { verdict: PinVerdict; after?: AccountMemory }

/** Counts a try, and tells whether the PIN was right; a step that was checked keeps its verdict. */
function checkPin(before: AccountMemory, step: string, isRight: boolean, at: number): CheckedPin {
  const { pin, isDormant } = before
  if (isDormant) return { verdict: { kind: 'dormant' } }
  if (pin === undefined) return { verdict: { kind: 'unset' } }
  const earlierCheck = pin.judged.find((check) => check.step === step)
  if (earlierCheck !== undefined) return { verdict: toVerdict(earlierCheck.left) }
  if (pin.tries >= maxPinTries) return { verdict: { kind: 'blocked' } }
  const tries = isRight ? 0 : pin.tries + 1
  const left = isRight ? null : maxPinTries - tries
  const { replaceableAt, ...rest } = pin
  const staysReplaceable = replaceableAt !== undefined && !isRight
  // A block revokes earlier authorizations, even after it is lifted.
  const earlierChecks = left === 0 ? revokeAuthorizations(pin.judged) : pin.judged
  const judged = [{ step, left, at, salt: pin.salt }, ...earlierChecks].slice(0, maxRemembered)
  const after = { ...rest, tries, judged, ...(staysReplaceable && { replaceableAt }) }
  return { verdict: toVerdict(left), after: { ...before, pin: after } }
}

/** Revokes the authorization of all verdicts, which stay for redeliveries. */
const revokeAuthorizations = (judged: StoredPin['judged']): StoredPin['judged'] =>
  judged.map((check) => ({ ...check, salt: '' }))

/** Restores all tries and ends dormancy, once an operator has identified the caller. */
export function unlockPin({ isDormant, ...locked }: AccountMemory): AccountMemory {
  // The caller may be another person, who has agreed to no name.
  const memory = isDormant ? { ...locked, names: {} } : locked
  const { pin } = memory
  if (pin === undefined) return memory
  return { ...memory, pin: { ...pin, tries: 0, judged: revokeAuthorizations(pin.judged) } }
}

export function cancelPinRequest(memory: AccountMemory): AccountMemory {
  if (memory.pin === undefined) return memory
  const { replaceableAt: _, ...pin } = memory.pin
  return { ...memory, pin }
}
