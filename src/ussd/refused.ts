import type { LoanRefusal } from '../loan/calls.ts'
import { type PaymentKind, paymentKinds } from '../loan/kinds.ts'
import type { RefusalWords } from './messages/texts.ts'

/** Why the contract would not do it, in a caller's words. */
export function refusedText(
  say: RefusalWords,
  refusal: LoanRefusal,
  format: (wei: bigint) => string,
  kind: PaymentKind,
): string {
  switch (refusal.reason) {
    case 'balance_too_low': {
      const balance = format(refusal.balanceWei)
      return paymentKinds[kind].namesNeed
        ? say.owesMore(format(refusal.neededWei), balance)
        : say.balance_too_low(balance)
    }
    case 'existing_loan':
    case 'repayment_too_large':
      return say[refusal.reason](format(refusal.owedWei))
    case 'withdrawal_limit':
      return say.withdrawal_limit(
        refusal.leftWei === undefined ? undefined : format(refusal.leftWei),
      )
    case 'no_loan':
    case 'no_liquidity':
    case 'not_listed':
    case 'loan_limit':
    case 'terms_changed':
    case 'invalid_recipient':
    case 'paused':
    case 'nothing_there':
    case 'unknown':
      return say[refusal.reason]
  }
}
