import { Hono } from 'hono'
import { faultOf, type Log } from '../runtime/log.ts'

export type AppParts = {
  /** Under `/ussd`, or under `/<callbackSecret>/ussd` where one is set. */
  ussd: Hono
  callbackSecret: string | undefined
  /** Under `/rpc`. */
  node: Hono
  /** Under `/keys`. */
  keys: Hono
  log: Log
}

/** Mounts the parts. What none of them handles ends here, once. */
export function createApp({ ussd, callbackSecret, node, keys, log }: AppParts): Hono {
  const app = new Hono()
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.route('/rpc', node)
  app.route('/keys', keys)
  app.route(callbackSecret === undefined ? '/ussd' : `/${callbackSecret}/ussd`, ussd)
  app.notFound((c) => c.text('Not found\n', 404))
  app.onError((error, c) => {
    log({ level: 'error', event: 'request.failed', message: faultOf(error) })
    return c.text('END Service not available. Please try again later.', 500)
  })
  return app
}

/** Serves nothing and says which variables are to blame, never what they hold. */
export function misconfiguredApp(faults: readonly { variable: string; reason: string }[]): Hono {
  const app = new Hono()
  app.get('/healthz', (c) => c.json({ status: 'misconfigured', faults }, 503))
  app.notFound((c) => c.text('END This service is not in operation.', 503))
  return app
}
