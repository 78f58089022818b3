import * as z from 'zod/mini'
import type { GatewayForm } from './gateway-forms.ts'

/** Lists the numbers whose accounts have money on a new local chain. */
export const demoNumbers = ['+254700000001', '+254700000002', '+254700000003'] as const

const stepSchema = z.object({
  /** The code that was dialled, or an answer. */
  typed: z.string(),
  /** Tells what happened: the reply was shown, the reply was lost, or the request is held back. */
  replyState: z.enum(['answered', 'lost', 'held']),
  isLate: z.boolean(),
  deliveries: z.int(),
  status: z.int(),
  reply: z.string(),
  /** The screen, with CON or END before it. */
  screen: z.string(),
  /** The gateway's state, which returns with the next answer. */
  gatewayState: z.string(),
  tookMs: z.int(),
  /** Tells whether a redelivery got a different reply. */
  hasDifferentReply: z.boolean(),
})

const sessionSchema = z.object({
  id: z.string(),
  phone: z.string(),
  gateway: z.string(),
  profile: z.string(),
  startedAt: z.int(),
  /** The end of the session (Unix time in ms); null while it is open. */
  endedAt: z.nullable(z.int()),
  /** The payment's intent, read after the session has ended; null if nothing was paid. */
  intent: z.optional(z.nullable(z.string())),
  steps: z.array(stepSchema),
})

export type Step = z.infer<typeof stepSchema>
export type PhoneSession = z.infer<typeof sessionSchema>

/** Parses the sessions that the page itself stores, the latest last. */
export const phoneSessions = z.array(sessionSchema)

const maxSessions = 8

/** Lists how the gateway can treat the next delivery. */
export const deliveryModes = ['as usual', 'lose the reply', 'deliver late'] as const
export type DeliveryMode = (typeof deliveryModes)[number]

/** Returns the answers in a code such as `*384*1*2#`; undefined for the code of another service. */
export function parseCodeAnswers(code: string): string[] | undefined {
  const [, codeAnswers] = /^\*384((?:\*[^*#]+)*)#$/.exec(code.trim()) ?? []
  return codeAnswers?.split('*').slice(1)
}

/** Lists the answers up to a step, including those in the code if the gateway passes them on. */
function listAnswers(
  form: GatewayForm,
  session: PhoneSession,
  index: number,
  hidesPins: boolean,
): string[] {
  const code = session.steps[0]?.typed ?? ''
  const codeAnswers = form.startsEmpty ? [] : (parseCodeAnswers(code) ?? [])
  const answers = session.steps
    .slice(1, index + 1)
    .map((_, position) => getTypedText(session, position + 1, hidesPins))
  return [...codeAnswers.map((part) => (hidesPins ? hidePin(part) : part)), ...answers]
}

/** Returns what was typed in a step; `hidesPins` replaces a PIN by a word. */
export function getTypedText(session: PhoneSession, index: number, hidesPins: boolean): string {
  const typed = session.steps[index]?.typed ?? ''
  const before = session.steps[index - 1]
  if (!hidesPins) return typed
  // No screen tells what the answers in a code are for, so each of them may be a PIN.
  if (before === undefined) return typed.split('*').map(hidePin).join('*')
  // An answer of one or two characters goes back or to more of the list, so it is no PIN.
  return isPinAsked(before.screen) && typed.length > 2 ? hiddenPin : typed
}

const hiddenPin = 'PIN'
const hidePin = (part: string) => part.replace(/^\d{4,6}(?=#?$)/, hiddenPin)

/** Tells whether a screen asks for a PIN: every language uses the word PIN. */
const isPinAsked = (screen: string): boolean => screen.includes('PIN')

/** Writes the request of a step as the gateway does; `hidesPins` replaces PINs by a word. */
export function writeRequest(
  form: GatewayForm,
  session: PhoneSession,
  index: number,
  hidesPins = false,
): string {
  const text = listAnswers(form, session, index, hidesPins).join('*')
  const dialled = {
    phone: session.phone,
    session: session.id,
    text,
    code: getTypedText(session, 0, hidesPins),
  }
  return form.write(dialled, session.steps[index - 1]?.gatewayState ?? '')
}

/** Returns the screen that the phone shows; undefined if no reply has arrived. */
export function getScreen(session: PhoneSession): string | undefined {
  const last = session.steps.at(-1)
  return last?.replyState === 'answered' ? last.screen : undefined
}

/** Tells whether the relay has ended a session, even if the phone did not get that reply. */
export const hasEnded = (session: PhoneSession): boolean =>
  session.steps.some(({ deliveries, screen }) => deliveries > 0 && !screen.startsWith('CON '))

export const isWaitingForAnswer = (session: PhoneSession): boolean =>
  session.endedAt === null && getScreen(session)?.startsWith('CON ') === true

export function startSession(
  sessions: readonly PhoneSession[],
  dial: Pick<PhoneSession, 'phone' | 'gateway' | 'profile' | 'startedAt'> & { code: string },
  replyState: Step['replyState'],
): PhoneSession[] {
  const { code, ...rest } = dial
  const id = `phone-${crypto.randomUUID().slice(0, 13)}`
  const session = { ...rest, id, endedAt: null, steps: [createStep(code, replyState)] }
  return [...sessions, session].slice(-maxSessions)
}

export const addAnswer = (
  session: PhoneSession,
  typed: string,
  replyState: Step['replyState'],
): PhoneSession => ({ ...session, steps: [...session.steps, createStep(typed, replyState)] })

const emptyReply = {
  isLate: false,
  deliveries: 0,
  hasDifferentReply: false,
  status: 0,
  reply: '',
  screen: '',
  gatewayState: '',
  tookMs: 0,
}

function createStep(typed: string, replyState: Step['replyState']): Step {
  return { ...emptyReply, typed, replyState }
}

export type ReceivedReply = Pick<Step, 'status' | 'reply' | 'screen' | 'gatewayState' | 'tookMs'>

/** Adds the reply to a step, whether the phone received or lost that reply. */
export function addReply(
  session: PhoneSession,
  index: number,
  {
    received,
    now,
    ...delivery
  }: { received: ReceivedReply; now: number } & Pick<Step, 'replyState' | 'isLate'>,
): PhoneSession {
  const steps = session.steps.map((step, position): Step => {
    if (position !== index) return step
    const isChanged = step.deliveries > 0 && step.reply !== received.reply
    const hasDifferentReply = step.hasDifferentReply || isChanged
    return { ...step, ...received, ...delivery, hasDifferentReply, deliveries: step.deliveries + 1 }
  })
  const isOver = getScreen({ ...session, steps })?.startsWith('END ') === true
  // `null` said that nothing was paid. The new reply may have paid, so it is looked up again.
  const intent = session.intent ?? undefined
  return { ...session, intent, steps, endedAt: session.endedAt ?? (isOver ? now : null) }
}
