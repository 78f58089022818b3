import { gasPriceFor } from '../relay/relayer.ts'
import { type KnownCondition, readingExpiresMs } from './health.ts'
import { toIso } from './records.ts'

/** Calls a nonce stuck after so many blocks, or so many times the time of outbidding. */
const stuckAfter = 3

/** Returns the first nonce that no block has, where it waits for too long. */
export function findStuckNonce({ vitals, terms }: Pick<KnownCondition, 'vitals' | 'terms'>) {
  const { front, blocks, now } = vitals
  if (front === undefined) return undefined
  const { blockMs, replaceAfterMs } = terms.rules
  const third = (blocks[stuckAfter - 1]?.timestampSeconds ?? 0) * 1_000
  const waitedMs = now - front.since
  // The chain's clock need not agree with the ledger's.
  const isPassed = third > front.since && waitedMs >= blockMs * (stuckAfter - 1)
  return isPassed || waitedMs >= replaceAfterMs * stuckAfter ? front : undefined
}

/** Says why a nonce may be stuck, as far as nodes tell, and what mends that. */
export function describeStuckNonce(known: KnownCondition): string | undefined {
  const stuck = findStuckNonce(known)
  if (stuck === undefined) return undefined
  const { nonce, since, gasPriceWei, failures } = stuck
  const { observations: sight, now } = known.vitals
  const { poolCount, gasPrice } = sight
  const priceWei = BigInt(gasPrice?.wei ?? 0)
  const pool =
    poolCount && poolCount.at > since && now - poolCount.at < readingExpiresMs && poolCount
  const waits = `Nonce ${nonce} waits for a block since ${toIso(since)}`
  const outbid = `outbid it: \`npm run ops -- outbid ${nonce}\``
  const elsewhere = 'name another node in NODE_URL'
  if (priceWei > known.terms.fees.maxWei) {
    return `${waits}: a node asks ${priceWei} wei, above MAX_GAS_PRICE_WEI. Raise that, or wait.`
  }
  if (pool && pool.number <= nonce) {
    const what =
      failures === 0 ? 'accepted its bytes' : `took its bytes in none of the last ${failures} tries`
    return `${waits}: the node ${what}, and says that it does not have them. A higher price does not help: ${elsewhere}.`
  }
  if (gasPriceFor(known.terms, priceWei, BigInt(gasPriceWei)) === undefined) {
    return `${waits} at ${gasPriceWei} wei: it takes more than MAX_GAS_PRICE_WEI to outbid it. Raise that, then ${outbid}.`
  }
  const has = pool ? 'the node has it' : 'it is not known whether the node has it'
  return `${waits} at ${gasPriceWei} wei, and ${has}. It may be priced too low: ${outbid}. Where that does not help, ${elsewhere}.`
}
