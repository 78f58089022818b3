import type { Address, Hex } from 'viem'
import type { PhoneNumber } from '../../account/phone.ts'
import { parseAmount } from '../../loan/amounts.ts'
import type { PaymentAnswer } from '../../relay/pay/answers.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { toPaymentSummary } from '../records.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import { type Caller, type CallerOptions, type RefusedRequest, refuseRequest } from './caller.ts'
import { notPayable, parsePayable } from './wallets.ts'

export type CashOutOrder = {
  /** Holds the idempotency key: a caller is paid at most once per key. */
  key: string
  phone: PhoneNumber
  to: Address
  amountWei: bigint | 'all'
}

export type CashOut = (order: CashOutOrder) => Promise<{ intentId: Hex; answer: PaymentAnswer }>

export type CashOutOptions = CallerOptions & { relayer: Pick<Relayer, 'clock'>; cashOut: CashOut }

/** Limits a key's age, far below the 7 days for which the ledger remembers intents. */
const keyLifetimeSeconds = 24 * 60 * 60

const uncertain = refuseRequest(
  503,
  'it is not known yet whether it was sent: repeat with the same key',
)

/** Cashes out once per key, after recording the action. @throws {Error} unknown outcome */
export async function cashOutFor(
  { deployment, relayer, cashOut }: CashOutOptions,
  { phone, account: { address: account } }: Caller,
  { key, to, amount }: ActionRequest<'cash-out'>,
): Promise<ActionAnswer<'cash-out'> | RefusedRequest> {
  const { ledger, log } = relayer
  const recipient = parsePayable(to, deployment, account)
  if (recipient === undefined) return notPayable
  const parsed = amount === 'all' ? undefined : parseAmount(amount)
  if (parsed?.kind === 'fault') return refuseRequest(400, 'this is not an amount')
  const ageSeconds = relayer.clock.now() / 1_000 - Number(key.slice(0, key.indexOf('-')))
  if (Math.abs(ageSeconds) > keyLifetimeSeconds) {
    return refuseRequest(409, 'the key is not of the last 24 hours: nothing was sent')
  }
  const action = 'cash-out'
  const detail = { account, to: recipient, amount, key }
  const id = `${action}:${account}:${key}:${recipient}:${amount}`
  await ledger.recordAction({ id, action, detail })
  log({ level: 'warn', event: 'operator.cash_out', message: 'An operator cashes out for a caller' })
  const order = { key, phone, to: recipient, amountWei: parsed?.wei ?? 'all' } as const
  const { intentId, answer: paymentAnswer } = await cashOut(order)
  switch (paymentAnswer.kind) {
    case 'screen':
    case 'failed': {
      const [record] = (await ledger.readPage({ intent: intentId, limit: 1 })).payments
      if (record !== undefined) return { payment: toPaymentSummary(deployment.chain, record) }
      return paymentAnswer.kind === 'screen'
        ? refuseRequest(409, paymentAnswer.screen.lines.join(' '))
        : uncertain
    }
    case 'ended':
    case 'closed': {
      const outcome = paymentAnswer.kind === 'ended' ? 'may have paid' : 'was refused'
      return refuseRequest(409, `the key was used for another cash-out, which ${outcome}`)
    }
    case 'late':
    case 'unsent':
    case 'uncertain':
      return uncertain
  }
}
