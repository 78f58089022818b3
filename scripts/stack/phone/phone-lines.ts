import { type GatewayName, gatewayForms } from '../../../src/pages/phone/gateway-forms.ts'
import type { Dialled } from './dial-script.ts'

export type Post = (path: string, headers: Record<string, string>, body: string) => Promise<string>

/** Delivers what was dialled as a gateway does. What comes back is the screen after its CON or END. */
export type PhoneLine = (dialled: Dialled) => Promise<string>

/** Delivers in this gateway's form; where a session begins empty, what was typed before is sent first. */
export function openPhoneLine(gateway: GatewayName, post: Post): PhoneLine {
  const { path, contentType, beginsEmpty, write, read } = gatewayForms[gateway]
  const carried = new Map<string, string>()
  return async function deliver(dialled) {
    const { phone, session, text } = dialled
    const keyOf = (answered: string) => JSON.stringify([phone, session, answered])
    const before = text.slice(0, Math.max(0, text.lastIndexOf('*')))
    const isFirst = text === ''
    if (beginsEmpty && !isFirst && !carried.has(keyOf(before))) {
      await deliver({ ...dialled, text: before })
    }
    const request = write(dialled, isFirst ? '' : (carried.get(keyOf(before)) ?? ''))
    const reply = read(await post(path, { 'content-type': contentType }, request), session)
    carried.set(keyOf(text), reply.carried)
    return reply.screen
  }
}
