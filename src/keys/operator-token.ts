import { hashKey } from './api-keys.ts'

/**
 * Whether an `Authorization` header holds the operator's token: `Bearer <token>`. Without a token no one
 * is the operator. Compared over hashes, so that the time it takes tells nothing of the token.
 */
export async function isOperator(
  authorization: string | undefined,
  token: string | undefined,
): Promise<boolean> {
  const [, given = ''] = authorization?.match(/^Bearer (.+)$/) ?? []
  return token !== undefined && (await hashKey(given)) === (await hashKey(token))
}
