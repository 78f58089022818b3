import { gasPriceFor, type Relayer } from '../../relay/relayer.ts'
import { execute } from '../../relay/tend/execute.ts'
import type { OutbidAnswer } from '../answers.ts'

export type Outbidden =
  | ({ kind: 'outbid' } & OutbidAnswer)
  /** The ledger has no bytes of this nonce that wait for a block. */
  | { kind: 'not_waiting' }
  /** It would take more than the highest price that the configuration allows. */
  | { kind: 'price_limit' }
  /** Mined a moment ago, or no node takes it at that price. */
  | { kind: 'not_taken' }

const nodeTimeoutMs = 5_000

/**
 * Outbids what was sent for a nonce, before a round would: new bytes of the same requests, recorded over
 * the highest-priced ones that are named. The requests stay as they were signed, so each pays once at most.
 *
 * @throws {TransportError} no node tells the price
 */
export async function outbidNonce(relayer: Relayer, nonce: number): Promise<Outbidden> {
  const { ledger, node, clock } = relayer
  const { nonces } = await ledger.work()
  const open = nonces.find((one) => one.nonce === nonce && one.state === 'recorded')
  const [latest] = open?.transactions ?? []
  if (open === undefined || latest === undefined) return { kind: 'not_waiting' }
  const price = await node.gasPrice(clock.timeout(nodeTimeoutMs))
  if (gasPriceFor(relayer, price, latest.gasPriceWei) === undefined) return { kind: 'price_limit' }
  const { hash, raw, gasPriceWei } = latest
  const transaction = { hash, raw, gasPriceWei }
  await execute(relayer, [
    { kind: 'outbid', nonce, isStuck: true, transaction, gasPriceWei: price },
  ])
  const after = (await ledger.work()).nonces.find((one) => one.nonce === nonce)
  const [newest] = after?.transactions ?? []
  if (newest === undefined || newest.hash === hash) return { kind: 'not_taken' }
  return {
    kind: 'outbid',
    nonce,
    over: hash,
    hash: newest.hash,
    gasPriceWei: `${newest.gasPriceWei}`,
  }
}
