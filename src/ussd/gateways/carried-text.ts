import type { Secret } from '../../account/keyed-hash.ts'
import { createSeal } from '../../account/seal.ts'
import type { LastAnswer, UssdSession } from './gateway.ts'

export type CarriedText = ReturnType<typeof createCarriedText>

/**
 * Carries a session's text in its replies, sealed, where the gateway sends the last answer alone: an answer
 * belongs to its screen, and delivered again is the same. Nothing of it is stored.
 */
export function createCarriedText(secret: Secret) {
  const seal = createSeal(secret, 'carried text')
  const about = ({ gateway, sessionId, phone }: UssdSession) =>
    JSON.stringify([gateway, sessionId, phone])

  return {
    /** Gives all that was typed; undefined where no reply of this session carried it. */
    async read(session: UssdSession, last: LastAnswer | undefined) {
      if (last === undefined) return ''
      const before = await seal.open(last.carried, about(session))
      if (before === undefined) return undefined
      return before === '' ? last.input : `${before}*${last.input}`
    },
    /** Gives what the reply to this text has to carry. */
    write: (session: UssdSession, text: string) => seal.close(text, about(session)),
  }
}
