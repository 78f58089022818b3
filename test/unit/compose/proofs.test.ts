import { expect, test } from 'vitest'
import { assembleProofs } from '../../../src/compose/proofs.ts'
import { createNodeService } from '../../../src/node/service.ts'
import type { WholeLedger } from '../../../src/operator/kept/steps.ts'
import { createProofRoutes } from '../../../src/operator/route.ts'
import type { LogEvent } from '../../../src/runtime/log.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { readRecording } from '../../support/rskj-node/recording.ts'
import { replay } from '../../support/rskj-node/replay.ts'

const recording = readRecording('main-network')
const hash = `${recording.blocks.find(({ transactions }) => transactions.length > 1)?.transactions[0]?.hash}`

/** The route of a relay whose ledger knows these transactions, before a real RSKj's answers. */
function open({ isMined = true, known = [hash], fetch = replay(recording).fetch } = {}) {
  const logged: LogEvent[] = []
  const [asked, looked]: [string[], string[]] = [[], []]
  const clock = createHandClock()
  const shared = { clock, waitUntil: () => {}, log: (event: LogEvent) => void logged.push(event) }
  const service = createNodeService({
    chainId: 31,
    urls: ['http://node/'],
    ...shared,
    mining: isMined ? { minDifficulty: 1n, from: 1 } : undefined,
    fetch: (input, init) => {
      asked.push(`${init?.body}`)
      return fetch(input, init)
    },
  })
  const page: WholeLedger['readPage'] = async (query) => {
    looked.push(`${query.hash}`)
    return { payments: known.filter((one) => one === query.hash) as never, next: undefined }
  }
  const config = { rules: { confirmations: 3 } } as never
  const proofOf = assembleProofs(
    config,
    shared as never,
    { ledger: { readPage: page } } as never,
    service,
  )
  const app = createProofRoutes(proofOf, shared.log)
  const get = async (of: string) => {
    const response = await app.request(`/${of}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { get, asked, looked, logged, clock, app }
}

test("everyone can read the proof of this relay's transactions, made once a minute", async () => {
  const { get, asked, clock } = open()
  const shown = await get(hash.toUpperCase().replace('0X', '0x'))
  expect(shown).toMatchObject({ status: 200, body: { isProved: true } })
  expect(shown.body.headers).toHaveLength(3)
  const count = asked.length
  expect(await get(hash)).toEqual(shown)
  expect(asked).toHaveLength(count)
  clock.forward(61_000)
  expect(await get(hash)).toEqual(shown)
  expect(asked.length).toBeGreaterThan(count)
})

test('other transactions get no proof, and no node is asked', async () => {
  const { get, asked, looked, app } = open({ known: [] })
  expect(await get(hash)).toMatchObject({ status: 404 })
  expect((await app.request('/0x12')).status).toBe(404)
  expect([asked, looked]).toEqual([[], [hash]])
})

test('on a chain without mining it says that nothing is proved', async () => {
  const { get, asked } = open({ isMined: false })
  expect(await get(hash)).toEqual({
    status: 200,
    body: { isProved: false, says: 'nobody mines the blocks of this chain' },
  })
  expect(asked.filter((body) => body.includes('getTransactionReceipt'))).toEqual([])
})

test('too many at a time are refused before the ledger is asked, until the next minute', async () => {
  const { get, looked, clock } = open({ known: [] })
  for (let at = 0; at < 20; at += 1) expect((await get(hash)).status).toBe(404)
  expect(await get(hash)).toMatchObject({ status: 429 })
  expect(looked).toHaveLength(20)
  clock.forward(60_000)
  expect((await get(hash)).status).toBe(404)
})

test('missing node answers are reported in words, and in the log', async () => {
  const { get, logged } = open({ fetch: () => Promise.reject(new Error('http://key@node')) })
  const answer = await get(hash)
  expect(answer).toEqual({
    status: 503,
    body: { error: 'the ledger or the nodes gave no answer: ask again' },
  })
  expect(logged).toContainEqual(expect.objectContaining({ event: 'proof.failed' }))
  expect(JSON.stringify(logged)).not.toContain('key@node')
})
