import { z } from 'zod'
import type { Dialled } from './dial-script.ts'

export type Post = (path: string, headers: Record<string, string>, body: string) => Promise<string>

/** Delivers what was dialled as a gateway does. What comes back is the screen after its CON or END. */
export type PhoneLine = (dialled: Dialled) => Promise<string>

export const phoneLines = {
  'africas-talking': (post: Post) => async (dialled: Dialled) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const { phone: phoneNumber, session: sessionId, text } = dialled
    return post('/ussd', form, `${new URLSearchParams({ sessionId, phoneNumber, text })}`)
  },
  hubtel: hubtelLine,
} satisfies Record<string, (post: Post) => PhoneLine>

export type GatewayName = keyof typeof phoneLines

export const gatewayNames = Object.keys(phoneLines) as GatewayName[]

const hubtelReply = z.object({
  SessionId: z.string(),
  Type: z.enum(['response', 'release']),
  Message: z.string(),
  ClientState: z.string(),
})

/** Sends the last answer alone, with what came with the reply before it; what was typed before that is sent first. */
function hubtelLine(post: Post): PhoneLine {
  const carried = new Map<string, string>()
  return async function deliver({ phone, session, text }) {
    const keyOf = (answered: string) => JSON.stringify([phone, session, answered])
    const cut = text.lastIndexOf('*')
    const before = cut === -1 ? '' : text.slice(0, cut)
    const isFirst = text === ''
    if (!isFirst && !carried.has(keyOf(before))) await deliver({ phone, session, text: before })
    const request = {
      ...{ Type: isFirst ? 'initiation' : 'response', Mobile: phone.replace('+', '') },
      ...{ SessionId: session, ServiceCode: '*384#', Operator: 'mtn', Platform: 'USSD' },
      Message: isFirst ? '*384#' : text.slice(cut + 1),
      ClientState: isFirst ? '' : (carried.get(keyOf(before)) ?? ''),
    }
    const json = { 'content-type': 'application/json' }
    const body = await post('/ussd/hubtel', json, JSON.stringify(request))
    const { SessionId, Type, Message, ClientState } = hubtelReply.parse(JSON.parse(body))
    if (SessionId !== session) throw new Error('the reply names another session')
    carried.set(keyOf(text), ClientState)
    return `${Type === 'response' ? 'CON' : 'END'} ${Message}`
  }
}
