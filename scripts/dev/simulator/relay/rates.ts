import { createRates, type Rate } from '../../../../src/loan/local-worth.ts'
import { createRandom } from '../../random.ts'
import { currentActor } from '../actors.ts'
import { localCurrency } from '../lender/product.ts'
import { minuteMs, secondMs } from '../units.ts'
import type { World } from '../world.ts'
import type { Parts } from './programs.ts'

const changesAfterMs = 5 * secondMs
const staleAfterMs = 16 * minuteMs

/** The price of a coin in a feed's answer that is too old: no caller may pay by it. */
export const stalePrice = 3.33

/** Reads the price of a coin, about 1, from a feed that changes, fails or tells an old one. */
export function rateLine({ plan, scheduler, records }: World, { clock, log }: Parts) {
  async function fetch() {
    const now = scheduler.now()
    const random = createRandom(plan.seed, `price ${Math.floor(now / changesAfterMs)}`)
    const kind = random.weighted([
      ['fresh', 8],
      ['stale', 1],
      ['missing', 1],
    ])
    const at = kind === 'stale' ? now - staleAfterMs : now
    const kes = kind === 'stale' ? stalePrice : random.int(83, 129) / 100
    const answer = { coin: { kes, last_updated_at: at / 1_000 } }
    return {
      ok: kind !== 'missing',
      headers: new Headers(),
      text: async () => JSON.stringify(answer),
    }
  }
  const feed = { url: 'http://price.invalid', currency: localCurrency, maxChangePercent: 100 }
  const judge = async () => 'accepted' as const
  return async (): Promise<Rate | undefined> => {
    const { name } = currentActor()
    // Nothing is cached, as in a program that has just begun.
    const rate = await createRates({ feed, judge, fetch: fetch as never, clock, log })()
    records.rates.push({ by: name, micros: rate?.micros })
    return rate
  }
}
