import * as z from 'zod/mini'
import type { GatewayDeclaration } from '../../../../src/ussd/gateways/declaration.ts'

/** Lists the numbers whose accounts have money on a new local chain. */
export const demoNumbers = ['+254700000001', '+254700000002', '+254700000003'] as const

/** Describes a dialled session; `text` has the answers so far, joined by `*`. */
export type DialledText = { phone: string; session: string; text: string; code?: string }

/** Has the screen, with CON or END before it, and what returns with the next answer. */
export type GatewayReply = { screen: string; gatewayState: string }

/** Writes requests and reads replies as a gateway does. */
export type GatewayForm = {
  path: string
  contentType: string
  /** Tells that the first request has no answers, so that the answers in a code are dropped. */
  startsEmpty: boolean
  /** Is what callers dial: answers in a code stand behind it. */
  serviceCode: string
  /** Is the declared code that stands before the answers; undefined if none does. */
  dialled?: string | undefined
  write: (dialled: DialledText, gatewayState: string) => string
  /** @throws {Error} the body is no reply to this session */
  parseReply: (body: string, session: string) => GatewayReply
}

/** Creates the form of a gateway from its declaration. */
export type CreateGatewayForm = (
  declaration: GatewayDeclaration,
  serviceCode?: string,
) => GatewayForm

/** Describes what was typed in a session, as it is and as it is shown, with the replies to it. */
type DialledSession = {
  id: string
  phone: string
  steps: readonly { typed: string; shown: string; replies: readonly GatewayReply[] }[]
}

/** Writes the request of a step, with the answers in the code if the gateway passes them on. */
export type WriteRequest = (
  form: GatewayForm,
  session: DialledSession,
  index: number,
  part?: 'typed' | 'shown',
) => string

/** Parses the names of the sessions that the page has dialled, the latest last. */
export const sessionNames = z
  .array(
    z.object({
      /** Is a name that only this page gives, so that it shows no payment of another's session. */
      id: z.string().check(z.regex(/^phone-[0-9a-f]{8}-[0-9a-f]{4}$/)),
      phone: z.string(),
      gateway: z.string(),
      startedAt: z.int(),
    }),
  )
  .check(z.maxLength(8))

export type SessionName = z.infer<typeof sessionNames>[number]

/** Lists the variables that make a relay use its own phone page for messages and prices. */
export const listPhoneVariables = (origin: string, localCurrency: string | undefined) => ({
  SMS_API_KEY: 'stays-on-this-machine',
  SMS_USERNAME: 'phone',
  SMS_URL: `${origin}/phone/sms`,
  ...(localCurrency !== undefined && { RATE_FEED_URL: `${origin}/phone/rate` }),
})
