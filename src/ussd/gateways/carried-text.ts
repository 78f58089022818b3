import type { Secret } from '../../account/keyed-hash.ts'
import { createSeal } from '../../account/seal.ts'
import type { LastAnswer, UssdSession } from './gateway.ts'

/**
 * The text of a session whose gateway sends the last answer alone. Each reply carries all that was typed before it,
 * sealed and bound to its session, and the gateway brings it back with the answer: so an answer belongs to the screen
 * that it was given to. Delivered again it is the same text, however late; typed twice it is two answers. Nothing of it
 * is stored, and no one but this service can make or read it.
 */
export type CarriedText = {
  /** All that was typed. Undefined: what came back was not carried by a reply of this session. */
  read(session: UssdSession, last: LastAnswer | undefined): Promise<string | undefined>
  /** What the reply to this text has to carry. */
  write(session: UssdSession, text: string): Promise<string>
}

export function createCarriedText(secret: Secret): CarriedText {
  const seal = createSeal(secret, 'carried text')
  const about = ({ gateway, sessionId, phone }: UssdSession) =>
    JSON.stringify([gateway, sessionId, phone])

  return {
    async read(session, last) {
      if (last === undefined) return ''
      const before = await seal.open(last.carried, about(session))
      if (before === undefined) return undefined
      return before === '' ? last.input : `${before}*${last.input}`
    },
    write: (session, text) => seal.close(text, about(session)),
  }
}
