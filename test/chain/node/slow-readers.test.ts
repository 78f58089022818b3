import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { opened } from '../../support/opened.ts'
import { openWorker } from './support/open.ts'
import { connectSocket } from './support/socket-client.ts'
import { connectStalled, type StalledSocket } from './support/stalled-socket.ts'
import { residentMiB } from './support/worker-memory.ts'

const stalledClients = 8
/** Receive more than one key's clients may leave unread together. */
const listeners = 64
const subscriptionsEach = 100
const blocks = 500

const on = opened(() => openWorker())

test('clients that do not read are closed with a code and use bounded memory, and those that only listen stay', async () => {
  const stalled: StalledSocket[] = []
  for (let index = 0; index < stalledClients; index += 1) {
    const client = await connectStalled(on.worker.wsUrl)
    for (let id = 0; id < subscriptionsEach; id += 1) {
      client.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":["newHeads"]}`)
    }
    stalled.push(client)
  }
  // Reads everything and, as standard clients do, says something now and then.
  const reader = await connectSocket(on.worker.wsUrl)
  await reader.result('eth_subscribe', ['newHeads'])
  const silent = await Promise.all(
    Array.from({ length: listeners }, async () => {
      const client = await connectSocket(on.worker.wsUrl)
      await client.result('eth_subscribe', ['newHeads'])
      return client
    }),
  )
  const told = async (count: number): Promise<void> => {
    const all = reader.notifications.length + count
    await on.direct('anvil_mine', [`0x${count.toString(16)}`])
    // What a runtime does not report is taken as read at 64 characters a ms.
    const paced = setTimeout(count * 10)
    const readers = [reader, ...silent]
    await Promise.all(readers.map(({ until }) => until(({ length }) => length >= all)))
    await paced
  }
  await told(1)
  const before = residentMiB(on.worker.runtimes)

  let highest = before
  for (let mined = 0; mined < blocks; mined += 10) {
    await told(10)
    expect(await reader.result('net_version')).toBe('31')
    highest = Math.max(highest, residentMiB(on.worker.runtimes))
  }

  const closings = on.worker.lines.filter((line) => line.includes('"socket.closed"'))
  expect(closings).toHaveLength(stalledClients)
  expect(reader.notifications).toHaveLength(blocks + 1)
  for (const client of silent) {
    await client.until((notifications) => notifications.length === blocks + 1)
    client.close()
  }
  // All of it would be 8 x 100 x 500 heads of 1.6 KB: some 600 MiB. What is allowed to wait
  // is 64 MiB, and the runtimes keep about as much again that they could free.
  expect(highest - before).toBeLessThan(200)

  const [first] = stalled
  expect(await first?.resume()).toBe(1013)
  for (const client of stalled) client.destroy()
  reader.close()
})
