import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { askChild, endChild } from '../child.ts'
import { cpuDuring } from '../cpu.ts'
import { apiKey } from '../served/chain.ts'
import { median, quantile } from '../statistics.ts'
import type { World } from '../world.ts'

const listeners = { quick: [1, 100], full: [1, 100, 1_000, 5_000] }

const head = z.object({ hash: z.string(), number: z.string() })

/** How long after a block is asked for each of many listeners has its head, and what a head costs a listener. */
export async function measureHeads(world: World): Promise<void> {
  const { chain, figures, isFull, atEnd } = world
  const relay = await world.serveRelay('plain')
  const file = fileURLToPath(new URL('../listen-process.ts', import.meta.url))
  const child = fork(file)
  atEnd(() => endChild(child))
  const targets = {
    service: { url: `${relay.url}/rpc/${apiKey}`, pid: relay.pid, title: 'service' },
    node: { url: chain.url, pid: chain.pid, title: 'node (b)' },
  }
  // From here on blocks are made by hand: nobody measured later waits for one.
  await chain.call('evm_setIntervalMining', [0], z.unknown())
  for (const count of isFull ? listeners.full : listeners.quick) {
    for (const [name, { url, pid, title }] of Object.entries(targets)) {
      await askChild(child, { kind: 'open', url: url.replace(/^http/, 'ws'), listeners: count })
      const rounds: { half: number; last: number; cpuMs: number }[] = []
      for (let block = 0; block < (isFull ? 12 : 5); block += 1) {
        const { result, cpuMs } = await cpuDuring({ own: pid }, () => mineAndHear(world, child))
        // The first is the one that finds everything cold.
        if (block > 0) rounds.push({ ...result, cpuMs: cpuMs.own })
        await askChild(child, { kind: 'speak' })
      }
      await askChild(child, { kind: 'close' })
      const to = `to ${count.toLocaleString('en')} listener${count === 1 ? '' : 's'}: ${title}`
      const key = (what: string) => `heads.${count}.${what}.${name}`
      const add = (what: string, of: string, unit: string, values: number[]) =>
        figures.add(key(what), `${of}, ${to}`, unit, values)
      add(
        'half',
        'a head, until half of them have it',
        'ms',
        rounds.map(({ half }) => half),
      )
      add(
        'last',
        'a head, until the last has it',
        'ms',
        rounds.map(({ last }) => last),
      )
      add(
        'cpu',
        "a head, server's process",
        'ms of CPU',
        rounds.map(({ cpuMs }) => cpuMs),
      )
    }
  }
}

async function mineAndHear({ chain }: World, child: ChildProcess) {
  const askedAt = performance.timeOrigin + performance.now()
  await chain.call('evm_mine', [], z.unknown())
  const { hash } = await chain.call('eth_getBlockByNumber', ['latest', false], head)
  const { at } = z
    .object({ at: z.array(z.number()) })
    .parse(await askChild(child, { kind: 'hear', hash }))
  const ms = at.map((time) => time - askedAt)
  return { half: median(ms), last: quantile(ms, 1) }
}
