import * as z from 'zod/mini'
import { parseJson } from '../../runtime/json.ts'

/** Describes a dialled session; `text` has the answers so far, joined by `*`. */
export type DialledText = { phone: string; session: string; text: string; code?: string }

export type GatewayReply = {
  /** The screen, with CON or END before it. */
  screen: string
  /** The gateway's state, which returns with the next answer. */
  gatewayState: string
}

/** Writes requests and reads replies as a gateway does. */
export type GatewayForm = {
  path: string
  contentType: string
  /** Tells that the first request has no answers, so that the answers in a code are dropped. */
  startsEmpty: boolean
  /** Is the declared code that stands before the answers; undefined if none does. */
  dialled?: string | undefined
  write: (dialled: DialledText, gatewayState: string) => string
  /** @throws {Error} the body is no reply to this session */
  parseReply: (body: string, session: string) => GatewayReply
}

export const serviceCode = '*384#'

const hubtelReply = z.object({
  SessionId: z.string(),
  Type: z.enum(['response', 'release']),
  Message: z.string(),
  ClientState: z.string(),
})

export const gatewayForms = {
  'africas-talking': {
    path: '/ussd',
    contentType: 'application/x-www-form-urlencoded',
    startsEmpty: false,
    write: ({ phone: phoneNumber, session: sessionId, text }) =>
      `${new URLSearchParams({ sessionId, phoneNumber, text })}`,
    parseReply: (screen) => ({ screen, gatewayState: '' }),
  },
  hubtel: {
    path: '/ussd/hubtel',
    contentType: 'application/json',
    startsEmpty: true,
    write({ phone, session: SessionId, text, code = serviceCode }, ClientState) {
      const isFirst = text === ''
      return JSON.stringify({
        Type: isFirst ? 'initiation' : 'response',
        Mobile: phone.replace('+', ''),
        SessionId,
        ServiceCode: serviceCode,
        Operator: 'mtn',
        Platform: 'USSD',
        Message: isFirst ? code : text.slice(text.lastIndexOf('*') + 1),
        ClientState,
      })
    },
    parseReply(body, session) {
      const { SessionId, Type, Message, ClientState } = hubtelReply.parse(parseJson(body))
      if (SessionId !== session) throw new Error('the reply names another session')
      const kind = Type === 'response' ? 'CON' : 'END'
      return { screen: `${kind} ${Message}`, gatewayState: ClientState }
    },
  },
} satisfies Record<string, GatewayForm>

export type GatewayName = keyof typeof gatewayForms

export const gatewayNames = Object.keys(gatewayForms) as [GatewayName, ...GatewayName[]]
