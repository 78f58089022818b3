import { type Hex, keccak256, toRlp } from 'viem'
import { createScheduler } from '../../../../scripts/dev/simulator/scheduler.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'

const word = (digit: string): Hex => `0x${digit.repeat(64)}`

const blank = {
  sha3Uncles: word('1'),
  miner: `0x${'2'.repeat(40)}`,
  stateRoot: word('3'),
  transactionsRoot: word('4'),
  receiptsRoot: word('5'),
  logsBloom: `0x${'0'.repeat(512)}`,
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  gasUsed: '0x1',
  extraData: '0x',
  mixHash: word('6'),
  nonce: `0x${'7'.repeat(16)}`,
} as const

/** The order of a header's fields (yellow paper); the last of them are no numbers. */
const order = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot'],
  ...['logsBloom', 'difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'],
  ...['extraData', 'mixHash', 'nonce'],
]

const hex = (value: number): Hex => `0x${value.toString(16)}`

/** A number without a leading zero of half a byte, as RLP wants it. */
const even = (value: string): Hex =>
  `0x${value.length % 2 === 0 ? value.slice(2) : `0${value.slice(2)}`}`

function makeBlock(number: number, parentHash: Hex, madeAt: number) {
  const timestamp = hex(Math.floor(madeAt / 1_000))
  const fields = { ...blank, number: hex(number), parentHash, timestamp }
  const hash = keccak256(toRlp(order.map((name) => even(`${fields[name as keyof typeof fields]}`))))
  return { ...fields, hash, size: '0x1', uncles: [], transactions: [] as Hex[] }
}

/** Models a node in its own time, with blocks as told, which counts its calls. */
export function createModelNode({ earlier = [] as readonly number[], serves = true } = {}) {
  const scheduler = createScheduler(Date.UTC(2026, 0, 5))
  const blocks: ReturnType<typeof makeBlock>[] = []
  const sockets = new Set<ModelSocket>()
  const asked = new Map<string, number>()
  const upgradesAt: number[] = []
  /** Tells whether open connections still send events. */
  const state = { tells: true }

  function mine(madeAt = scheduler.now()): void {
    const block = makeBlock(blocks.length, blocks.at(-1)?.hash ?? word('0'), madeAt)
    blocks.push(block)
    if (state.tells) for (const socket of sockets) socket.tell('newHeads', block)
  }

  function count(method: string): void {
    asked.set(method, (asked.get(method) ?? 0) + 1)
  }

  function answer(method: string, [selector]: readonly unknown[]): unknown {
    count(method)
    if (method === 'eth_chainId') return '0x1f'
    if (method === 'web3_clientVersion') return 'model'
    if (method === 'eth_newPendingTransactionFilter') return '0x1'
    if (method === 'eth_getFilterChanges') return []
    if (selector === 'latest') return blocks.at(-1)
    if (selector === 'pending') return { ...blocks.at(-1), number: null, hash: null }
    return blocks.find(({ number, hash }) => number === selector || hash === selector) ?? null
  }

  class ModelSocket extends EventTarget {
    readonly #subscribed = new Set<string>()

    constructor() {
      super()
      upgradesAt.push(scheduler.now())
      scheduler.at(scheduler.now() + 50, () => {
        if (serves) sockets.add(this)
        this.dispatchEvent(new Event(serves ? 'open' : 'error'))
      })
    }

    send(text: string): void {
      const { id, params } = JSON.parse(text)
      count('eth_subscribe')
      this.#subscribed.add(params[0])
      this.#say({ id, result: '0x1' })
    }

    tell(type: string, result: unknown): void {
      if (this.#subscribed.has(type)) this.#say({ method: 'eth_subscription', params: { result } })
    }

    close(): void {
      sockets.delete(this)
    }

    #say(message: object): void {
      scheduler.at(scheduler.now() + 50, () =>
        this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) })),
      )
    }
  }

  const clock: Clock = {
    now: scheduler.now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const cancel = scheduler.at(scheduler.now() + ms, resolve)
        signal?.addEventListener('abort', () => {
          cancel()
          resolve()
        })
      }),
    timeout: (ms) => {
      const limit = new AbortController()
      scheduler.at(scheduler.now() + ms, () => limit.abort(), 'quiet')
      return limit.signal
    },
  }

  for (const beforeMs of earlier) mine(scheduler.now() - beforeMs)

  return {
    clock,
    scheduler,
    blocks,
    mine,
    state,
    asked,
    upgradesAt,
    /** Counts its calls, over HTTP or a connection. */
    calls: () => [...asked.values()].reduce((sum, times) => sum + times, 0),
    Socket: ModelSocket as unknown as typeof WebSocket,
    fetch: (async (_: unknown, init?: RequestInit) => {
      const said = [JSON.parse(`${init?.body}`)].flat().map(({ id, method, params }) => {
        return { jsonrpc: '2.0', id, result: answer(method, params) }
      })
      const isBatch = `${init?.body}`.startsWith('[')
      const text = JSON.stringify(isBatch ? said : said[0])
      // As bare as it gets: a real one takes turns of the event loop, in which no time passes here.
      return { ok: true, status: 200, headers: new Headers(), text: async () => text }
    }) as unknown as typeof fetch,
  }
}
