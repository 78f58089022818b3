import type { MiddlewareHandler } from 'hono'
import { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import { parseUniqueJson } from '../runtime/json.ts'
import { defaultQuota, type KeyRecord, type KeyStore } from './api-keys.ts'
import '../runtime/english.ts' // The words of zod's messages, which `prettifyError` shows.

export type KeyRouteOptions = {
  /** Returns a new store for each request, since a Durable Object's failed stub stays broken. */
  store: () => Pick<KeyStore, 'create' | 'list' | 'revoke'>
  /** Lets operators through who may ask, and sets who that is. */
  guard: MiddlewareHandler
  /** Records in the audit what is done to the key of this hash. */
  record: (by: string, action: 'add-key' | 'revoke-key', hash: string) => Promise<void>
  /** Lists this deployment's networks; keys that name none are for the first. */
  chainIds: readonly number[]
  isServed: (method: string) => boolean
  now: () => number
}

/** Serves the operator's keys: `GET /`, `POST /` and `DELETE /<start of the hash>`. */
export function createKeyRoutes(options: KeyRouteOptions): Hono {
  const { store, record, chainIds, isServed, now } = options
  const routes = new Hono()
  const methodName = z
    .string()
    .check(z.maxLength(100), z.refine(isServed, { error: 'is not a method that is served here' }))
  const newKey = z.object({
    hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    name: z.string().check(z.minLength(1), z.maxLength(100)),
    chainId: z._default(
      z.number().check(z.refine((id) => chainIds.includes(id), { error: 'is not served here' })),
      chainIds[0] ?? 31,
    ),
    quota: z._default(z.nullable(z.int().check(z.positive())), defaultQuota),
    methods: z._default(
      z.nullable(z.array(methodName).check(z.minLength(1), z.maxLength(100))),
      null,
    ),
  })

  routes.use('*', options.guard)

  routes.get('/', async (c) => c.json(await store().list()))

  routes.post('/', async (c) => {
    const parsed = newKey.safeParse(parseUniqueJson(await c.req.text()))
    if (!parsed.success) return c.json({ error: z.prettifyError(parsed.error) }, 400)
    const key: KeyRecord = { ...parsed.data, createdAt: now(), revokedAt: null }
    await record(c.get('actor').name, 'add-key', key.hash)
    if (await store().create(key)) return c.json(key, 201)
    return c.json({ error: 'there is such a key already' }, 409)
  })

  routes.delete('/:id{[0-9a-f]{8,64}}', async (c) => {
    const id = c.req.param('id')
    const revoked = await store().revoke(id)
    if (revoked === 0) return c.json({ error: 'there is no such key' }, 404)
    // Afterwards: a ledger that is silent keeps no key valid.
    await record(c.get('actor').name, 'revoke-key', id)
    return c.json({ revoked })
  })

  return routes
}
