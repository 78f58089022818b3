import { beforeAll, expect, test } from 'vitest'
import { exchange } from '../../../scripts/dev/rpc.ts'
import { parseMessage } from '../../../src/node/message.ts'
import { opened } from '../../support/opened.ts'
import { createRandomRequests, faultOfResponse } from '../../support/requests.ts'
import { isFull, seed, times } from '../../support/sample.ts'
import { emit, mined } from './support/anvil-rpc.ts'
import { openWorker } from './support/open.ts'
import { connectSocket } from './support/socket-client.ts'
import { livingMiB, residentMiB } from './support/worker-memory.ts'

/** Each run sends a thousand; `npm run test:full` sends 100,000 to the Worker. */
const requests = times({ sampled: 500, full: Number(process.env.FUZZ_REQUESTS ?? 4_000) })
const atOnce = 16
/** Limits a call to twice the 7.5 s after which the service ends it: longer ones hang. */
const slowestMs = 15_000

type Post = (body: string | Uint8Array<ArrayBuffer>, contentType: string) => Promise<Response>

const on = opened(() => openWorker())

beforeAll(async () => {
  for (let count = 0; count < 5; count += 1) {
    await mined(on.direct, await emit(on.direct, on.emitter, BigInt(count), 0n, 0n))
  }
})

/** Counts the answers by status, with the longest time. */
type Seen = { statuses: Record<number, number>; slowestMs: number }

/** Sends so many random requests, several at a time; throws at the first response that is wrong. */
async function sendRandom(
  next: ReturnType<typeof createRandomRequests>,
  count: number,
  post: Post,
): Promise<Seen> {
  const seen: Seen = { statuses: {}, slowestMs: 0 }
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
      seen.statuses[response.status] = (seen.statuses[response.status] ?? 0) + 1
      seen.slowestMs = Math.max(seen.slowestMs, took)
      if (took > slowestMs) throw new Error(`seed ${seed}: ${took} ms for ${body}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, send))
  return seen
}

test('whatever is sent to the Worker gets a valid envelope in time, and its memory stays flat', async () => {
  const next = createRandomRequests(seed)
  const post: Post = (body, contentType) =>
    on.worker.post('', {
      headers: { 'content-type': contentType },
      body,
      signal: AbortSignal.timeout(2 * slowestMs),
    })
  const wake = async (): Promise<void> => {
    await exchange(on.worker.rpcUrl, 'eth_chainId')
  }
  // Heaps of all sizes fill in the first quarter: caches, compiled code, whatever begins once.
  const living: number[] = []
  const resident: number[] = []
  for (let quarter = 1; quarter <= 4; quarter += 1) {
    const since = performance.now()
    const seen = await sendRandom(next, Math.ceil(requests / 4), post)
    const seconds = (performance.now() - since) / 1000
    resident.push(residentMiB(on.worker.runtimes))
    living.push(await livingMiB(on.worker.inspectorUrl ?? '', wake))
    if (isFull) {
      process.stdout.write(
        `seed ${seed}, ${25 * quarter} % of ${requests}: ${seconds.toFixed(0)} s, ` +
          `${JSON.stringify(seen.statuses)}, slowest ${seen.slowestMs.toFixed(0)} ms, ` +
          `${living.at(-1)?.toFixed(1)} MiB live, ${resident.at(-1)?.toFixed(0)} MiB resident\n`,
      )
    }
  }
  const errors = on.worker.lines.filter((line) => line.includes('"error"'))
  expect(errors, `seed ${seed}`).toEqual([])
  const [early = 0, , , late = 0] = living
  expect(late - early, `seed ${seed}, MiB ${living}`).toBeLessThan(4)
  // V8 collects as late as it may, so that a process is as large as its busiest moment asked for.
  // In a long run it has been that large by the half; what leaks goes on growing afterwards.
  const [, half = 0, , end = 0] = resident
  if (requests >= 40_000) {
    expect(end - half, `seed ${seed}, MiB resident ${resident}`).toBeLessThan(64)
  }
})

/** Tells whether a message holds only notifications, which nobody answers (JSON-RPC 2.0, 4.1). */
function isSilent(text: string): boolean {
  const message = parseMessage(text)
  if (message.kind === 'refused') return false
  const requests = message.kind === 'batch' ? message.requests : [message.request]
  return requests.every(({ id }) => id === undefined)
}

test('whatever is sent over a WebSocket gets a valid envelope in time, and the connection stays', async () => {
  const next = createRandomRequests(seed + 1)
  let left = requests
  const send = async (): Promise<void> => {
    const client = await connectSocket(on.worker.wsUrl)
    while (left > 0) {
      left -= 1
      const { body } = next()
      const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
      if (isSilent(text)) {
        client.tell(text)
        continue
      }
      const late = AbortSignal.timeout(slowestMs)
      const answer = await Promise.race([
        client.raw(text),
        client.closed.then(({ code, reason }) => ({ closed: `${code} ${reason}` })),
        new Promise((resolve) =>
          late.addEventListener('abort', () => resolve({ late: slowestMs })),
        ),
      ])
      const fault = faultOfResponse(200, JSON.stringify(answer))
      if (fault === undefined) continue
      throw new Error(`seed ${seed}: ${fault} to ${text}: ${JSON.stringify(answer)}`)
    }
    client.close()
  }
  await Promise.all(Array.from({ length: atOnce / 2 }, send))
  const errors = on.worker.lines.filter((line) => line.includes('"error"'))
  expect(errors, `seed ${seed}`).toEqual([])
})
