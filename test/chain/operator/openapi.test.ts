import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { opened } from '../../support/opened.ts'
import { describedOperations } from './described.ts'
import { authorized, openOperated } from './operating.ts'

const chain = opened(() => startChain())

// `openOperated` compares each request of these tests and its answer with the document.
test('each operator route is documented, and refuses what is no JSON', async () => {
  const deployment = openOperated(chain)
  const routes = deployment.app().routes.filter(({ path }) => /^\/operator\/[^*]/.test(path))
  const served = routes.map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)(\{.+\})?$/, '{$1}')}`,
  )
  expect(served.sort()).toEqual(describedOperations)

  const ask = (path: string, body?: string) =>
    deployment.ask(path, { headers: authorized, ...(body && { method: 'POST', body }) })
  const takesNothing = /pause|resume|agents$|test-alert/
  for (const operation of served) {
    const [method, path = ''] = operation.split(' ')
    if (method === 'GET' || takesNothing.test(path)) continue
    expect([path, (await ask(path, '[')).status]).toEqual([path, 400])
  }
  // No other test asks these.
  expect((await ask('/operator/alerts')).status).toBe(200)
  const exported = await ask('/operator/export?part=0&from=0')
  await deployment.act('pause')
  expect((await ask('/operator/import', JSON.stringify(exported.body))).status).toBe(200)
})
