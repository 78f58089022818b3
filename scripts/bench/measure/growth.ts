import { rmSync } from 'node:fs'
import { createRandom } from '../../dev/random.ts'
import { takeTurns } from '../figures.ts'
import { payRound } from '../payer.ts'
import { addPayments, paymentsEach } from '../served/grown.ts'
import { makeFolder } from '../served/workerd.ts'
import type { World } from '../world.ts'
import { profileRound } from './profile.ts'

/** Payments that each relay has stored before its turns. */
const stored = { few: 1_000, grown: 100_000 }
const names = Object.keys(stored) as (keyof typeof stored)[]

const callerCount = 10_000
const turns = 9
const payments = 192

/** Measures what a payment costs beside many that are stored, none of them old enough to go. */
export async function measureGrowth(world: World): Promise<void> {
  const { figures, onEnd } = world
  const callers = await world.chain.makeCallers(callerCount)
  const random = createRandom(1)
  const chain = { ...world.chain, nextPhone: () => random.pick(callers).phone }
  const accounts = callers.map(({ account }) => account.address)

  async function serveGrown(name: keyof typeof stored) {
    const objects = makeFolder()
    onEnd(() => rmSync(objects, { recursive: true, force: true }))
    const nonces = stored[name] / paymentsEach
    await chain.skipNonces(name, nonces)
    const first = await world.serveRelay(name, { objects })
    await payRound(chain, first, paymentsEach, { callers: 1 })
    await first.stop()
    addPayments(objects, nonces, accounts)
    const relay = await world.serveRelay(name, { objects, how: 'inspected' })
    await payRound(chain, relay, 512, { callers: 64 })
    return relay
  }

  const relays = { few: await serveGrown('few'), grown: await serveGrown('grown') }
  const taken = await takeTurns(names, turns, (name) =>
    profileRound({ ...world, chain }, relays[name], payments),
  )
  const add = (what: string, read: (round: (typeof taken)['few'][number]) => number) => {
    for (const name of names)
      figures.add(`${what}, ${stored[name]} stored`, 'ms/payment', ...taken[name].map(read))
    const ratios = taken.grown.map((round, turn) => {
      const other = taken.few[turn]
      return read(round) / (other === undefined ? 0 : read(other))
    })
    figures.add(`${what}: ${stored.grown} stored against ${stored.few}`, 'ratio', ...ratios)
  }
  add('CPU of the server', ({ cpuMs }) => cpuMs)
  add("the ledger's CPU by profile", ({ cpuMs, shares }) => cpuMs * (shares.ledger ?? 0))
}
