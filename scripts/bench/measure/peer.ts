import { toHex } from 'viem'
import { z } from 'zod'
import { sleep } from '../../dev/wait.ts'
import { quantity } from '../../stack/chain/node.ts'
import { readCpuMs } from '../cpu.ts'
import { takeTurns } from '../figures.ts'
import { payRound } from '../payer.ts'
import { openBundler } from '../served/bundler.ts'
import type { World } from '../world.ts'

/** Sets the payments of a turn, all begun at once. */
const together = 128

/** Sets the turns in which each caller pays for the first time, and those that are compared. */
const warmUps = 4
const rounds = 10

/** Gives each time to note what it has done: its CPU belongs to the turn. */
const afterMs = 1_000

const names = ['relay', 'bundler'] as const
const block = z.object({ gasUsed: quantity })

/** Measures the relay and a bundler that answers at the URL, in turn, on one chain. */
export async function measurePeer({ chain, figures, serveRelay }: World, url: string) {
  const { call } = chain
  const bundler = await openBundler(chain, url, together)
  const relay = await serveRelay('plain')
  const payTogether = () => payRound(chain, relay, together, { callers: together })
  const served = { relay: { pid: relay.pid, payTogether }, bundler }
  const checkMarks = await chain.addOldMarks()

  async function turn(name: (typeof names)[number]) {
    const { pid, payTogether } = served[name]
    const before = { cpuMs: readCpuMs(pid), block: await call('eth_blockNumber', [], quantity) }
    const { confirmedPerSecond } = await payTogether()
    await sleep(afterMs)
    const cpuMs = (readCpuMs(pid) - before.cpuMs) / together
    const last = await call('eth_blockNumber', [], quantity)
    // Nobody else sends while it is its turn.
    let gas = 0
    for (let number = before.block + 1; number <= last; number += 1)
      gas += (await call('eth_getBlockByNumber', [toHex(number), false], block)).gasUsed
    return { confirmedPerSecond, msEach: 1000 / confirmedPerSecond, cpuMs, gas: gas / together }
  }

  const warm = await takeTurns(names, warmUps, turn)
  await checkMarks()
  const taken = await takeTurns(names, rounds, turn)
  type Measured = keyof (typeof warm.relay)[0]
  const how = `${together} at once`
  for (const name of names) {
    const add = (what: string, unit: string, of: Measured) =>
      figures.add(`${what}, ${how}: ${name}`, unit, ...taken[name].map((round) => round[of]))
    add('confirmed', 'payments/s', 'confirmedPerSecond')
    add('CPU of the server', 'ms/payment', 'cpuMs')
    add('gas', 'gas/payment', 'gas')
  }
  const first = warm.relay.map(({ gas }) => gas)
  figures.add(`gas, ${how}, each caller's first: relay`, 'gas/payment', ...first)
  const mean = (of: typeof warm.relay, what: Measured) =>
    of.reduce((sum, round) => sum + round[what], 0) / of.length
  const { relay: own, bundler: other } = taken
  const compare = (what: string, ratio: number) =>
    figures.add(`${what}, ${how}: relay against bundler`, 'ratio', ratio)
  compare('confirmed', mean(other, 'msEach') / mean(own, 'msEach'))
  compare('CPU of the server', mean(own, 'cpuMs') / mean(other, 'cpuMs'))
  compare('gas', mean(own, 'gas') / mean(other, 'gas'))
  compare("gas, each caller's first", mean(warm.relay, 'gas') / mean(other, 'gas'))
}
