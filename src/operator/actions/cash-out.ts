import type { Address, Hex } from 'viem'
import { parseAddress } from '../../account/address.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import { parseAmount } from '../../loan/amounts.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { PaymentAnswer } from '../../relay/pay/answers.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { CashOutAnswer, CashOutRequest } from '../answers.ts'
import { type Subject, toPaymentSummary } from '../records.ts'
import { type CallerOptions, callerBy, type NoCaller } from './caller.ts'

/** What leaves a caller's balance for an address outside. `all`: all that the account has. */
export type CashOutOrder = {
  /** The same key pays at most once for the same caller, however often it is asked for. */
  key: string
  phone: PhoneNumber
  to: Address
  amountWei: bigint | 'all'
}

/** Carries out a cash-out as any payment of the caller is carried out. */
export type CashOut = (order: CashOutOrder) => Promise<{ intentId: Hex; answered: PaymentAnswer }>

export type CashedOut =
  | ({ kind: 'accepted' } & CashOutAnswer)
  /** Nothing was sent, and nothing will be under this key; in the words of screens. */
  | { kind: 'refused'; says: string }
  /** The key was used with another address or amount; `paid`: and that one may have paid. */
  | { kind: 'other_order'; paid: boolean }
  /** It may have been accepted: the same key tells. */
  | { kind: 'uncertain' }
  | { kind: 'bad_recipient' | 'bad_amount' }
  /** What it was used for may be forgotten. */
  | { kind: 'old_key' }
  | NoCaller

export type CashOutOptions = CallerOptions & {
  subject: Subject
  relayer: Pick<Relayer, 'clock'>
  cashOut: CashOut
}

/** Far shorter than sessions and spent intents are remembered (7 days): no key is ever as good as new. */
const keyLifetimeSeconds = 24 * 60 * 60

/**
 * Cashes out for a caller, at most once for each key. The audit has it before anything is sent.
 *
 * @throws {Error} the ledger gave no answer: it may have been accepted
 */
export async function cashOutFor(
  options: CashOutOptions,
  { key, phone, to, amount }: CashOutRequest,
  vitals: Vitals,
): Promise<CashedOut> {
  const { subject, relayer, cashOut } = options
  const { chain, loan, forwarder } = subject
  const { ledger, log } = relayer
  const caller = await callerBy(options, phone, vitals)
  if (caller.kind !== 'caller') return caller
  const recipient = parseAddress(to, chain.id)
  // The contract refuses these as well, but only after the key is used up.
  const reserved = [loan, forwarder].map((address) => address.toLowerCase())
  if (recipient === undefined || BigInt(recipient) === 0n || reserved.includes(recipient)) {
    return { kind: 'bad_recipient' }
  }
  const parsed = amount === 'all' ? undefined : parseAmount(amount)
  if (parsed?.kind === 'fault') return { kind: 'bad_amount' }
  const ageSeconds = relayer.clock.now() / 1_000 - Number(key.slice(0, key.indexOf('-')))
  if (Math.abs(ageSeconds) > keyLifetimeSeconds) return { kind: 'old_key' }
  const { address: account } = caller.account
  const action = 'cash-out'
  const detail = { account, to: recipient, amount, key }
  await ledger.note({ id: `${action}:${account}:${key}:${recipient}:${amount}`, action, detail })
  log({ level: 'warn', event: 'operator.cash_out', message: 'An operator cashes out for a caller' })
  const amountWei = parsed?.wei ?? 'all'
  const { intentId, answered } = await cashOut({
    key,
    phone: caller.phone,
    to: recipient,
    amountWei,
  })
  switch (answered.kind) {
    case 'screen':
    case 'failed': {
      const [record] = (await ledger.page({ intent: intentId, limit: 1 })).payments
      if (record !== undefined)
        return { kind: 'accepted', payment: toPaymentSummary(chain, record) }
      return answered.kind === 'screen'
        ? { kind: 'refused', says: answered.screen.lines.join(' ') }
        : { kind: 'uncertain' }
    }
    case 'ended':
    case 'closed':
      return { kind: 'other_order', paid: answered.kind === 'ended' }
    case 'unsent':
    case 'uncertain':
      return { kind: 'uncertain' }
  }
}
