import * as z from 'zod/mini'
import { parseJson } from '../../runtime/json.ts'

/** What a phone has dialled and typed so far; `text` has the answers, joined by `*`. */
export type Dialled = { phone: string; session: string; text: string; code?: string }

export type GatewayReply = {
  /** Holds the screen, without its CON or END. */
  screen: string
  /** Holds the state that comes back with the next answer. */
  carried: string
}

/** Tells how a gateway asks for a screen. */
export type GatewayForm = {
  path: string
  contentType: string
  /** Tells that the first request carries no answers, so that a code's suffix is not sent. */
  beginsEmpty: boolean
  write: (dialled: Dialled, carried: string) => string
  /** @throws {Error} it is no reply to this session */
  read: (body: string, session: string) => GatewayReply
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
    beginsEmpty: false,
    write: ({ phone: phoneNumber, session: sessionId, text }) =>
      `${new URLSearchParams({ sessionId, phoneNumber, text })}`,
    read: (screen) => ({ screen, carried: '' }),
  },
  hubtel: {
    path: '/ussd/hubtel',
    contentType: 'application/json',
    beginsEmpty: true,
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
    read(body, session) {
      const { SessionId, Type, Message, ClientState } = hubtelReply.parse(parseJson(body))
      if (SessionId !== session) throw new Error('the reply names another session')
      return { screen: `${Type === 'response' ? 'CON' : 'END'} ${Message}`, carried: ClientState }
    },
  },
} satisfies Record<string, GatewayForm>

export type GatewayName = keyof typeof gatewayForms

export const gatewayNames = Object.keys(gatewayForms) as [GatewayName, ...GatewayName[]]
