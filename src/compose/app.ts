import { Hono } from 'hono'
import type { DayOfCalls } from '../keys/key-store.ts'
import type { NotedObstacle } from '../relay/ledger/port.ts'
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
  /** What payments were last refused for. */
  obstacle: () => Promise<NotedObstacle | undefined>
  /** What the nodes were asked today, where that is counted. */
  asked: () => DayOfCalls | undefined
  log: Log
}

/** Mounts the parts. What none of them handles ends here, once. */
export function createApp({
  ussd,
  callbackSecret,
  node,
  keys,
  obstacle,
  asked,
  log,
}: AppOptions): App {
  const app = new Hono()
  app.get('/healthz', async (c) => {
    // A service whose ledger is silent is up, and says so.
    const noted = await obstacle().catch(() => undefined)
    const lastRefused = noted && { reason: noted.kind, at: new Date(noted.at).toISOString() }
    return c.json({ status: 'ok', lastRefused, upstreamCallsToday: asked() })
  })
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
  const app = new Hono()
  app.get('/healthz', (c) => c.json({ status: 'misconfigured', faults }, 503))
  app.notFound((c) => c.text('END This service is not in operation.', 503))
  return app
}
