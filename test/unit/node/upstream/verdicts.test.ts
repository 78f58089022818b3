import { describe, expect, test } from 'vitest'
import { until } from '../../../../scripts/dev/wait.ts'
import { ownExamples } from '../../../../scripts/generate/openrpc.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { error, type Said, scriptedNode } from '../../../support/fake-node.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { inTime } from '../../../support/in-time.ts'
import { listPermutations } from '../../../support/sample.ts'

const { params, result: hash } = ownExamples.eth_sendRawTransaction
const hosts = ['a.test', 'b.test', 'c.test']

/** Serves three RSKj nodes, each with its own answer to one method; `undefined` is silence. */
async function serveThree(
  method: string,
  answers: readonly (Said | undefined)[],
  ...clock: Parameters<typeof serve>[3][]
) {
  const asked: string[] = []
  const nodes = scriptedNode((call, host) => {
    if (call.method !== method) return undefined
    asked.push(host)
    return answers[hosts.indexOf(host)] ?? new Promise<never>(() => {})
  })
  const urls = hosts.map((host) => `http://${host}/`)
  return { ...(await serve(urls, 31, nodes, ...clock)), asked }
}

const refuse = (message: string): Said => ({ error: { code: -32010, message } })
const occupied = refuse('gas price not enough to bump transaction')
const quota = refuse('account exceeds quota')
const taken: Said = { result: hash }

describe('a transaction', () => {
  const method = 'eth_sendRawTransaction'
  const maybeSent = error(-32011, 'no node gave an answer: the transaction may have been sent')

  test('goes to every node, also where one knows it already', async () => {
    const known = refuse('transaction already imported')
    const { rpc, asked } = await serveThree(method, [known, taken, occupied])
    expect(await rpc(method, params)).toMatchObject({ result: hash })
    await until(() => asked.length === hosts.length)
    expect(asked.toSorted()).toEqual(hosts)
  })

  test('may have been sent when a node answers the hash of another, which is held against no node', async () => {
    const other = { result: `0x${'ab'.repeat(32)}` }
    for (const [rest, answer] of [
      [quota, maybeSent],
      [taken, { result: hash }],
    ] as const) {
      const { rpc, logged } = await serveThree(method, [other, rest, rest])
      expect(await rpc(method, params)).toMatchObject(answer)
      expect(logged.map(({ event }) => event)).not.toContain('node.distrusted')
    }
  })

  test('may have been sent when one node did not answer', async () => {
    const { rpc } = await serveThree(method, [quota, undefined, quota], createHandClock(0.1))
    expect(await rpc(method, params)).toMatchObject(maybeSent)
  })

  test('is taken if one node takes it, in each order, and a silent node delays nobody', async () => {
    for (const order of listPermutations([occupied, taken, undefined])) {
      const served = await serveThree('eth_sendRawTransaction', order)
      const answer = await inTime(500, () => served.rpc('eth_sendRawTransaction', params))
      expect(answer).toMatchObject({ result: hash })
    }
  })

  test('is refused by the same verdict in each order of the nodes', async () => {
    for (const order of listPermutations([quota, occupied, refuse('unheard of')])) {
      const served = await serveThree('eth_sendRawTransaction', order)
      expect(await served.rpc('eth_sendRawTransaction', params)).toMatchObject(occupied)
    }
  })
})

test('a gas price is the highest that a majority of nodes ask, in each order', async () => {
  for (const [asked, price] of [
    [['0x64', '0x6e', '0xffffff'], '0x6e'],
    [['0x0', '0x64', '0x6e'], '0x64'],
  ] as const) {
    for (const order of listPermutations(asked)) {
      const served = await serveThree(
        'eth_gasPrice',
        order.map((result) => ({ result })),
      )
      expect(await served.rpc('eth_gasPrice')).toMatchObject({ result: price })
    }
  }
  const served = await serveThree('eth_gasPrice', [
    { result: '0x64' },
    undefined,
    { result: '0x6e' },
  ])
  expect(await inTime(1_000, () => served.rpc('eth_gasPrice'))).toMatchObject({ result: '0x64' })
})
