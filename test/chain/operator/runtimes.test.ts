import { startDenoRelays } from '../../../scripts/dev/relays/deno-relays.ts'
import { startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { sampleOf } from '../../support/sample.ts'
import { type IncidentWorld, incidents, playIncidents, type Surroundings } from './incidents.ts'

const runtime = process.env.SERVED_BY === 'deno' ? 'Deno' : 'workerd'

/** A minute of Rootstock passes in about two seconds: what waits for blocks waits for as many of them. */
const pace = { BLOCK_SECONDS: '1' }

async function openServed({ chain, variables }: Surroundings): Promise<IncidentWorld> {
  const start = runtime === 'Deno' ? startDenoRelays : startRelayWorkers
  const relay = await start({ workers: 1, variables: { ...variables, ...pace } })
  const rpc = rpcTo(chain.anvil.url)
  return {
    url: () => relay.url,
    restart: (changes) => relay.restart('kept', changes),
    tear: relay.tear,
    forgets: runtime === 'workerd',
    async standStill() {
      const rules = { POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${10n ** 11n}` }
      await relay.restart('kept', rules)
      return async () => {
        await rpc('evm_setNextBlockTimestamp', [Math.floor(Date.now() / 1_000)])
        await rpc('evm_setIntervalMining', [1])
      }
    },
    rounds: (_, holds) =>
      until(async () => {
        await relay.wake().catch(() => undefined)
        return await holds()
      }),
    stop: relay.stop,
  }
}

playIncidents({
  runtime,
  chosen: sampleOf(2, incidents, `incidents on ${runtime}`),
  // An hour ago: to who looks at the clock it stands still.
  chainArgs: ['--timestamp', `${Math.floor(Date.now() / 1_000) - 3_600}`],
  open: openServed,
})
