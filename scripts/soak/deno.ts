import type { Random } from '../dev/random.ts'
import { type DenoRelays, startDenoRelays } from '../dev/relays/deno-relays.ts'
import { sleep } from '../dev/wait.ts'
import type { Served } from './run.ts'

/** Share of the database's calls that meet each kind of fault. */
const rate = 0.002

/** Starts two Deno processes with one Redis, of which one dies now and then and is restarted. */
export function createKilledDenos(random: Random, killEveryMs: number): Served {
  let relays: DenoRelays | undefined
  return {
    async start(options) {
      relays = await startDenoRelays({ ...options, workers: 2, seed: random.int(0, 2 ** 31) })
      for (const kind of ['drop_request', 'drop_reply', 'double', 'html'] as const) {
        relays.bridge.script({ fault: { kind }, rate })
      }
      return relays
    },
    urls: () => relays?.urls ?? [],
    events: [
      {
        name: 'killed',
        everyMs: killEveryMs,
        async run() {
          const victim = random.pick([0, 1])
          await relays?.kill(victim)
          // Some restart before their leases end, others after.
          await sleep(random.next() * killEveryMs * 0.5)
          await relays?.revive(victim)
        },
      },
    ],
    stopFaults: () => relays?.bridge.clear(),
  }
}
