import { hashKey } from '../../keys/api-keys.ts'
import { isSameSecret } from '../../runtime/bearer.ts'
import { type Actor, type Role, roles } from '../schemas/actor.ts'

/** Is an operator of the configuration, which has the hash of a token and never the token. */
export type NamedOperator = Actor & { tokenHash: string }

/** Names in the audit all those who share `OPERATOR_TOKEN`. */
const sharedName = 'operator'

/** Says which names operators may have. */
export const operatorNameRule = `a name is 2 to 20 small letters, digits or -, begins with a letter, and is not "${sharedName}"`

const form = new RegExp(`^([a-z][a-z0-9-]{1,19}):(${roles.join('|')}):([0-9a-f]{64})$`)

/** Parses `NAME:ROLE:HASH`; undefined for another form, or a name that is not free. */
export function parseOperator(text: string): NamedOperator | undefined {
  const [, name, role, tokenHash] = form.exec(text) ?? []
  if (name === undefined || name === sharedName || tokenHash === undefined) return undefined
  return { name, role: role as Role, tokenHash }
}

/** Names an operator for people: of a shared token nobody knows whose hand it was in. */
export const nameOperator = (name: string): string => (name === sharedName ? 'shared token' : name)

/** Lists those who have a token: the named operators, and all who share one. */
export function listOperators(texts: readonly string[], sharedToken?: string): NamedOperator[] {
  const named = texts.flatMap((text) => parseOperator(text) ?? [])
  if (sharedToken === undefined) return named
  return [...named, { name: sharedName, role: 'money', tokenHash: hashKey(sharedToken) }]
}

/**
 * Finds whose token it is. Its SHA-256 is compared with that of all operators, so that timing
 * reveals nothing. A token has 256 random bits: neither a salt nor a slow hash would add anything.
 */
export async function findOperator(
  operators: readonly NamedOperator[],
  token: string,
): Promise<NamedOperator | undefined> {
  if (token === '') return undefined
  const tokenHash = hashKey(token)
  const matches = await Promise.all(
    operators.map((operator) => isSameSecret(tokenHash, operator.tokenHash)),
  )
  return operators[matches.indexOf(true)]
}
