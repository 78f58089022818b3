import { isSameSecret, parseBearerToken } from '../runtime/bearer.ts'

/** Tells whether an `Authorization` header holds the operator's token, if there is one. */
export async function isOperator(
  authorization: string | undefined,
  token: string | undefined,
): Promise<boolean> {
  return token !== undefined && (await isSameSecret(parseBearerToken(authorization), token))
}
