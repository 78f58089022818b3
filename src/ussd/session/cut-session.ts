import * as z from 'zod/mini'
import { type AccountMemory, accountAddress } from '../../account/memory.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import { weiSchema } from '../../loan/amounts.ts'
import { localWorth } from '../../loan/local-worth.ts'
import { toJson } from '../../runtime/json.ts'
import { canGoOn, goOnName } from '../menu/entries/go-on.ts'
import type { SessionDraft } from '../menu/node.ts'
import type { Place } from '../menu/prompt.ts'
import { knownRecipient } from '../recipient.ts'
import { endScreen } from '../screens/screen.ts'
import { nameIntent, updateMemoryLater, type Visit } from '../visit.ts'

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
export const openDraft = async (visit: Visit, sealed: string): Promise<SessionDraft | undefined> =>
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
export async function takeUpCutSession(visit: Visit): Promise<string | undefined> {
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
