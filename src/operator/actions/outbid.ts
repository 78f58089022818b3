import { computeGasPrice, type Relayer } from '../../relay/relayer.ts'
import { execute } from '../../relay/rounds/execute.ts'
import { refuseRequest } from './caller.ts'

const nodeTimeoutMs = 5_000

/**
 * Replaces a nonce's transaction at a higher price, before a round would.
 * @throws {TransportError} no node answers the gas price
 */
export async function outbidNonce(relayer: Relayer, nonce: number) {
  const { ledger, node, clock } = relayer
  const { nonces } = await ledger.readWork()
  const open = nonces.find((each) => each.nonce === nonce)
  const [replaced] = open?.transactions ?? []
  if (open === undefined || replaced === undefined) {
    return refuseRequest(404, 'no transaction of this nonce waits for a block')
  }
  const price = await node.getGasPrice(clock.timeout(nodeTimeoutMs))
  if (computeGasPrice(relayer, price, replaced.gasPriceWei) === undefined) {
    return refuseRequest(409, 'a replacement would cost more than MAX_GAS_PRICE_WEI')
  }
  const { hash: over, raw, gasPriceWei } = replaced
  const transaction = { hash: over, raw, gasPriceWei }
  await execute(relayer, [
    { kind: 'outbid', nonce, isStuck: true, transaction, gasPriceWei: price },
  ])
  const after = (await ledger.readWork()).nonces.find((open) => open.nonce === nonce)
  const [replacement] = after?.transactions ?? []
  if (replacement === undefined || replacement.hash === over) {
    return refuseRequest(409, 'it was mined meanwhile, or no node accepts the replacement')
  }
  return { nonce, over, hash: replacement.hash, gasPriceWei: `${replacement.gasPriceWei}` }
}
