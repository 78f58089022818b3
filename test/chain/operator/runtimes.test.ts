import { expect, test } from 'vitest'
import { startDenoRelays } from '../../../scripts/dev/relays/deno-relays.ts'
import { startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { sampleOf } from '../../support/sample.ts'
import { type SmsServer, startSmsServer } from '../../support/sms-server.ts'
import { type IncidentWorld, incidents, playIncidents, type Surroundings } from './incidents.ts'
import { token } from './operating.ts'

const runtime = process.env.SERVED_BY === 'deno' ? 'Deno' : 'workerd'

/** A minute of Rootstock passes in about two seconds: what waits for blocks waits for as many of them. */
const pace = { BLOCK_SECONDS: '1' }

let provider: SmsServer

async function openServed({ chain, variables }: Surroundings): Promise<IncidentWorld> {
  provider = await startSmsServer()
  const { apiKey, username } = provider.account
  const sms = { SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_URL: provider.url }
  const start = runtime === 'Deno' ? startDenoRelays : startRelayWorkers
  const relay = await start({ workers: 1, variables: { ...variables, ...sms, ...pace } })
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
    stop: () => Promise.all([relay.stop(), provider.close()]),
  }
}

playIncidents({
  runtime,
  chosen: sampleOf(2, incidents, `incidents on ${runtime}`),
  // An hour ago: to who looks at the clock it stands still.
  chainArgs: ['--timestamp', `${Math.floor(Date.now() / 1_000) - 3_600}`],
  open: openServed,
  besides(world) {
    test(`a message on ${runtime} reaches its phone once, after the round that finds the outcome final`, async () => {
      const { url, rounds } = world()
      const phone = '+254700000002'
      const form = { phoneNumber: phone, sessionId: 'message', text: '3' }
      const dialled = { method: 'POST', body: new URLSearchParams(form) }
      const answer = await fetch(`${url()}/ussd`, dialled)
      expect(await answer.text()).toMatch(/^END Loan Requested\n/)
      await rounds(2, async () => provider.asked.length > 0)
      const sent = 'relay_sms_total{fate="sent"} 1\n'
      const headers = { authorization: `Bearer ${token}` }
      await rounds(2, async () =>
        (await (await fetch(`${url()}/metrics`, { headers })).text()).includes(sent),
      )
      const text = 'Your account was credited with your loan of 0.01 tRBTC.'
      expect(provider.asked).toEqual([{ to: phone, text, from: null }])
    })
  },
})
