import { bytesToHex } from 'viem'
import { createKeyedHash, type Secret } from '../../account/secrets.ts'
import { findOperator, type NamedOperator } from '../../operator/access.ts'
import type { Actor } from '../../operator/schemas/fields.ts'
import { isSameSecret } from '../../runtime/bearer.ts'

const lifetimeMs = 8 * 60 * 60 * 1000

export type ConsoleSession = { csrf: string; actor: Actor }

type SignInOptions = {
  operators: readonly NamedOperator[]
  /** Signs the sessions. The configuration's hashes are no secrets, so they cannot. */
  sessionSecret: Secret
  clock: { now: () => number }
}

/**
 * Creates sessions that are signed over the hash of their operator's token, so that they end with
 * it. What a session may do is what the configuration says now.
 */
export function createSignIns({ operators, sessionSecret, clock }: SignInOptions) {
  const hash = createKeyedHash(sessionSecret)
  const sign = ({ tokenHash }: NamedOperator, ...parts: string[]) =>
    bytesToHex(hash('console', tokenHash, ...parts)).slice(2)
  return {
    lifetimeSeconds: lifetimeMs / 1_000,
    /** Returns the cookie of a new session; undefined if no operator has the token. */
    async begin(token: string): Promise<string | undefined> {
      const operator = findOperator(operators, token)
      if (operator === undefined) return undefined
      const [endsAt, id] = [`${clock.now() + lifetimeMs}`, crypto.randomUUID()]
      return [operator.name, endsAt, id, sign(operator, 'session', endsAt, id)].join('.')
    },
    /** Returns the session of a cookie; undefined if the session has ended or is forged. */
    async read(value: string): Promise<ConsoleSession | undefined> {
      const [name, endsAt = '', id = '', signature = ''] = value.split('.')
      const operator = operators.find((each) => each.name === name)
      if (operator === undefined || Number(endsAt) <= clock.now()) return undefined
      const isValid = isSameSecret(signature, sign(operator, 'session', endsAt, id))
      return isValid ? { csrf: sign(operator, 'csrf', id), actor: operator } : undefined
    },
  }
}
