import { type Address, concat, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { createRandom } from '../../../scripts/dev/random.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { opened } from '../../support/opened.ts'
import { seed } from '../../support/sample.ts'
import { beforeABlock, customer, emit, topic } from './support/anvil-rpc.ts'
import { openWorker } from './support/open.ts'
import { connectSocket, type Json, type SocketClient } from './support/socket-client.ts'

const steps = 60
const listeners = 50

const on = opened(() => openWorker())

test('a listener ends with the right chain after reorganizations', async () => {
  const random = createRandom(seed)
  const pick = (below: number): number => random.int(0, below - 1)
  const { direct, emitter, worker } = on
  await direct('anvil_mine', ['0x14'])
  const start = Number(await direct('eth_blockNumber'))
  const clients: Listener[] = []
  for (let index = 0; index < listeners; index += 1) clients.push(await listen(worker.wsUrl))

  for (let step = 0; step < steps; step += 1) {
    const height = Number(await direct('eth_blockNumber')) - start
    switch (pick(4)) {
      case 0:
        await direct('anvil_mine', [numberToHex(1 + pick(3))])
        break
      case 1:
        if (height > 0) await reorganize(direct, emitter, 1 + pick(Math.min(6, height)), pick)
        break
      default:
        await beforeABlock(direct, async () => {
          for (let count = 1 + pick(3); count > 0; count -= 1) {
            await emit(direct, emitter, BigInt(pick(3)), BigInt(step), BigInt(count))
          }
        })
    }
  }
  await direct('anvil_mine', ['0x2'])

  const latest = (await direct('eth_getBlockByNumber', ['latest', false])) as Json
  const range = { fromBlock: numberToHex(start + 1), toBlock: 'latest' }
  const chain = (await direct('eth_getLogs', [range])) as Json[]
  const hashes: unknown[] = []
  for (let number = start + 1; number <= Number(latest.number); number += 1) {
    const block = await direct('eth_getBlockByNumber', [numberToHex(number), false])
    hashes.push((block as Json).hash)
  }
  for (const { client, heads, logs } of clients) {
    await client.until((told) => told.some(({ result }) => (result as Json).hash === latest.hash))
    // Logs are read after the head is told.
    const names = chain.map(nameOf)
    await client.until(() => foldLogs(client.toldOf(logs)).join() === names.join())
    const why = `seed ${seed}`
    expect(foldHeads(client.toldOf(heads), start), why).toEqual(hashes)
    expect(foldLogs(client.toldOf(logs)), why).toEqual(names)
    client.close()
  }
})

type Listener = { client: SocketClient; heads: string; logs: string }

async function listen(url: string): Promise<Listener> {
  const client = await connectSocket(url)
  const heads = (await client.result('eth_subscribe', ['newHeads'])) as string
  const logs = (await client.result('eth_subscribe', ['logs'])) as string
  return { client, heads, logs }
}

/** Returns the chain of the heads: each replaces what was at its height and above. */
function foldHeads(heads: readonly Json[], start: number): unknown[] {
  const chain: Json[] = []
  for (const head of heads) {
    chain.length = Number(head.number) - start - 1
    const parent = chain.at(-1)
    if (parent !== undefined && parent.hash !== head.parentHash)
      throw new Error('a head is missing')
    chain.push(head)
  }
  return chain.map(({ hash }) => hash)
}

/** Returns the remaining logs in their order; each removal takes back one of them. */
function foldLogs(logs: readonly Json[]): string[] {
  const there: string[] = []
  for (const log of logs) {
    const name = nameOf(log)
    if (log.removed === true) {
      if (there.pop() !== name) throw new Error('a log was taken back that was not the last')
    } else {
      if (there.includes(name)) throw new Error('a log was told twice')
      there.push(name)
    }
  }
  return there
}

function nameOf({ blockHash, logIndex, data, topics }: Json): string {
  return `${blockHash} ${logIndex} ${data} ${topics}`
}

/** Replaces the last blocks by others, with some transactions of its own in them. */
async function reorganize(
  direct: RpcCall,
  emitter: Address,
  depth: number,
  pick: (below: number) => number,
): Promise<void> {
  const transactions = Array.from({ length: pick(3) }, (): [Json, number] => {
    const data = concat([pick(3), pick(100), pick(100)].map((word) => topic(BigInt(word))))
    return [{ from: customer.address, to: emitter, data, gas: '0x186a0' }, pick(depth)]
  })
  await direct('anvil_reorg', [depth, transactions])
}
