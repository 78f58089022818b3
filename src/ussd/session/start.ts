import type { Language } from '../../account/language.ts'
import { findLanguage } from '../../account/memory.ts'
import { goOnName } from '../menu/entries/go-on.ts'
import { getRecalledStart } from '../menu/recall.ts'
import { maxAnswers, type SessionFacts } from '../menu/walk.ts'
import { isAccountHeld, type Visit } from '../visit.ts'
import { openDraft, takeUpCutSession } from './cut-session.ts'
import { findHeldBack } from './recalls.ts'
import { pinSetRecord, type RecordedStart, readOrRecord, sessionStartRecord } from './records.ts'

/** Names the step of a session before any answer, under which its start is recorded. */
const sessionStartStep = ''

/** Sets a new PIN, once per session; returns false if that has ended, or the account is held. */
export async function setPinOnce(visit: Visit, pin: string, language?: Language): Promise<boolean> {
  const { pins, ledger } = visit.services
  const stepKey = visit.createStepKey('new PIN')
  return await readOrRecord(ledger, stepKey, pinSetRecord, async () => {
    const { kind } = await ledger.lookup(stepKey)
    if (kind !== 'undecided' || (await isAccountHeld(visit))) return false
    // The session may change its PIN or language once more, which its own name is for.
    return (await pins?.choose(stepKey.account, pin, stepKey.input, language)) === 'done'
  })
}

/** Finds where a session goes on behind its new PIN: where any begins, or with its own answers. */
export async function findStartBehindPin(visit: Visit, hasAnswers: boolean): Promise<SessionStart> {
  if (hasAnswers) return { start: 'main' }
  const stepKey = visit.createStepKey('behind new PIN')
  const { ledger } = visit.services
  const find = () => findFirst(visit)
  return toSessionStart(visit, await readOrRecord(ledger, stepKey, sessionStartRecord, find))
}

export type SessionStart = Pick<SessionFacts, 'start' | 'draft' | 'deferredAnswerCount'> & {
  /** Tells that what a session was asked first, of a cut one or of a hold, is over. */
  isOver?: boolean
  /** Tells that all of the session is over then. */
  isOfNewCaller?: boolean
}

/** Finds what is held back, which a session begins with. */
async function findFirst(visit: Visit): Promise<RecordedStart> {
  const { profile } = visit.services.settings
  const recalled = profile === 'demo' ? undefined : await findHeldBack(visit)
  return recalled === undefined ? 'main' : { recalled }
}

/**
 * Finds where a session starts; a caller without a PIN chooses one before anything else, in a
 * language that is chosen before. A dial without answers may take up a session that was cut, or
 * ask what becomes of a payment that its sender calls a mistake.
 */
export async function findSessionStart(
  visit: Visit,
  answerCount: number,
): Promise<SessionStart | 'dormant' | 'held'> {
  const stepKey = visit.createStepKey(sessionStartStep)
  const { ledger, settings, memory, pins } = visit.services
  const findStart = async (): Promise<RecordedStart> => {
    const place = (await pins?.beginSession(stepKey.account)) ?? 'main'
    if (place === 'main' && answerCount === 0) {
      const goOn = await takeUpCutSession(visit)
      if (goOn !== undefined) return { goOn, offeredAt: visit.since }
      return findFirst(visit)
    }
    if (place !== 'newPin') return place
    if (await isAccountHeld(visit)) return 'held'
    const asks = settings.languages.length > 1
    const isSpoken = asks && findLanguage(await memory.read(stepKey.account)) !== undefined
    const start = asks && !isSpoken ? 'firstLanguage' : place
    return { waiting: answerCount < maxAnswers ? answerCount : 0, start, beganAt: visit.since }
  }
  const recorded = await readOrRecord(ledger, stepKey, sessionStartRecord, findStart)
  if (recorded === 'dormant' || recorded === 'held') return recorded
  return toSessionStart(visit, recorded)
}

/** Returns the start that a session recorded, with what it was asked first. */
async function toSessionStart(visit: Visit, recorded: RecordedStart): Promise<SessionStart> {
  const { settings } = visit.services
  if (typeof recorded !== 'object') return { start: recorded }
  if ('goOn' in recorded) {
    const draft = await openDraft(visit, recorded.goOn)
    if (draft === undefined) return { start: 'main' }
    const isOver = visit.since - recorded.offeredAt > settings.sessionSeconds * 1_000
    return { start: goOnName, draft, isOver }
  }
  if ('recalled' in recorded) {
    const { recalled: recall } = recorded
    const { recipient, amountWei, until = 0 } = recall
    const draft = { recall, recipient, amountWei }
    return { start: getRecalledStart(settings), draft, isOver: until <= visit.since }
  }
  const { start, waiting, beganAt = visit.since } = recorded
  return {
    start,
    ...(waiting > 0 && { deferredAnswerCount: waiting }),
    isOver: visit.since - beganAt > settings.redeliverySeconds * 1_000,
    isOfNewCaller: true,
  }
}
