import * as z from 'zod/mini'
import { computeGasPrice } from '../../relay/relayer.ts'
import { execute, sentBefore } from '../../relay/rounds/execute.ts'
import { hexHash, nonNegative, wei } from '../schemas/fields.ts'
import { action, recordInAudit, refuseRequest } from './action.ts'

const nodeTimeoutMs = 5_000

/** Replaces a nonce's transaction at a higher price, before a round would. */
export const outbidNonce = action({
  request: z.object({ nonce: nonNegative }),
  /** Describes the new transaction; `over` is the hash of the one that it replaces. */
  answer: z.object({ nonce: z.int(), over: hexHash, hash: hexHash, gasPriceWei: wei }),
  async run(options, { nonce }) {
    const { relayer } = options
    const { ledger, node, clock, log } = relayer
    await recordInAudit(options, 'outbid', { nonce: `${nonce}` })
    log({ level: 'warn', event: 'operator.outbid', message: 'An operator outbids a nonce', nonce })
    const findNewest = async () => {
      const { nonces } = await ledger.readWork()
      return nonces.find((each) => each.nonce === nonce)?.transactions[0]
    }
    const replaced = await findNewest()
    if (replaced === undefined) {
      return refuseRequest(404, 'no transaction of this nonce waits for a block')
    }
    const price = await node.getGasPrice(clock.timeout(nodeTimeoutMs))
    if (computeGasPrice(relayer, price, replaced.gasPriceWei) === undefined) {
      return refuseRequest(409, 'a replacement would cost more than MAX_GAS_PRICE_WEI')
    }
    const { hash: over } = replaced
    const outbid = { isStuck: true, gasPriceWei: price }
    const sending = { nonce, transaction: replaced, ...sentBefore }
    await execute(relayer, [{ kind: 'resend', ...sending, outbid }])
    const replacement = await findNewest()
    if (replacement === undefined || replacement.hash === over) {
      return refuseRequest(409, 'it was mined meanwhile, or no node accepts the replacement')
    }
    return { nonce, over, hash: replacement.hash, gasPriceWei: `${replacement.gasPriceWei}` }
  },
})
