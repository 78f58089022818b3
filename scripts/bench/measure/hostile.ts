import type { GrantedKey } from '../../../src/keys/api-keys.ts'
import { answerMessage } from '../../../src/node/admission.ts'
import { maxBodyBytes } from '../../../src/node/route.ts'
import { createNodeService } from '../../../src/node/service.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { hostileMessage, hostileValues } from '../../dev/hostile-messages.ts'
import type { World } from '../world.ts'

/** CPU that reading a message may take. Nobody else is answered meanwhile. */
const mostMs = 250

/** The places that are dearest to read. */
const places = ['a parameter', 'a subscription', 'a topic of a filter', 'a transaction'] as const

/** Measures the dearest messages of 2 MB. @throws {Error} reading one takes more CPU than is held */
export async function measureHostile({ figures }: Pick<World, 'figures'>): Promise<void> {
  let worst = { ms: 0, name: '' }
  for (const value of Object.keys(hostileValues)) {
    for (const place of [...places, 'what is hashed']) {
      const requests = place === 'what is hashed' ? 1 : 50
      const plan = { value, place, id: '1.5', requests, cut: false }
      const text = hostileMessage(plan, maxBodyBytes)
      // A collection of what was before may come in between, not each time.
      const ms = Math.min(await cpuMsOf(text), await cpuMsOf(text))
      if (ms > worst.ms) worst = { ms, name: `${value} as ${place}` }
    }
  }
  if (worst.ms > mostMs)
    throw new Error(`${worst.ms} ms of CPU for ${worst.name}: held are ${mostMs}`)
  figures.add('CPU to read the dearest message of 2 MB', 'ms', worst.ms)
}

/** Reads it as the service does, and finds no node. */
async function cpuMsOf(text: string): Promise<number> {
  const common = { clock: systemClock, background: () => {}, log: () => {} }
  const fetch = () => Promise.reject(new TypeError('there is no node'))
  const service = createNodeService({ chainId: 31, urls: ['http://node.test'], fetch, ...common })
  const limits = { methods: undefined, sockets: 1, subscriptions: 1 }
  const key: GrantedKey = {
    ...{ kind: 'granted', hash: '', chainId: 31, ...limits },
    spend: async () => undefined,
  }
  const before = process.cpuUsage()
  await answerMessage(text, {
    ...{ service, ...common, subscriptionsOf: undefined },
    admit: async () => key,
  })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
