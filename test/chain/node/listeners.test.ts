import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { sleep, until } from '../../../scripts/dev/wait.ts'
import { opened } from '../../support/opened.ts'
import { openWorker } from './support/open.ts'
import { residentMiB } from './support/worker-memory.ts'

const listeners = 500
/** For so many minutes a block comes every 2 s; otherwise ten blocks come at once. */
const minutes = Number(process.env.LISTEN_MINUTES ?? 0)
const [blocks, blockMs] = minutes > 0 ? [minutes * 30, 2_000] : [10, 0]

const on = opened(() => openWorker())

/**
 * Listens to heads and says nothing more; counts what it is told, by text that is let go at once.
 */
async function listen() {
  const socket = new WebSocket(on.worker.wsUrl, { perMessageDeflate: false })
  const closings: number[] = []
  const listener = { heads: 0, bytes: 0, closings, end: () => socket.terminate() }
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('close', (code) => closings.push(code))
  const isTaken = new Promise((resolve) => socket.once('message', resolve))
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  await isTaken
  socket.on('message', (data: Buffer) => {
    listener.heads += 1
    listener.bytes += data.length
  })
  return listener
}

test('500 clients of one key that only listen all get each block, stay connected, and use bounded memory', async () => {
  const all = await Promise.all(Array.from({ length: listeners }, listen))
  const closings = () => all.flatMap((listener) => listener.closings)
  const resident = [residentMiB(on.worker.runtimes)]
  const since = performance.now()
  for (let mined = 1; mined <= blocks; mined += 1) {
    await sleep(Math.max(0, since + mined * blockMs - performance.now()))
    await on.direct('anvil_mine', ['0x1'])
    const areTold = () => all.every(({ heads }) => heads === mined)
    await until(() => areTold() || closings().length > 0, { everyMs: 10 })
    expect(closings()).toEqual([])
    resident.push(residentMiB(on.worker.runtimes))
  }
  const [before = 0, highest] = [resident[0], Math.max(...resident)]
  if (minutes > 0) {
    const megabytes = all.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6
    process.stdout.write(
      `${listeners} listeners for ${((performance.now() - since) / 60_000).toFixed(1)} minutes: ` +
        `${blocks} heads each, ${megabytes.toFixed(0)} MB, none closed, ` +
        `${before.toFixed(0)} MiB resident before and ${highest.toFixed(0)} at most\n`,
    )
  }
  expect(on.worker.lines.filter((line) => line.includes('"socket.closed"'))).toEqual([])
  expect(highest - before).toBeLessThan(200)
  for (const { end } of all) end()
})
