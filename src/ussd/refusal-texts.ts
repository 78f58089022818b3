import { decodeRefusal, type LoanRefusal } from '../loan/calls.ts'
import { getCallRules, type PaymentKind, paymentKinds } from '../loan/kinds.ts'
import type { PaymentAnswer } from '../relay/pay/answers.ts'
import type { Refusal } from '../relay/refusal.ts'
import { payments } from './menu/payments.ts'
import type { Messages } from './messages/en.ts'
import { endScreen, type Screen } from './screens/screen.ts'

type TextContext = { messages: Messages; showAmount: (wei: bigint) => string }
type HelpSettings = { settings: { helpNumber?: string | undefined } }

export function writeRefusal(
  words: TextContext & HelpSettings,
  refusal: Refusal,
  kind: PaymentKind,
): string {
  const { messages, showAmount } = words
  switch (refusal.kind) {
    case 'would_revert':
      return writeLoanRefusal(words, decodeRefusal(refusal.revertData), kind)
    case 'unavailable':
    case 'no_answer':
    case 'contracts':
    case 'clock':
      return messages.nothingWasSent
    case 'none_left':
      return getCallRules(kind).takes === 'withdrawals'
        ? messages.refused.withdrawal_limit(undefined)
        : messages.refused.no_liquidity
    case 'not_authorized':
      return writeDenial(messages, refusal.why)
    case 'held':
      return messages.held(words.settings.helpNumber)
    case 'too_many_dials':
      return messages.tooManyDials
    case 'too_many_open':
      return messages.tooManyOpen(refusal.most)
    case 'too_many_today':
      return messages.tooManyToday(refusal.most)
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

export function writeLoanRefusal(
  words: TextContext,
  refusal: LoanRefusal,
  kind: PaymentKind,
): string {
  const { showAmount } = words
  const messages = words.messages.refused
  switch (refusal.reason) {
    case 'balance_too_low': {
      const balance = showAmount(refusal.balanceWei)
      return paymentKinds[kind].namesNeed
        ? messages.owesMore(showAmount(refusal.neededWei), balance)
        : messages.balance_too_low(balance)
    }
    case 'existing_loan':
    case 'repayment_too_large':
      return messages[refusal.reason](showAmount(refusal.owedWei))
    case 'withdrawal_limit':
      return messages.withdrawal_limit(
        refusal.leftWei === undefined ? undefined : showAmount(refusal.leftWei),
      )
    default:
      return messages[refusal.reason]
  }
}

export const writeDenial = (messages: Messages, denied: 'blocked' | 'dormant' | 'void'): string =>
  denied === 'void' ? messages.sessionClosed : messages.pin.locked[denied]

/** Returns the screen of an answer; `kind` is the kind of payment that was asked for. */
export function toScreen(messages: Messages, answered: PaymentAnswer, kind?: PaymentKind): Screen {
  if (answered.kind === 'screen') return answered.screen
  const { unsent, uncertain, sessionEnded: ended, sessionClosed: closed } = messages
  // Without a payment nothing can fail, so this is a plain end.
  const failed = kind === undefined ? ended : payments[kind].words(messages).failed
  return endScreen({ unsent, uncertain, ended, closed, failed }[answered.kind])
}
