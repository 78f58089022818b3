import { parseJson } from '../../../src/runtime/json.ts'
import { gatewayDeclaration } from '../../../src/ussd/gateways/declaration.ts'
import { africasTalking, hubtel } from '../../../src/ussd/gateways/presets.ts'
import { Misused } from '../report.ts'
import type { Dialled } from './dial-script.ts'
import type { GatewayForm } from './page/handset.ts'
import { createGatewayForm } from './page/phone.js'

export type Post = (path: string, headers: Record<string, string>, body: string) => Promise<string>

/** Maps the names of the gateways that every deployment serves to their forms. */
export const gatewayForms = {
  'africas-talking': createGatewayForm(africasTalking.declaration),
  hubtel: createGatewayForm(hubtel.declaration),
}

/** Delivers what was dialled as a gateway does; returns the screen after its CON or END. */
export type PhoneLine = (dialled: Dialled) => Promise<string>

/**
 * Returns the form of a gateway that is always served, or of the one that `GATEWAY` declares.
 * @throws {Misused} neither has this name, or the declaration is wrong
 */
export function findGatewayForm(name: string, declared: string | undefined): GatewayForm {
  const known = Object.entries(gatewayForms).find(([own]) => own === name)?.[1]
  if (known !== undefined) return known
  if (!declared) throw new Misused(`No gateway is called ${name}, and GATEWAY declares none.`)
  const { data, error } = gatewayDeclaration.safeParse(parseJson(declared))
  if (data === undefined) throw new Misused(`GATEWAY is wrong: ${error.issues[0]?.message}`)
  if (data.name !== name) throw new Misused(`GATEWAY declares ${data.name}, and not ${name}.`)
  return createGatewayForm(data)
}

/** Delivers in this gateway's form; sends what was typed before if sessions begin empty. */
export function openPhoneLine(form: GatewayForm, post: Post): PhoneLine {
  const { path, contentType, startsEmpty, write, parseReply } = form
  const gatewayStates = new Map<string, string>()
  return async function deliver(dialled) {
    const { phone, session, text } = dialled
    const keyOf = (answered: string) => JSON.stringify([phone, session, answered])
    const before = text.slice(0, Math.max(0, text.lastIndexOf('*')))
    const isFirst = text === ''
    if (startsEmpty && !isFirst && !gatewayStates.has(keyOf(before))) {
      await deliver({ ...dialled, text: before })
    }
    const request = write(dialled, isFirst ? '' : (gatewayStates.get(keyOf(before)) ?? ''))
    const reply = parseReply(await post(path, { 'content-type': contentType }, request), session)
    gatewayStates.set(keyOf(text), reply.gatewayState)
    return reply.screen
  }
}
