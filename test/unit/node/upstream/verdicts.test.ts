import { describe, expect, test } from 'vitest'
import { ownExamples } from '../../../../scripts/generate/openrpc.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { type Said, scriptedNode } from '../../../support/fake-node.ts'
import { inTime } from '../../../support/in-time.ts'

const { params, result: hash } = ownExamples.eth_sendRawTransaction
const hosts = ['a.test', 'b.test', 'c.test']

/** Serves three RSKj nodes, each with its own answer to one method; `undefined` is silence. */
function serveThree(method: string, answers: readonly (Said | undefined)[]) {
  const nodes = scriptedNode((call, host) =>
    call.method === method
      ? (answers[hosts.indexOf(host)] ?? new Promise<never>(() => {}))
      : undefined,
  )
  return serve(
    hosts.map((host) => `http://${host}/`),
    31,
    nodes,
  )
}

const refuse = (message: string): Said => ({ error: { code: -32010, message } })
const occupied = refuse('gas price not enough to bump transaction')
const quota = refuse('account exceeds quota')
const taken: Said = { result: hash }

const ordersOf = <Item>([a, b, c]: readonly [Item, Item, Item]): Item[][] => [
  [a, b, c],
  [a, c, b],
  [b, a, c],
  [b, c, a],
  [c, a, b],
  [c, b, a],
]

describe('a transaction', () => {
  test('is taken if one node takes it, in each order, and a silent node delays nobody', async () => {
    for (const order of ordersOf([occupied, taken, undefined])) {
      const served = await serveThree('eth_sendRawTransaction', order)
      const answer = await inTime(500, () => served.rpc('eth_sendRawTransaction', params))
      expect(answer).toMatchObject({ result: hash })
    }
  })

  test('is refused by the same verdict in each order of the nodes', async () => {
    for (const order of ordersOf([quota, occupied, refuse('unheard of')])) {
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
    for (const order of ordersOf(asked)) {
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
