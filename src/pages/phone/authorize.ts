/** Lists the requests of the page, and whose secret each needs. */
const rules = [
  [/^POST \/ussd(\/|$)/, 'callbackSecret'],
  [/^POST \/operator\/session$/, 'operatorToken'],
  [/^GET \/operator\/payments(\/[^/]+)?$/, 'operatorToken'],
] as const

export type PhoneSecrets = {
  operatorToken: string | undefined
  callbackSecret: string | undefined
}

/**
 * Adds its secret to a request of the page, which knows none. The page sends the header `x-phone`
 * with its profile; a page of another site may not send that header.
 */
export function authorize(request: Request, secrets: PhoneSecrets): Request {
  const line = `${request.method} ${new URL(request.url).pathname}`
  const name = rules.find(([pattern]) => pattern.test(line))?.[1]
  const secret = name && secrets[name]
  if (secret === undefined || !request.headers.has('x-phone')) return request
  const authorized = new Request(request)
  authorized.headers.set('authorization', `Bearer ${secret}`)
  return authorized
}
