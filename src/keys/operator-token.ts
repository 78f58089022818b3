import { bearerToken, isSameSecret } from '../runtime/bearer.ts'

/**
 * Whether an `Authorization` header holds the operator's token: `Bearer <token>`. Without a token no one
 * is the operator.
 */
export async function isOperator(
  authorization: string | undefined,
  token: string | undefined,
): Promise<boolean> {
  return token !== undefined && (await isSameSecret(bearerToken(authorization), token))
}
