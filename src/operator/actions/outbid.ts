import { gasPriceFor, type Relayer } from '../../relay/relayer.ts'
import { execute } from '../../relay/tend/execute.ts'
import type { ToldOf } from '../answers.ts'
import type { RefusedRequest } from './caller.ts'

const nodeTimeoutMs = 5_000

/** Outbids a nonce before a round would; its requests stay. @throws {TransportError} no price */
export async function outbidNonce(
  relayer: Relayer,
  nonce: number,
): Promise<ToldOf<'outbid'> | RefusedRequest> {
  const { ledger, node, clock } = relayer
  const { nonces } = await ledger.work()
  const open = nonces.find((one) => one.nonce === nonce)
  const [latest] = open?.transactions ?? []
  if (open === undefined || latest === undefined) {
    return { status: 404, error: 'no transaction of this nonce waits for a block' }
  }
  const price = await node.gasPrice(clock.timeout(nodeTimeoutMs))
  if (gasPriceFor(relayer, price, latest.gasPriceWei) === undefined) {
    return { status: 409, error: 'it would take more than MAX_GAS_PRICE_WEI' }
  }
  const { hash: over, raw, gasPriceWei } = latest
  const transaction = { hash: over, raw, gasPriceWei }
  await execute(relayer, [
    { kind: 'outbid', nonce, isStuck: true, transaction, gasPriceWei: price },
  ])
  const after = (await ledger.work()).nonces.find((one) => one.nonce === nonce)
  const [newest] = after?.transactions ?? []
  if (newest === undefined || newest.hash === over) {
    return { status: 409, error: 'it was mined meanwhile, or no node takes it' }
  }
  return { nonce, over, hash: newest.hash, gasPriceWei: `${newest.gasPriceWei}` }
}
