import type { Secret } from '../../account/keyed-hash.ts'
import { createSeal } from '../../account/seal.ts'
import type { LastAnswer, UssdSession } from './gateway.ts'

export type CarriedText = ReturnType<typeof createCarriedText>

/** Creates what carries a session's text in its replies, sealed and bound to its screen. */
export function createCarriedText(secret: Secret) {
  const seal = createSeal(secret, 'carried text')
  const about = ({ gateway, sessionId, phone }: UssdSession) =>
    JSON.stringify([gateway, sessionId, phone])

  return {
    async read(session: UssdSession, last: LastAnswer | undefined) {
      if (last === undefined) return ''
      const before = await seal.open(last.carried, about(session))
      if (before === undefined) return undefined
      return before === '' ? last.input : `${before}*${last.input}`
    },
    write: (session: UssdSession, text: string) => seal.close(text, about(session)),
  }
}
