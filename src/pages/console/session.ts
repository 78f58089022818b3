import { bytesToHex, stringToHex } from 'viem'
import { createKeyedHash } from '../../account/keyed-hash.ts'
import { isSameSecret } from '../../runtime/bearer.ts'

const lifetimeMs = 8 * 60 * 60 * 1000

export type ConsoleSession = {
  /** The token that every form must carry. */
  csrf: string
}

/** Creates sessions that are signed with the operator's token, so that a new token ends them. */
export function createSignIns(operatorToken: string, now: () => number) {
  const hash = createKeyedHash(stringToHex(operatorToken))
  const sign = (...parts: string[]) => bytesToHex(hash('console', ...parts)).slice(2)
  return {
    lifetimeSeconds: lifetimeMs / 1_000,
    /** Returns the cookie of a new session; undefined if the token is wrong. */
    async begin(token: string): Promise<string | undefined> {
      if (!(await isSameSecret(token, operatorToken))) return undefined
      const [endsAt, id] = [`${now() + lifetimeMs}`, crypto.randomUUID()]
      return [endsAt, id, sign('session', endsAt, id)].join('.')
    },
    /** Returns the session of a cookie; undefined if the session has ended or is forged. */
    async read(value: string): Promise<ConsoleSession | undefined> {
      const [endsAt = '', id = '', signature = ''] = value.split('.')
      const isValid = await isSameSecret(signature, sign('session', endsAt, id))
      if (!isValid || Number(endsAt) <= now()) return undefined
      return { csrf: sign('csrf', id) }
    },
  }
}
