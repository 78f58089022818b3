import { decodeRefusal, type LoanRefusal } from '../loan/calls.ts'
import { getCallRules, type PaymentKind } from '../loan/kinds.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { PaymentAnswer } from '../relay/pay/answers.ts'
import type { Refusal } from '../relay/refusal.ts'
import { loan } from './menu/entries/loan.ts'
import { deposit } from './menu/entries/receive.ts'
import { payments } from './menu/payments.ts'
import { recallWords } from './menu/recall.ts'
import type { LockReason } from './menu/walk.ts'
import type { Messages } from './messages/en.ts'
import { writeTime } from './messages/texts.ts'
import { type AmountFormats, writeWithWorth } from './screens/amount-formats.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import type { Visit } from './visit.ts'

/** Writes why the relay or the contract refuses a payment; amounts have their worth first. */
export const writeRefusal = (
  visit: Visit,
  refusal: Refusal,
  kind: PaymentKind,
  rate: Rate | 'none',
): string =>
  refusal.kind === 'would_revert'
    ? writeLoanRefusal(visit, decodeRefusal(refusal.revertData), kind, rate)
    : writeWithWorth(visit.services, rate, ({ show }) =>
        sayOf(kind, visit.messages, selectWords(visit, refusal, kind, show)),
      )

/** Says of a loan that none was taken, where a refusal says that nothing was sent. */
const sayOf = (kind: PaymentKind, messages: Messages, text: string): string =>
  kind === 'loan' ? text.replace(messages.nothingSent, loan.words(messages).notTaken) : text

type ShowAmount = AmountFormats['showAmount']

function selectWords(
  visit: Visit,
  refusal: Exclude<Refusal, { kind: 'would_revert' }>,
  kind: PaymentKind,
  showAmount: ShowAmount,
): string {
  const { messages } = visit
  switch (refusal.kind) {
    case 'unavailable':
    case 'no_answer':
    case 'contracts':
    case 'clock':
      return messages.nothingWasSent
    case 'none_left':
      return getCallRules(kind).sharedLimit === 'withdrawals'
        ? messages.refused.withdrawal_limit(undefined)
        : messages.refused.no_liquidity
    case 'not_authorized':
      return writeDenial(visit, refusal.reason)
    case 'not_a_wallet':
      return refusal.payee === 'contract'
        ? messages.refused.contract
        : messages.refused.invalid_recipient
    case 'held':
      return writeDenial(visit, refusal.kind)
    case 'too_many_dials':
      return messages.tooManyDials
    case 'recalled':
      return recallWords(messages).recalled(
        showAmount(refusal.wei),
        writeTime(messages, refusal.until),
      )
    case 'not_held':
      return recallWords(messages).lessHeld
    case 'unsettled':
      return messages.unsettled
    case 'too_many_open':
      return messages.tooManyOpen(refusal.max)
    case 'too_many_today':
      return messages.tooManyToday(refusal.max)
    case 'too_much_today':
      return messages.tooMuchToday(showAmount(refusal.leftWei))
    case 'crowded':
      return messages.tooManyWait(refusal.minutes)
    case 'price_too_high':
      return messages.feesTooHigh
    case 'relayer_poor':
      return messages.cannotPayFees
    case 'paused':
      return messages.paused
  }
}

/** Writes why the contract refuses a payment. */
export const writeLoanRefusal = (
  {
    services,
    messages,
  }: Pick<Visit, 'messages'> & { services: Parameters<typeof writeWithWorth>[0] },
  refusal: LoanRefusal,
  kind: PaymentKind,
  rate: Rate | 'none',
): string =>
  writeWithWorth(services, rate, (formats) =>
    sayOf(kind, messages, selectLoanWords(messages, refusal, kind, formats)),
  )

function selectLoanWords(
  messages: Messages,
  refusal: LoanRefusal,
  kind: PaymentKind,
  { show, showOwed }: Parameters<Parameters<typeof writeWithWorth>[2]>[0],
): string {
  const words = messages.refused
  // All else that a deposit meets is its token's, whose errors may have the names of the pool's.
  if (kind === 'deposit')
    return refusal.reason === 'nothing_there' ? deposit.words(messages).nothing : words.unknown
  switch (refusal.reason) {
    case 'balance_too_low': {
      const balance = show(refusal.balanceWei)
      return kind === 'repayment'
        ? words.balanceBelowDebt(showOwed(refusal.neededWei), balance)
        : words.balance_too_low(balance)
    }
    case 'existing_loan':
    case 'repayment_too_large':
      return words[refusal.reason](showOwed(refusal.owedWei))
    case 'withdrawal_limit':
      return words.withdrawal_limit(
        refusal.leftWei === undefined ? undefined : show(refusal.leftWei),
      )
    default:
      return words[refusal.reason]
  }
}

/** Writes why an account may not pay. `void`: the PIN has changed, or was entered too long ago. */
export function writeDenial(
  { services: { settings }, messages }: Visit,
  denial: LockReason | 'void' | 'wallet',
): string {
  if (denial === 'void') return messages.sessionClosed
  if (denial === 'held') return messages.held(settings.helpNumber)
  if (denial === 'wallet') return messages.walletChanged
  const { locked } = messages.pin
  return denial === 'dormant' ? locked.dormant(settings.helpNumber) : locked[denial]
}

/** Writes the screen that shows the relay's answer. `kind` is undefined without a payment. */
export function toScreen(messages: Messages, answer: PaymentAnswer, kind?: PaymentKind): Screen {
  if (answer.kind === 'screen') return answer.screen
  const { unsent, uncertain, notSentYet: late } = messages
  const { sessionEnded: ended, sessionClosed: closed } = messages
  const failed = kind === undefined ? ended : messages.failed(payments[kind].words(messages).label)
  return endScreen({ unsent, uncertain, late, ended, closed, failed }[answer.kind])
}
