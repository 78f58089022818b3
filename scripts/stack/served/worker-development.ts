import type { Hono } from 'hono/tiny'
import { parseConfig } from '../../../src/compose/config.ts'
import { profiles } from '../../../src/compose/environment.ts'
import worker from '../../../src/worker.ts'
import { createPhoneApp } from '../phone/page/route.tsx'

export * from '../../../src/worker.ts'

const apps = new WeakMap<Env, Hono>()

/** Returns the app for an environment, which serves each profile with the same objects. */
function getApp(env: Env): Hono {
  const existing = apps.get(env)
  if (existing !== undefined) return existing
  const environments = Object.fromEntries(
    Object.keys(profiles).map((PROFILE) => [PROFILE, { ...env, PROFILE }]),
  )
  const app = createPhoneApp({
    relay: (request, c, profile) =>
      worker.fetch(request as never, environments[profile ?? ''] ?? env, c.executionCtx as never),
    config: () => parseConfig(env as unknown as Record<string, unknown>),
    profiles: Object.keys(profiles),
  })
  apps.set(env, app)
  return app
}

/** Serves the Worker with a page of a phone that dials it, for local use only. */
export default {
  ...worker,
  fetch: (request, env, context) => getApp(env).fetch(request, env, context),
} satisfies ExportedHandler<Env>
