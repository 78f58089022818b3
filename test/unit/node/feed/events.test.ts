import { describe, expect, test } from 'vitest'
import { TransportError } from '../../../../src/chain/rpc.ts'
import { createFeedEvents } from '../../../../src/node/feed/events.ts'
import type { UpstreamNode } from '../../../../src/node/upstream/node.ts'
import type { NodeSocket } from '../../../../src/node/upstream/socket.ts'

const first = `0x${'1'.repeat(64)}`
const second = `0x${'2'.repeat(64)}`

/** Models a pool in memory with filters; `asked` is called when a question was answered. */
function createModelPool(asked: (method: string) => void) {
  const pool: string[] = []
  const untold = new Map<string, string[]>()
  function answer(method: string, [param]: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_getBlockByNumber':
        return { number: null, hash: null, transactions: [...pool], uncles: [] }
      case 'eth_newPendingTransactionFilter': {
        const id = `0x${untold.size + 1}`
        untold.set(id, [])
        return id
      }
      default:
        return untold.get(`${param}`)?.splice(0)
    }
  }
  const node = {
    name: 'model',
    async call(method: string, params: readonly unknown[]) {
      const answered = answer(method, params)
      asked(method)
      return answered
    },
  } as unknown as UpstreamNode
  return {
    node,
    enter(hash: string): void {
      pool.push(hash)
      for (const hashes of untold.values()) hashes.push(hash)
    },
  }
}

/** Tells a pool's news over a connection that the test opens and ends, and to questions. */
function open(asked: (method: string) => void = () => {}) {
  const pool = createModelPool(asked)
  const connected: { as: number | undefined } = { as: undefined }
  const socket: NodeSocket = {
    connectIfDue: () => {},
    getReportedHead: () => undefined,
    subscribeToPending: () => connected.as,
    takeHashes: () => [],
    closeUnlessNew: () => {},
    close: () => {},
  }
  return { pool, connected, events: createFeedEvents((work) => work(pool.node), socket) }
}

describe('a transaction that enters the pool', () => {
  test.for(['eth_getBlockByNumber', 'eth_newPendingTransactionFilter'])(
    'is reported even between two requests, by a filter: after %s',
    async (moment) => {
      const entering = [first]
      const { pool, events } = open((method) => {
        const hash = method === moment ? entering.pop() : undefined
        if (hash !== undefined) pool.enter(hash)
      })
      expect([...(await events.takePending()), ...(await events.takePending())]).toContain(first)
    },
  )

  test('is read from the pool after each new connection', async () => {
    const { pool, connected, events } = open()
    connected.as = 1
    await events.takePending()
    expect(await events.takePending()).toEqual([])
    // It ends, and another is there at the next look: what entered meanwhile was told to neither.
    pool.enter(second)
    connected.as = 2
    expect(await events.takePending()).toEqual([second])
  })

  test('is read again if the node did not answer after a new connection', async () => {
    let isAway = true
    const { pool, connected, events } = open(() => {
      if (isAway) throw new TransportError('away')
    })
    connected.as = 1
    pool.enter(first)
    await expect(events.takePending()).rejects.toThrow('away')
    isAway = false
    expect(await events.takePending()).toEqual([first])
    expect(await events.takePending()).toEqual([])
  })
})
