import type { GatewayDeclaration } from '../../ussd/gateways/declaration.ts'
import { type GatewayForm, type GatewayReply, serviceCode } from './gateway-form.ts'

/** Lists the numbers whose accounts have money on a new local chain. */
export const demoNumbers = ['+254700000001', '+254700000002', '+254700000003'] as const

/** Describes the relay that the phone dials; the page carries it. */
export type PhoneSetup = {
  gateways: readonly GatewayDeclaration[]
  /** Lists the profiles that the relay can serve; empty if it serves only its own. */
  profiles: readonly string[]
  profile: string
  currency: string
}

/** Lists how the gateway can treat the first delivery of a step. */
export const deliveryModes = ['As usual', 'Lose the reply', 'Deliver late'] as const
export type DeliveryMode = (typeof deliveryModes)[number]

/** Describes a reply as it came; `body` is the raw text. */
type Reply = GatewayReply & { status: number; body: string; tookMs: number }

/** Describes the code that was dialled, or an answer, with a reply for each delivery. */
export type Step = { typed: string; mode: DeliveryMode; replies: Reply[] }

export type PhoneSession = {
  id: string
  phone: string
  gateway: string
  profile: string
  startedAt: number
  /** The end of the session (Unix time in ms); null while it is open. */
  endedAt: number | null
  /** The payment's intent, read after the session has ended; null if nothing was paid. */
  intent?: string | null
  steps: Step[]
}

/** Returns the answers in a code such as `*384*1*2#`; undefined for the code of another service. */
export function parseCodeAnswers(code: string): string[] | undefined {
  const [, codeAnswers] = /^\*384((?:\*[^*#]+)*)#$/.exec(code.trim()) ?? []
  return codeAnswers?.split('*').slice(1)
}

/** Returns what was typed in a step; `hidesPins` replaces a PIN by a word. */
export function getTypedText({ steps }: PhoneSession, index: number, hidesPins: boolean): string {
  const typed = steps[index]?.typed ?? ''
  const before = steps[index - 1]
  if (!hidesPins) return typed
  // No screen tells what the answers in a code are for, so each of them may be a PIN.
  if (before === undefined) return typed.split('*').map(hidePin).join('*')
  // An answer of one or two characters goes back or to more of the list, so it is no PIN.
  return isPinAsked(before) && typed.length > 2 ? hiddenPin : typed
}

const hiddenPin = 'PIN'
const hidePin = (part: string) => part.replace(/^\d{4,6}(?=#?$)/, hiddenPin)

/** Tells whether a screen asks for a PIN: every language uses the word PIN. */
const isPinAsked = ({ replies }: Step): boolean => replies.at(-1)?.screen.includes('PIN') === true

/** Writes the request of a step as the gateway does; `hidesPins` replaces PINs by a word. */
export function writeRequest(
  form: GatewayForm,
  session: PhoneSession,
  index: number,
  hidesPins = false,
): string {
  const { phone, id, steps } = session
  const [code = serviceCode, ...answers] = steps
    .slice(0, index + 1)
    .map((_, position) => getTypedText(session, position, hidesPins))
  // The gateway passes the answers in a code on, unless its sessions start without any.
  const codeAnswers = form.startsEmpty ? [] : (parseCodeAnswers(code) ?? [])
  const dialled = { phone, session: id, text: [...codeAnswers, ...answers].join('*'), code }
  return form.write(dialled, steps[index - 1]?.replies.at(-1)?.gatewayState ?? '')
}

/** Delivers the bytes of a step, and returns the reply to them. */
export type Post = (body: string) => Promise<Pick<Reply, 'status' | 'body'>>

/** Delivers a step as its gateway does, with the same bytes each time, and adds the reply. */
export async function deliverStep(
  form: GatewayForm,
  session: PhoneSession,
  step: Step,
  post: Post,
): Promise<void> {
  const startedAt = Date.now()
  const { status, body } = await post(writeRequest(form, session, session.steps.indexOf(step)))
  const tookMs = Date.now() - startedAt
  step.replies.push({ status, body, tookMs, ...readReply(form, body, session.id) })
  // `null` said that nothing was paid. The new reply may have paid, so it is looked up again.
  if (session.intent === null) delete session.intent
  if (getScreen(session)?.startsWith('END ')) session.endedAt ??= Date.now()
}

/** Reads a reply; a reply in another form ends the session, as it does on a real phone. */
function readReply(form: GatewayForm, reply: string, session: string): GatewayReply {
  try {
    return form.parseReply(reply, session)
  } catch {
    return { screen: `END ${reply}`, gatewayState: '' }
  }
}

export const isHeldBack = ({ mode, replies }: Step): boolean =>
  mode === 'Deliver late' && replies.length === 0

/** Tells whether the only reply to a step was lost on its way to the phone. */
export const isReplyLost = ({ mode, replies }: Step): boolean =>
  mode === 'Lose the reply' && replies.length === 1

/** Returns the screen that the phone shows; undefined if no reply has arrived. */
export function getScreen({ steps }: PhoneSession): string | undefined {
  const last = steps.at(-1)
  return last && !isReplyLost(last) ? last.replies.at(-1)?.screen : undefined
}

/** Tells whether the relay has ended a session, even if the phone did not get that reply. */
export const hasEnded = ({ steps }: PhoneSession): boolean =>
  steps.some(({ replies }) => replies.some(({ screen }) => !screen.startsWith('CON ')))

export const isWaitingForAnswer = (session: PhoneSession): boolean =>
  session.endedAt === null && getScreen(session)?.startsWith('CON ') === true
