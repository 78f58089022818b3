import { formatAmountDown, type Unit } from '../loan/amounts.ts'
import { agreeToWorth, formatAgreed, formatNow, formatPrice } from '../loan/local-worth.ts'
import { toReceiptNumber } from '../relay/forwarder/requests.ts'
import { getNeededRole, nameOperator } from './access.ts'
import type { AuditEntry } from './kept/audit.ts'
import type { HoldStep, PaymentDetails } from './schemas/payments.ts'

export const holdWords = `it begins no payment, loan or cash-out. What was accepted before goes on, money may arrive, and its phone shows the balance as before and can change the PIN by the PIN of now. The role ${getNeededRole('POST /operator/hold', 'release')} releases it.`

type RecallState = NonNullable<PaymentDetails['recall']>['state']

const recallObjections: Readonly<
  Record<Exclude<RecallState, 'held' | 'open' | 'ended' | 'too_often'>, string>
> = {
  off: 'here no sender can call a payment a mistake (RECALL_MINUTES is 0)',
  till: 'an account with a till is never part of a hold',
  final: 'it is final, so its receiver may rely on it',
  known: 'one of the two has paid the other before',
  too_late: 'the time for that is over',
  not_yours: "its sender's account is held",
}

/** Writes a part of a payment, also in local money: by its own price, else by that of now. */
function writePart(wei: string, { agreed, price, spendsWei }: PaymentDetails, unit: Unit): string {
  const text = `${formatAmountDown(BigInt(wei), unit)} ${unit.symbol}`
  if (agreed === null) return formatNow(text, BigInt(wei), unit, price)
  const rate = { ...agreed, micros: BigInt(agreed.micros) }
  return formatAgreed(wei === spendsWei ? agreed : agreeToWorth(BigInt(wei), unit, rate), text)
}

const askReceiver =
  'Only its receiver can send back what is not held: ask the receiver to; a till, too, pays back by 2. Send Money.'

/** Says what can be done about a payment to a wrong number. Commands stand between backticks. */
export function describeRecall(
  payment: PaymentDetails,
  unit: Unit,
  writeTime = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`,
): string | undefined {
  const { recall, intent, holdSteps, spendsWei } = payment
  if (recall === null) return undefined
  const until = writeTime(recall.until)
  const { state, wei } = recall
  switch (state) {
    case 'held':
      return `Wrong number: ${writePart(wei ?? '0', payment, unit)} of it is held until ${until}, then its receiver has it again. It goes back only if its receiver agrees, who is asked at the next dial. The role ${getNeededRole('POST /operator/end-recall')} can end this, and then its receiver keeps the money: \`npm run ops -- account end-recall ${intent}\``
    case 'open':
      return `Wrong number? Until ${until} its sender can have what is unspent of it held: dial, 5. My Activity, 2. Wrong number? ${askReceiver}`
    case 'ended': {
      const backWei = holdSteps.slice(1).reduce((sum, step) => sum + BigInt(step.wei ?? 0), 0n)
      if (backWei >= BigInt(spendsWei))
        return 'It was held as sent to a wrong number, and its receiver gave back all of it.'
      return `It was held as sent to a wrong number, and is no more: what came back of it is among its receiver's payments. ${askReceiver}`
    }
    default: {
      const days = recall.everyDays === 1 ? 'day' : `${recall.everyDays} days`
      const objection =
        state === 'too_often'
          ? `its sender has called another one a mistake in the last ${days}`
          : recallObjections[state]
      return `Nothing of this payment can be held as sent to a wrong number: ${objection}. ${askReceiver}`
    }
  }
}

/** Says a step of what became of a hold, in words for a time line. */
export function describeHoldStep(
  { step, by, wei, intent }: HoldStep,
  payment: PaymentDetails,
  unit: Unit,
): string {
  const amount = wei && writePart(wei, payment, unit)
  switch (step) {
    case 'held':
      return `${amount} held: its sender says it was a mistake (Wrong number?)`
    case 'given_back':
      return `${amount} given back by its receiver${intent === null ? '' : `, Ref ${toReceiptNumber(intent)}`}`
    case 'kept':
      return 'its receiver keeps it: not held any more'
    case 'ended':
      return `${nameOperator(by ?? '')} ended the hold: its receiver keeps it`
    case 'over':
      return 'not held any more: a hold lasts for 24 hours at most'
  }
}

/** Names what the audit has of a wrong number as the phone does. */
const auditWords: Readonly<Record<string, string>> = {
  recall: 'Wrong number? held',
  'end-recall': 'Wrong number? ended',
}

/** Returns an audit entry for people: in the phone's words, with amounts and prices written out. */
export function writeAuditEntry<
  Entry extends Pick<AuditEntry, 'action' | 'detail'> & { by: string | null },
>(entry: Entry, unit: Unit) {
  const { wei, micros, currency = '', ...others } = entry.detail
  const amount = wei && `${formatAmountDown(BigInt(wei), unit)} ${unit.symbol}`
  const price = micros && formatPrice({ currency, micros: BigInt(micros) })
  return {
    ...entry,
    ...(entry.by && { by: nameOperator(entry.by) }),
    action: auditWords[entry.action] ?? entry.action,
    detail: { ...others, ...(amount && { amount }), ...(price && { price }) },
  }
}
