import { Hono } from 'hono'
import type { HealthAnswer } from '../operator/answers.ts'
import { healthRoutes } from '../operator/route.ts'
import { bearerToken, isSameSecret } from '../runtime/bearer.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import { ConfigError } from './config.ts'

/** What answers every request of a runtime. */
export type App = Hono

export type AppOptions = {
  /** Under `/ussd`; where a secret is set, for requests alone that hold it in their path or a header. */
  ussd: Hono
  callbackSecret: string | undefined
  /** Under `/rpc`. */
  node: Hono
  /** Under `/keys`. */
  keys: Hono
  /** `/livez`, `/readyz`, `/healthz`, `/metrics` and `/operator/*`. */
  operator: Hono
  log: Log
}

/** Mounts the parts. What none of them handles ends here, once. */
export function createApp({ ussd, callbackSecret, node, keys, operator, log }: AppOptions): App {
  const app = new Hono()
  app.route('/', operator)
  app.route('/rpc', node)
  app.route('/keys', keys)
  if (callbackSecret !== undefined) {
    app.route(`/${callbackSecret}/ussd`, ussd)
    // To all who do not send the secret, nothing is here.
    app.use('/ussd/*', async (c, next) => {
      const given = bearerToken(c.req.header('authorization'))
      return (await isSameSecret(given, callbackSecret)) ? await next() : c.notFound()
    })
  }
  app.route('/ussd', ussd)
  app.notFound((c) => c.text('Not found\n', 404))
  app.onError((error, c) => {
    log({ level: 'error', event: 'request.failed', message: faultOf(error) })
    return c.text('END Service not available. Please try again later.', 500)
  })
  return app
}

/**
 * What serves where a configuration is bad: it names the variables that are to blame, never what they
 * hold. Any other error is thrown again.
 */
export function misconfiguredApp(error: unknown, log: Log): App {
  if (!(error instanceof ConfigError)) throw error
  const { faults, message } = error
  log({ level: 'error', event: 'config.bad', message })
  const answer: HealthAnswer = {
    status: 'misconfigured',
    failing: ['configuration'],
    faults: [...faults],
  }
  const app = new Hono()
  app.route(
    '/',
    healthRoutes(async () => answer),
  )
  app.notFound((c) => c.text('END This service is not in operation.', 503))
  return app
}
