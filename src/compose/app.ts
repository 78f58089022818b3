import { Hono } from 'hono/tiny'
import { createHealthRoutes } from '../operator/route.ts'
import type { HealthAnswer } from '../operator/schemas/health.ts'
import { doctorAgent } from '../operator/version.ts'
import { isSameSecret, parseBasicPassword, parseBearerToken } from '../runtime/bearer.ts'
import { describeFault, type Log } from '../runtime/log.ts'
import type { RequestCounters } from '../ussd/gateways/request-counters.ts'
import { ConfigError } from './environment.ts'

export type App = Hono

export type AppOptions = {
  /** Serves `/ussd`. If a secret is set, only requests with the secret reach it. */
  ussd: Hono
  callbackSecret: string | undefined
  node: Hono
  keys: Hono
  operator: Hono
  /** Serves the operator's pages; undefined if this process shows none. */
  console: Hono | undefined
  counters: RequestCounters
  log: Log
}

export function createApp(options: AppOptions): App {
  const { ussd, callbackSecret, node, keys, operator, counters, log } = options
  const app = new Hono()
  app.route('/', operator)
  if (options.console) app.route('/console', options.console)
  app.route('/rpc', node)
  app.route('/keys', keys)
  if (callbackSecret !== undefined) {
    app.route(`/${callbackSecret}/ussd`, ussd)
    // Without the secret the answer is 404, so that nobody learns that the route exists.
    app.use('/ussd/*', async (c, next) => {
      const header = c.req.header('authorization')
      const password = parseBearerToken(header) || parseBasicPassword(header)
      return isSameSecret(password, callbackSecret) ? await next() : c.notFound()
    })
  }
  app.route('/ussd', ussd)
  app.notFound((c) => {
    // The doctor asks without a secret, to see that the callback is closed.
    if (c.req.header('user-agent') !== doctorAgent) counters.addUnserved(c.req.path)
    return c.text('Not found\n', 404)
  })
  app.onError((error, c) => {
    log({ level: 'error', event: 'request.failed', message: describeFault(error) })
    return c.text('END Service not available. Please try again later.', 500)
  })
  return app
}

/** Serves the names of bad variables, never their values. @throws any other error */
export function createMisconfiguredApp(error: unknown, log: Log): App {
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
    createHealthRoutes(async () => answer),
  )
  app.notFound((c) => c.text('END This service is not in operation.', 503))
  return app
}
