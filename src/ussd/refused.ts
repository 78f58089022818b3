import { decodeRefusal, type LoanRefusal } from '../loan/calls.ts'
import { getCallRules, type PaymentKind, paymentKinds } from '../loan/kinds.ts'
import type { PaymentAnswer } from '../relay/pay/answers.ts'
import type { Refusal } from '../relay/refusal.ts'
import { payments } from './menu/payments.ts'
import type { Messages } from './messages/en.ts'
import { end, type Screen } from './screens/screen.ts'

type Words = { say: Messages; showAmount: (wei: bigint) => string }
type Settings = { settings: { helpNumber?: string | undefined } }

export function refusalText(words: Words & Settings, refusal: Refusal, kind: PaymentKind): string {
  const { say, showAmount } = words
  switch (refusal.kind) {
    case 'would_revert':
      return loanRefusalText(words, decodeRefusal(refusal.revertData), kind)
    case 'unavailable':
    case 'no_answer':
    case 'contracts':
    case 'clock':
      return say.nothingWasSent
    case 'none_left':
      return getCallRules(kind).takes === 'withdrawals'
        ? say.refused.withdrawal_limit(undefined)
        : say.refused.no_liquidity
    case 'not_authorized':
      return deniedText(say, refusal.why)
    case 'held':
      return say.held(words.settings.helpNumber)
    case 'too_many_dials':
      return say.tooManyDials
    case 'too_many_open':
      return say.tooManyOpen(refusal.most)
    case 'too_many_today':
      return say.tooManyToday(refusal.most)
    case 'too_much_today':
      return say.tooMuchToday(showAmount(refusal.leftWei))
    case 'crowded':
      return say.tooManyWait(refusal.minutes)
    case 'price_too_high':
      return say.feesTooHigh
    case 'relayer_poor':
      return say.cannotPayFees
    case 'paused':
      return say.paused
  }
}

export function loanRefusalText(words: Words, refusal: LoanRefusal, kind: PaymentKind): string {
  const { showAmount } = words
  const say = words.say.refused
  switch (refusal.reason) {
    case 'balance_too_low': {
      const balance = showAmount(refusal.balanceWei)
      return paymentKinds[kind].namesNeed
        ? say.owesMore(showAmount(refusal.neededWei), balance)
        : say.balance_too_low(balance)
    }
    case 'existing_loan':
    case 'repayment_too_large':
      return say[refusal.reason](showAmount(refusal.owedWei))
    case 'withdrawal_limit':
      return say.withdrawal_limit(
        refusal.leftWei === undefined ? undefined : showAmount(refusal.leftWei),
      )
    default:
      return say[refusal.reason]
  }
}

export const deniedText = (say: Messages, denied: 'blocked' | 'dormant' | 'void'): string =>
  denied === 'void' ? say.sessionClosed : say.pin.locked[denied]

/** Returns the screen of an answer; `kind` is the kind of payment that was asked for. */
export function toScreen(say: Messages, answered: PaymentAnswer, kind?: PaymentKind): Screen {
  if (answered.kind === 'screen') return answered.screen
  const { unsent, uncertain, sessionEnded: ended, sessionClosed: closed } = say
  // Without a payment nothing can fail, so this is a plain end.
  const failed = kind === undefined ? ended : payments[kind].words(say).failed
  return end({ unsent, uncertain, ended, closed, failed }[answered.kind])
}
