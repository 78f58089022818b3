import { bytesToHex, stringToHex } from 'viem'
import { createKeyedHash } from '../../account/keyed-hash.ts'
import { isSameSecret } from '../../runtime/bearer.ts'

/** Ends a session so long after it was begun. */
const lifetimeMs = 8 * 60 * 60 * 1000

export type ConsoleSession = {
  /** Holds the CSRF token that every form must carry. */
  csrf: string
}

/** Creates sign-ins; sessions are signed under the operator's token and end when it changes. */
export function createSignIns(operatorToken: string, now: () => number) {
  const hash = createKeyedHash(stringToHex(operatorToken))
  const sign = async (...parts: string[]) => bytesToHex(await hash('console', ...parts)).slice(2)
  return {
    lifetimeSeconds: lifetimeMs / 1_000,
    /** Starts a session if the token is right, and returns the cookie's value. */
    async begin(token: string): Promise<string | undefined> {
      if (!(await isSameSecret(token, operatorToken))) return undefined
      const [endsAt, id] = [`${now() + lifetimeMs}`, crypto.randomUUID()]
      return [endsAt, id, await sign('session', endsAt, id)].join('.')
    },
    /** Returns the session of a cookie; undefined if it has ended or was not signed here. */
    async read(value: string): Promise<ConsoleSession | undefined> {
      const [endsAt = '', id = '', signature = ''] = value.split('.')
      const isOurs = await isSameSecret(signature, await sign('session', endsAt, id))
      if (!isOurs || Number(endsAt) <= now()) return undefined
      return { csrf: await sign('csrf', id) }
    },
  }
}
