import { formatUnits, parseUnits } from 'viem'
import * as z from 'zod/mini'
import { computeGasPrice } from '../../relay/relayer.ts'
import { execute, sentBefore } from '../../relay/rounds/execute.ts'
import { describeFault } from '../../runtime/log.ts'
import type { IntakeSetting } from '../kept/audit.ts'
import { hexHash, nonNegative, wei } from '../schemas/fields.ts'
import { intake } from '../schemas/status.ts'
import { describeIntake } from '../status.ts'
import { type ActionOptions, action, recordInAudit, refuseRequest } from './action.ts'

async function setIntake(options: ActionOptions, kind: IntakeSetting, nextAccountKey?: string) {
  const { ledger } = options.relayer
  // Opening deletes the next secret that a drain named, so the ledger compares it before that.
  if (kind === 'open') await ledger.identify(await options.identity())
  const setting = await ledger.setIntake(kind, options.nameAction(), nextAccountKey)
  const { nonces, carried, mined, waiting, stuck } = await ledger.readWork()
  const open = carried.length + mined.length + waiting.length + stuck.length
  return { intake: describeIntake(setting, nonces.length + open > 0), open }
}

const form = { request: z.unknown(), answer: z.object({ intake, open: z.int() }) }

export const pauseIntake = action({ ...form, run: (options) => setIntake(options, 'paused') })
export const resumeIntake = action({ ...form, run: (options) => setIntake(options, 'open') })

export const drainIntake = action({
  ...form,
  /** Holds the fingerprint of the next account secret, if that is to change. */
  request: z._default(
    z.object({ nextAccountKey: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))) }),
    {},
  ),
  run: (options, { nextAccountKey }) => setIntake(options, 'draining', nextAccountKey),
})

export const acceptPrice = action({
  request: z.object({ price: z.string().check(z.regex(/^[0-9]{1,12}(\.[0-9]{1,6})?$/)) }),
  answer: z.object({ currency: z.string(), price: z.string() }),
  async run({ relayer: { ledger }, nameAction }, { price }) {
    const accepted = await ledger.acceptRate(nameAction(), parseUnits(price, 6))
    if (accepted === undefined) return refuseRequest(404, 'no feed has offered a price yet')
    return { currency: accepted.currency, price: formatUnits(BigInt(accepted.micros), 6) }
  },
})

const nodeTimeoutMs = 5_000

/** Replaces a nonce's transaction at a higher price, before a round would. */
export const outbidNonce = action({
  request: z.object({ nonce: nonNegative }),
  /** Describes the new transaction; `over` is the hash of the one that it replaces. */
  answer: z.object({ nonce: z.int(), over: hexHash, hash: hexHash, gasPriceWei: wei }),
  async run(options, { nonce }) {
    const { relayer } = options
    const { ledger, node, clock } = relayer
    await recordInAudit(options, 'outbid', { nonce: `${nonce}` })
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

const says = 'This is a test by an operator: nothing is the matter.'

/** Posts an alert that says to be a test, once, and tells whether the webhook took it. */
export const postTestAlert = action({
  request: z.unknown(),
  answer: z.object({ id: z.string(), says: z.string() }),
  async run(options) {
    const { clock, log } = options.relayer
    if (options.postNotice === undefined) return refuseRequest(409, 'no ALERT_WEBHOOK_URL is set')
    await recordInAudit(options, 'test-alert')
    const at = clock.now()
    const id = `test:${at}:raised`
    try {
      await options.postNotice({ id, name: 'test', kind: 'raised', says, raisedAt: at, at })
      return { id, says }
    } catch (error) {
      const message = describeFault(error)
      log({ level: 'warn', event: 'alert.untold', message, alert: 'test' })
      return refuseRequest(409, `the webhook did not take it: ${message}`)
    }
  },
})
