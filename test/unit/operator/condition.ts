import { chains, poolRules } from '../../../src/chain/chains.ts'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import type { HealthData } from '../../../src/operator/health.ts'
import type { Vitals } from '../../../src/operator/kept/steps.ts'
import { mapOpenPhases } from '../../../src/relay/ledger/transitions.ts'

const gwei = 1_000_000_000n
/** Unix time in ms of every condition. */
export const now = 1_700_000_000_000
const terms = { rules: poolRules.rootstock, fees: { maxWei: gwei } }
export const noneOpen: Vitals['oldest'] = mapOpenPhases(() => undefined)

export const subject = {
  chain: chains[31],
  unit: createCoinUnit('tRBTC'),
  relayer: () => '0x1111111111111111111111111111111111111111' as const,
  loan: '0x2222222222222222222222222222222222222222',
  forwarder: '0x3333333333333333333333333333333333333333',
  guards: [],
  nodes: () => [],
} as const

/** Creates a healthy condition with the test's changes. */
export function conditionWith(
  changes: Partial<Vitals> = {},
  observations: Partial<Vitals['observations']> = {},
): HealthData & { vitals: Vitals } {
  const at = now - 20_000
  const vitals: Vitals = {
    ...{ now, schema: '2', identity: { kind: 'same' }, obstacle: undefined, unlistedAt: undefined },
    ...{ rate: undefined, nextNonce: 3, carried: 0, waiting: 0, oldest: noneOpen },
    ...{
      intake: { kind: 'open' },
      lastMinedAt: undefined,
      counts: {},
      gateways: {},
      gatewayFaults: {},
    },
    lately: { hour: { since: now, counts: {} }, today: { since: now, counts: {} } },
    paymentsByHour: [],
    ...{
      missing: [],
      possibleLossAt: undefined,
      ...{ assuredSince: undefined, backedWei: 0n, unkept: undefined },
      alerts: [],
      nextNoticeAt: undefined,
      blocks: [],
      front: undefined,
    },
    observations: {
      roundAt: at,
      head: { number: 9, timestampSeconds: at / 1_000, at, since: at },
      balanceWei: { value: 10n ** 18n, at },
      gasPriceWei: { value: gwei / 10n, at },
      contracts: { state: 'ready', at },
      ...observations,
    },
    ...changes,
  }
  return { vitals, terms, budget: undefined, aheadMs: 0 }
}
