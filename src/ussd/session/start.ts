import * as z from 'zod/mini'
import type { Language } from '../../account/language.ts'
import { type AccountMemory, accountAddress, findLanguage } from '../../account/memory.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import { weiSchema } from '../../loan/amounts.ts'
import { localWorth } from '../../loan/local-worth.ts'
import { toJson } from '../../runtime/json.ts'
import { canGoOn, goOnName } from '../menu/entries/go-on.ts'
import type { SessionDraft } from '../menu/node.ts'
import type { Place } from '../menu/prompt.ts'
import { getRecalledStart } from '../menu/recall.ts'
import { maxAnswers, type SessionFacts } from '../menu/walk.ts'
import { knownRecipient } from '../recipient.ts'
import { endScreen } from '../screens/screen.ts'
import { isAccountHeld, nameIntent, updateMemoryLater, type Visit } from '../visit.ts'
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

/** Limits for how long the next dial may take up a cut session. */
const offeredMs = 2 * 60_000

/** Holds what a session asked to confirm, and what names the session. It is stored encrypted. */
const unconfirmed = z.object({
  gateway: z.string(),
  sessionId: z.string(),
  answerCount: z.int(),
  draft: z.object({
    recipient: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('phone'), phone: z.custom<PhoneNumber>() }),
      knownRecipient,
      z.object({
        kind: z.literal('till'),
        address: accountAddress,
        label: z.string(),
        isBill: z.boolean(),
      }),
    ]),
    amountWei: z.union([z.literal('all'), weiSchema]),
    agreed: z.optional(localWorth),
    reference: z.optional(z.string()),
  }),
})

const nameContext = ({ account }: Pick<Visit, 'account'>) => `cut ${account.address.toLowerCase()}`

async function open(visit: Visit, sealed: string) {
  const text = await visit.services.textSeal.decrypt(sealed, nameContext(visit))
  return text === undefined ? undefined : unconfirmed.safeParse(JSON.parse(text)).data
}

/** Returns what a cut session asked to confirm; undefined if another secret or version wrote it. */
const openDraft = async (visit: Visit, sealed: string): Promise<SessionDraft | undefined> =>
  (await open(visit, sealed))?.draft

type Stored = NonNullable<AccountMemory['unconfirmed']>

const isOld = ({ at }: Stored, now: number): boolean => now - at > offeredMs

function forgetUnconfirmed(
  { services, account }: Visit,
  mustForget: (kept: Stored, now: number) => boolean,
): void {
  updateMemoryLater(services, account.address, ({ unconfirmed: kept, ...memory }, now) =>
    kept !== undefined && mustForget(kept, now) ? memory : undefined,
  )
}

/**
 * Returns the session that this dial may take up, or its own one, out of the account's memory. One
 * that asked more than two minutes ago is removed from there, and not returned.
 */
export function findUnconfirmed(
  visit: Visit,
  { unconfirmed: stored, now }: AccountMemory & { now: number },
): Visit['unconfirmed'] {
  if (stored === undefined || !isOld(stored, now)) return stored
  forgetUnconfirmed(visit, isOld)
  return undefined
}

/**
 * Keeps what a session asks to confirm, until it goes elsewhere, another session of the account
 * asks, or the account is dialled after two minutes.
 */
export async function keepUnconfirmed(visit: Visit, place?: Place): Promise<void> {
  const { services, account, session, gateway, sessionId, answers } = visit
  if (!services.menu.has(goOnName)) return
  // What is held back is asked about at the next dial anyway.
  const isGivingBack = place?.draft.recall !== undefined
  if (place !== undefined && canGoOn(place.name) && !isGivingBack) {
    const { recipient, amountWei, agreed, reference } = place.draft
    const draft = { recipient, amountWei, agreed, reference }
    const text = toJson({ gateway, sessionId, answerCount: answers.length, draft })
    const sealed = await services.textSeal.encrypt(text, nameContext(visit))
    updateMemoryLater(services, account.address, (memory, at) => ({
      ...memory,
      unconfirmed: { session, sealed, at },
    }))
  } else if (visit.unconfirmed?.session === session) {
    forgetUnconfirmed(visit, (kept) => kept.session === session)
  }
}

/**
 * Closes the session that was cut before this dial, so that no late answer of it pays. Returns what
 * it asked to confirm, encrypted; undefined if it is decided otherwise, or may be.
 */
async function takeUpCutSession(visit: Visit): Promise<string | undefined> {
  const { services, unconfirmed: cut, account, since, session, messages } = visit
  if (cut === undefined || cut.session === session) return undefined
  const opened = await open(visit, cut.sealed)
  const { kind: pinState = 'open' } = (await services.pins?.readState(account.address)) ?? {}
  if (opened === undefined || pinState !== 'open') return undefined
  const { answerCount, draft: _, ...cutSession } = opened
  // A redelivery of this dial gets the same answer, and any other dial gets none.
  const input = services.keys.hashInput(cut.session, `cut off before ${session}`)
  const closed = await services.endSession({
    since,
    answerCount,
    stepKey: { session: cut.session, input, account: account.address },
    screen: endScreen(messages.sessionClosed),
    reason: 'cut_off',
    intent: nameIntent({ ...visit, ...cutSession }),
  })
  return closed.kind === 'screen' ? cut.sealed : undefined
}
