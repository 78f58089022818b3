import type { Secret } from '../../account/keyed-hash.ts'
import { createSeal } from '../../account/seal.ts'
import type { LastAnswer, UssdSession } from './gateway.ts'

/**
 * Carries the text of a session in its replies, sealed, where the gateway sends the last answer
 * alone: so an answer belongs to its screen, and delivered again is the same. Nothing of it is
 * stored.
 */
export type CarriedText = {
  /** Gives all that was typed; undefined where no reply of this session carried it. */
  read(session: UssdSession, last: LastAnswer | undefined): Promise<string | undefined>
  /** Gives what the reply to this text has to carry. */
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
