import * as z from 'zod/mini'
import { parseAmount } from '../../loan/amounts.ts'
import { toPlainDigits } from '../../runtime/digits.ts'
import { addressText, phone } from '../schemas/fields.ts'
import { payment } from '../schemas/payments.ts'
import { callerAction, refuseRequest } from './action.ts'
import { describePaid } from './sweep.ts'
import { notPayable, parsePayable } from './wallets.ts'

/** Limits a key's age, far below the 7 days for which the ledger remembers intents. */
const keyLifetimeSeconds = 24 * 60 * 60

export const cashOutFor = callerAction({
  request: z.object({
    phone,
    to: addressText,
    /** Holds an amount in the pool's unit, or `all`. Digits may be of any script. */
    amount: z.pipe(z.string().check(z.maxLength(40)), z.transform(toPlainDigits)),
    /** Holds the idempotency key, `<Unix s>-<random>`; it expires after a day. */
    key: z.string().check(z.regex(/^[0-9]{10}-[A-Za-z0-9_-]{16,64}$/)),
  }),
  answer: z.object({ payment }),
  async run(options, caller, { key, to, amount }) {
    const { deployment, relayer, cashOut, nameAction } = options
    const { ledger, log, clock } = relayer
    const { phone, address: account } = caller
    const recipient = parsePayable(to, deployment, account)
    if (recipient === undefined) return notPayable
    const parsed = amount === 'all' ? undefined : parseAmount(amount, deployment.unit)
    if (parsed?.kind === 'fault') return refuseRequest(400, 'this is not an amount')
    const ageSeconds = clock.now() / 1_000 - Number(key.slice(0, key.indexOf('-')))
    if (Math.abs(ageSeconds) > keyLifetimeSeconds) {
      return refuseRequest(409, 'the key is not of the last 24 hours: nothing was sent')
    }
    const action = 'cash-out'
    const detail = { account, to: recipient, amount, key }
    // Not of the payment: the same key again pays nothing twice.
    const id = nameAction(`${action}:${account}:${key}:${recipient}:${amount}`)
    await ledger.recordAction({ id, action, detail })
    const message = 'An operator cashes out for a caller'
    log({ level: 'warn', event: 'operator.cash_out', message })
    const order = { key, phone, to: recipient, amountWei: parsed?.wei ?? 'all' } as const
    const paid = await cashOut(order)
    const { kind } = paid.answer
    if (kind === 'ended' || kind === 'closed') {
      const outcome = kind === 'ended' ? 'may have paid' : 'was refused'
      return refuseRequest(409, `the key was used for another cash-out, which ${outcome}`)
    }
    return await describePaid(options, paid)
  },
})
