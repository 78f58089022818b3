import { Hono } from 'hono'
import { z } from 'zod'
import { defaultQuota, type KeyRecord, type KeyRegistry } from './api-keys.ts'
import { isOperator } from './operator-token.ts'

export type KeyRouteOptions = {
  registry: KeyRegistry
  /** Undefined: no request is allowed. */
  operatorToken: string | undefined
  /** The networks that this deployment serves, the one of keys that name none first. */
  chainIds: readonly number[]
  now: () => number
}

/** What the operator does with keys: `GET /`, `POST /` and `DELETE /<start of the hash>`. */
export function keyRoutes({ registry, operatorToken, chainIds, now }: KeyRouteOptions): Hono {
  const routes = new Hono()
  const newKey = z.object({
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    name: z.string().min(1).max(100),
    chainId: z
      .number()
      .refine((id) => chainIds.includes(id), { error: 'is not served here' })
      .default(chainIds[0] ?? 31),
    quota: z.int().positive().nullable().default(defaultQuota),
    methods: z.array(z.string().max(100)).min(1).max(100).nullable().default(null),
  })

  routes.use('*', async (c, next) => {
    if (await isOperator(c.req.header('authorization'), operatorToken)) return await next()
    return c.json({ error: "the operator's token is needed" }, 401)
  })

  routes.get('/', async (c) => c.json(await registry.list()))

  routes.post('/', async (c) => {
    const parsed = newKey.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) return c.json({ error: z.prettifyError(parsed.error) }, 400)
    const record: KeyRecord = { ...parsed.data, createdAt: now(), revokedAt: null }
    if (await registry.create(record)) return c.json(record, 201)
    return c.json({ error: 'there is such a key already' }, 409)
  })

  routes.delete('/:id{[0-9a-f]{8,64}}', async (c) => {
    const revoked = await registry.revoke(c.req.param('id'))
    return revoked > 0 ? c.json({ revoked }) : c.json({ error: 'there is no such key' }, 404)
  })

  return routes
}
