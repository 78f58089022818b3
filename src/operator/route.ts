import { Hono } from 'hono'
import type { HealthAnswer } from './answers.ts'

/** `GET /livez`, `/readyz` and `/healthz`. */
export function healthRoutes(health: () => Promise<HealthAnswer>): Hono {
  const routes = new Hono()
  routes.get('/livez', (c) => c.json({ status: 'ok' }))
  for (const path of ['/readyz', '/healthz']) {
    routes.get(path, async (c) => {
      const answer = await health()
      return c.json(answer, answer.status === 'ok' ? 200 : 503)
    })
  }
  return routes
}
