import type { Secret } from '../../account/keyed-hash.ts'
import { createSeal } from '../../account/seal.ts'
import type { LastAnswer, UssdSession } from './gateway.ts'

export type CarriedText = ReturnType<typeof createCarriedText>

/** Creates the encryption of a session's text, which the gateway carries from reply to answer. */
export function createCarriedText(secret: Secret) {
  const seal = createSeal(secret, 'carried text')
  const nameSubject = ({ gateway, sessionId, phone }: UssdSession) =>
    JSON.stringify([gateway, sessionId, phone])

  return {
    /** Returns all answers of a session; undefined if the carried text belongs to another one. */
    async read(session: UssdSession, last: LastAnswer | undefined): Promise<string | undefined> {
      if (last === undefined) return ''
      const before = await seal.decrypt(last.carried, nameSubject(session))
      if (before === undefined) return undefined
      return before === '' ? last.input : `${before}*${last.input}`
    },
    write: (session: UssdSession, text: string) => seal.encrypt(text, nameSubject(session)),
  }
}
