import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, test } from 'vitest'
import { children } from '../../../scripts/stack/process-id.ts'
import { type Anvil, startAnvil } from '../../support/anvil.ts'
import { createRandom } from '../../support/faults/random.ts'
import { anvilRpc, deployEmitter, emit, mined } from './anvil-rpc.ts'
import { createRandomRequests, faultOfResponse } from './random-requests.ts'
import { type RealWorker, startRealWorker } from './real-worker.ts'

/** `FUZZ_REQUESTS=100000 npx vitest run --project chain test/chain/node/fuzz.test.ts` for the long run. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 3_000)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const atOnce = 16
const slowestMs = 8_000

let anvil: Anvil
let worker: RealWorker
let runtimes: number[]

beforeAll(async () => {
  anvil = await startAnvil()
  const direct = anvilRpc(anvil.url)
  const emitter = await deployEmitter(direct)
  for (let count = 0; count < 5; count += 1) {
    await mined(direct, await emit(direct, emitter, BigInt(count), 0n, 0n))
  }
  const before = children().map(({ pid }) => pid)
  worker = await startRealWorker([anvil.url])
  runtimes = children().flatMap(({ pid }) => (before.includes(pid) ? [] : [pid]))
})

afterAll(async () => {
  await worker.stop()
  await anvil.stop()
})

test(
  'whatever is sent gets a valid envelope in time, and memory stays flat',
  async ({ expect }) => {
    const next = createRandomRequests(createRandom(seed))
    const memory: number[] = []
    let left = requests
    async function send(): Promise<void> {
      while (left > 0) {
        left -= 1
        if (left % Math.ceil(requests / 10) === 0) memory.push(residentMiB())
        const { body, contentType } = next()
        const since = performance.now()
        const response = await fetch(worker.rpcUrl, {
          method: 'POST',
          headers: { 'content-type': contentType },
          body,
          signal: AbortSignal.timeout(2 * slowestMs),
        })
        const text = await response.text()
        const fault = faultOfResponse(response.status, text)
        if (fault !== undefined) throw new Error(`seed ${seed}: ${fault} to ${body}: ${text}`)
        const took = performance.now() - since
        if (took > slowestMs) throw new Error(`seed ${seed}: ${took} ms for ${body}`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, send))
    memory.push(residentMiB())
    const half = memory[Math.floor(memory.length / 2)] ?? 0
    const why = `seed ${seed}, MiB ${memory.map(Math.round)}`
    // The runtime's heap grows to its own ease first; after that there is nothing left to grow.
    expect(memory.at(-1) ?? 0, why).toBeLessThan(Math.max(half + 48, 400))
    expect(
      worker.lines.filter((line) => line.includes('"error"')),
      `seed ${seed}`,
    ).toEqual([])
  },
  60_000 + requests * 20,
)

function residentMiB(): number {
  const kilobytes = runtimes.map((pid) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
  )
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}
