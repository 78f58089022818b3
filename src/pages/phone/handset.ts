import * as z from 'zod/mini'
import type { GatewayForm } from './gateway-forms.ts'

/** Lists numbers that have money on a new local chain. */
export const demoNumbers = ['+254700000001', '+254700000002', '+254700000003'] as const

const step = z.object({
  /** Holds what was dialled or answered. */
  typed: z.string(),
  /** Tells what became of the reply: shown, lost, or held back. */
  way: z.enum(['answered', 'lost', 'held']),
  isLate: z.boolean(),
  deliveries: z.int(),
  status: z.int(),
  reply: z.string(),
  /** Holds the screen, without its CON or END. */
  screen: z.string(),
  /** Holds the state that comes back with the next answer. */
  carried: z.string(),
  tookMs: z.int(),
  /** Tells whether a later reply had other bytes than the one before. */
  differs: z.boolean(),
})

const session = z.object({
  id: z.string(),
  phone: z.string(),
  gateway: z.string(),
  profile: z.string(),
  since: z.int(),
  /** Holds when the session ended (Unix ms); null before. */
  endedAt: z.nullable(z.int()),
  /** Holds the payment's intent, read after the last delivery; null if it pays nothing. */
  intent: z.optional(z.nullable(z.string())),
  steps: z.array(step),
})

export type Step = z.infer<typeof step>
export type Dialling = z.infer<typeof session>

/** Keeps what was dialled in the page itself, the last session at the end; no server has it. */
export const handset = z.array(session)

/** Limits the sessions that a page remembers. */
const kept = 8

/** Names how the gateway treats the next delivery. */
export const manners = ['as usual', 'lose the reply', 'deliver late'] as const
export type Manner = (typeof manners)[number]

/** Splits a code such as `*384*1*2#` into the answers after the service's; undefined for others. */
export function readSuffix(code: string): string[] | undefined {
  const [, suffix] = /^\*384((?:\*[^*#]+)*)#$/.exec(code.trim()) ?? []
  return suffix?.split('*').slice(1)
}

/** Lists the answers up to a step, including those dialled at once if the gateway takes them. */
function listAnswers(form: GatewayForm, of: Dialling, index: number, hides: boolean): string[] {
  const suffix = form.beginsEmpty ? [] : (readSuffix(of.steps[0]?.typed ?? '') ?? [])
  const answers = of.steps.slice(1, index + 1).map((_, at) => readTyped(of, at + 1, hides))
  return [...suffix.map((part) => (hides ? hideDigits(part) : part)), ...answers]
}

/** Returns what was typed for a step; `hides` puts a word in the place of a PIN. */
export function readTyped(of: Dialling, index: number, hides: boolean): string {
  const [step, before] = [of.steps[index], of.steps[index - 1]]
  const typed = step?.typed ?? ''
  if (!hides) return typed
  // Dialled at once, without a screen: anything that may be a PIN is treated as one.
  if (before === undefined) return typed.split('*').map(hideDigits).join('*')
  return isPinAsked(before.screen) && typed.length > 2 ? hidden : typed
}

const hidden = 'PIN'
const hideDigits = (part: string) => part.replace(/^\d{4,6}(?=#?$)/, hidden)

/** Tells whether a screen asks for a PIN: it is called so in every language. */
const isPinAsked = (screen: string): boolean => screen.includes('PIN')

/** Writes a step's request in its gateway's form; `hides` replaces each PIN by a word. */
export function writeRequest(
  form: GatewayForm,
  of: Dialling,
  index: number,
  hides = false,
): string {
  const text = listAnswers(form, of, index, hides).join('*')
  const dialled = { phone: of.phone, session: of.id, text, code: readTyped(of, 0, hides) }
  return form.write(dialled, of.steps[index - 1]?.carried ?? '')
}

/** Returns the screen that the phone shows: undefined where no reply has come. */
export function readScreen(of: Dialling): string | undefined {
  const last = of.steps.at(-1)
  return last?.way === 'answered' ? last.screen : undefined
}

/** Tells whether the relay has ended a session, whether its phone knows that or not. */
export const hasEnded = (of: Dialling): boolean =>
  of.steps.some(({ deliveries, screen }) => deliveries > 0 && !screen.startsWith('CON '))

export const isAsking = (of: Dialling): boolean =>
  of.endedAt === null && readScreen(of)?.startsWith('CON ') === true

/** Begins a session with what was dialled. */
export function beginDialling(
  sessions: readonly Dialling[],
  begun: Pick<Dialling, 'phone' | 'gateway' | 'profile' | 'since'> & { code: string },
  way: Step['way'],
): Dialling[] {
  const { code, ...rest } = begun
  const id = `phone-${crypto.randomUUID().slice(0, 13)}`
  const begunNow = { ...rest, id, endedAt: null, steps: [newStep(code, way)] }
  return [...sessions, begunNow].slice(-kept)
}

export const addAnswer = (of: Dialling, typed: string, way: Step['way']): Dialling => ({
  ...of,
  steps: [...of.steps, newStep(typed, way)],
})

const unanswered = {
  ...{ isLate: false, deliveries: 0, differs: false },
  ...{ status: 0, reply: '', screen: '', carried: '', tookMs: 0 },
}

const newStep = (typed: string, way: Step['way']): Step => ({ typed, way, ...unanswered })

export type Arrived = Pick<Step, 'status' | 'reply' | 'screen' | 'carried' | 'tookMs'>

/** Notes a reply, received or lost; what was held is late from then on. */
export function noteReply(
  of: Dialling,
  index: number,
  { came, now, ...as }: { came: Arrived; now: number } & Pick<Step, 'way' | 'isLate'>,
): Dialling {
  const steps = of.steps.map((step, at): Step => {
    if (at !== index) return step
    const differs = step.differs || (step.deliveries > 0 && step.reply !== came.reply)
    return { ...step, ...came, ...as, differs, deliveries: step.deliveries + 1 }
  })
  const isOver = readScreen({ ...of, steps })?.startsWith('END ') === true
  const intent = of.intent ?? undefined
  return { ...of, intent, steps, endedAt: of.endedAt ?? (isOver ? now : null) }
}
