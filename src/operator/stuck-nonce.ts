import { computeGasPrice } from '../relay/relayer.ts'
import { type KnownHealthData, readingExpiresMs } from './health.ts'
import { toIso } from './records.ts'

/** Sets after how many blocks, or multiples of `replaceAfterMs`, a nonce is stuck. */
const stuckMultiple = 3

/** Returns the next nonce of the chain if it has waited too long; undefined otherwise. */
export function findStuckNonce({ vitals, terms }: Pick<KnownHealthData, 'vitals' | 'terms'>) {
  const { front, blocks, now } = vitals
  if (front === undefined) return undefined
  const { blockMs, replaceAfterMs } = terms.rules
  const thirdBlockTime = (blocks[stuckMultiple - 1]?.timestampSeconds ?? 0) * 1_000
  const waitedMs = now - front.since
  // Compares waiting times too, because the chain's clock may differ from the ledger's.
  const isLeftOut = thirdBlockTime > front.since && waitedMs >= blockMs * (stuckMultiple - 1)
  return isLeftOut || waitedMs >= replaceAfterMs * stuckMultiple ? front : undefined
}

/** Describes why a nonce may be stuck, and the remedy; undefined if no nonce is stuck. */
export function describeStuckNonce(healthData: KnownHealthData): string | undefined {
  const stuck = findStuckNonce(healthData)
  if (stuck === undefined) return undefined
  const { nonce, since, gasPriceWei, failures } = stuck
  const { observations, now } = healthData.vitals
  const { poolNonce, gasPriceWei: asked } = observations
  const priceWei = asked?.value ?? 0n
  const poolReading =
    poolNonce && poolNonce.at > since && now - poolNonce.at < readingExpiresMs && poolNonce
  const waitText = `Nonce ${nonce} has waited for a block since ${toIso(since)}`
  const outbidHint = `outbid it: \`npm run ops -- outbid ${nonce}\``
  const otherNodeHint = 'name another node in NODE_URL'
  if (priceWei > healthData.terms.fees.maxWei) {
    return `${waitText}: a node asks ${priceWei} wei, above MAX_GAS_PRICE_WEI. Raise that, or wait.`
  }
  if (poolReading && poolReading.value <= nonce) {
    const answer =
      failures === 0 ? 'accepted it' : `did not accept it in the last ${failures} attempts`
    return `${waitText}: the node ${answer}, and does not have it in its pool. A higher price does not help: ${otherNodeHint}.`
  }
  if (computeGasPrice(healthData.terms, priceWei, BigInt(gasPriceWei)) === undefined) {
    return `${waitText} at ${gasPriceWei} wei: outbidding it costs more than MAX_GAS_PRICE_WEI. Raise that, then ${outbidHint}.`
  }
  const poolText = poolReading
    ? 'the node has it in its pool'
    : 'it is not known whether the node has it'
  return `${waitText} at ${gasPriceWei} wei, and ${poolText}. Its price may be too low: ${outbidHint}. If that does not help, ${otherNodeHint}.`
}
