import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, test } from 'vitest'
import { type Anvil, startAnvil } from '../../support/anvil.ts'
import { createRandom } from '../../support/faults/random.ts'
import { anvilRpc, deployEmitter, emit, mined } from './anvil-rpc.ts'
import { createRandomRequests, faultOfResponse } from './random-requests.ts'
import { type RealWorker, startRealWorker } from './real-worker.ts'
import { serve } from './serve.ts'

/** `FUZZ_REQUESTS=100000 npx vitest run --project chain test/chain/node/fuzz.test.ts` for the long run. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 8_000)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const timeMs = 60_000 + requests * 20
const atOnce = 16
const slowestMs = 8_000

type Post = (body: string | Uint8Array<ArrayBuffer>, contentType: string) => Promise<Response>

let anvil: Anvil
let worker: RealWorker

beforeAll(async () => {
  anvil = await startAnvil()
  const direct = anvilRpc(anvil.url)
  const emitter = await deployEmitter(direct)
  for (let count = 0; count < 5; count += 1) {
    await mined(direct, await emit(direct, emitter, BigInt(count), 0n, 0n))
  }
  worker = await startRealWorker([anvil.url])
})

afterAll(async () => {
  await worker.stop()
  await anvil.stop()
})

/** Sends so many random requests, several at a time; throws at the first response that is wrong. */
async function sendRandom(
  next: ReturnType<typeof createRandomRequests>,
  count: number,
  post: Post,
) {
  let left = count
  async function send(): Promise<void> {
    while (left > 0) {
      left -= 1
      const { body, contentType } = next()
      const since = performance.now()
      const response = await post(body, contentType)
      const text = await response.text()
      const fault = faultOfResponse(response.status, text)
      if (fault !== undefined) throw new Error(`seed ${seed}: ${fault} to ${body}: ${text}`)
      const took = performance.now() - since
      if (took > slowestMs) throw new Error(`seed ${seed}: ${took} ms for ${body}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, send))
}

test(
  'whatever is sent to the Worker gets a valid envelope in time, and nothing is a fault of ours',
  async ({ expect }) => {
    const next = createRandomRequests(createRandom(seed))
    await sendRandom(next, 3_000, (body, contentType) =>
      fetch(worker.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body,
        signal: AbortSignal.timeout(2 * slowestMs),
      }),
    )
    const errors = worker.lines.filter((line) => line.includes('"error"'))
    expect(errors, `seed ${seed}`).toEqual([])
  },
  timeMs,
)

test(
  'and what lives in memory after it is what lived there before',
  async ({ expect }) => {
    const next = createRandomRequests(createRandom(seed))
    const served = await serve([anvil.url])
    const post: Post = (body, contentType) => served.post(body, { 'content-type': contentType })
    const part = Math.ceil(requests / 4)
    await sendRandom(next, part, post)
    const before = await livingMiB()
    await sendRandom(next, 3 * part, post)
    const after = await livingMiB()
    expect(after - before, `seed ${seed}, MiB ${before} to ${after}`).toBeLessThan(4)
  },
  timeMs,
)

/** What a collection leaves: a runtime's size says more of its patience than of what is kept. */
async function livingMiB(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed / 1024 ** 2
}
