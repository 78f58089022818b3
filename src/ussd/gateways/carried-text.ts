import { createSeal, type Secret } from '../../account/secrets.ts'
import type { LastAnswer, UssdSession } from './gateway.ts'

export type CarriedText = ReturnType<typeof createCarriedText>

/** Encrypts the answers of a session for gateways that return a text with the next answer. */
export function createCarriedText(secret: Secret) {
  const seal = createSeal(secret, 'carried text')
  const nameSubject = ({ gateway, sessionId, phone }: UssdSession) =>
    JSON.stringify([gateway, sessionId, phone])

  return {
    /** Returns all answers of a session; undefined if the text is another session's or forged. */
    async read(session: UssdSession, last: LastAnswer | undefined): Promise<string | undefined> {
      if (last === undefined) return ''
      const earlierText = await seal.decrypt(last.carried, nameSubject(session))
      if (earlierText === undefined) return undefined
      return earlierText === '' ? last.input : `${earlierText}*${last.input}`
    },
    write: (session: UssdSession, text: string) => seal.encrypt(text, nameSubject(session)),
  }
}
