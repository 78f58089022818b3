import { computeGasPrice } from '../relay/relayer.ts'
import { type KnownCondition, readingExpiresMs } from './health.ts'
import { toIso } from './records.ts'

/** Sets after how many blocks, or multiples of `replaceAfterMs`, a nonce is stuck. */
const stuckMultiple = 3

/** Returns the next nonce of the chain if it has waited too long; undefined otherwise. */
export function findStuckNonce({ vitals, terms }: Pick<KnownCondition, 'vitals' | 'terms'>) {
  const { front, blocks, now } = vitals
  if (front === undefined) return undefined
  const { blockMs, replaceAfterMs } = terms.rules
  const thirdBlockTime = (blocks[stuckMultiple - 1]?.timestampSeconds ?? 0) * 1_000
  const waitedMs = now - front.since
  // Compares waiting times too, because the chain's clock may differ from the ledger's.
  const isPassedOver = thirdBlockTime > front.since && waitedMs >= blockMs * (stuckMultiple - 1)
  return isPassedOver || waitedMs >= replaceAfterMs * stuckMultiple ? front : undefined
}

/** Describes why a nonce may be stuck, and the remedy; undefined if no nonce is stuck. */
export function describeStuckNonce(condition: KnownCondition): string | undefined {
  const stuck = findStuckNonce(condition)
  if (stuck === undefined) return undefined
  const { nonce, since, gasPriceWei, failures } = stuck
  const { observations, now } = condition.vitals
  const { poolCount, gasPrice } = observations
  const priceWei = BigInt(gasPrice?.wei ?? 0)
  const pool =
    poolCount && poolCount.at > since && now - poolCount.at < readingExpiresMs && poolCount
  const waiting = `Nonce ${nonce} has waited for a block since ${toIso(since)}`
  const outbid = `outbid it: \`npm run ops -- outbid ${nonce}\``
  const elsewhere = 'name another node in NODE_URL'
  if (priceWei > condition.terms.fees.maxWei) {
    return `${waiting}: a node asks ${priceWei} wei, above MAX_GAS_PRICE_WEI. Raise that, or wait.`
  }
  if (pool && pool.number <= nonce) {
    const answer =
      failures === 0 ? 'accepted it' : `did not accept it in the last ${failures} attempts`
    return `${waiting}: the node ${answer}, and does not have it in its pool. A higher price does not help: ${elsewhere}.`
  }
  if (computeGasPrice(condition.terms, priceWei, BigInt(gasPriceWei)) === undefined) {
    return `${waiting} at ${gasPriceWei} wei: outbidding it costs more than MAX_GAS_PRICE_WEI. Raise that, then ${outbid}.`
  }
  const place = pool ? 'the node has it in its pool' : 'it is not known whether the node has it'
  return `${waiting} at ${gasPriceWei} wei, and ${place}. Its price may be too low: ${outbid}. If that does not help, ${elsewhere}.`
}
