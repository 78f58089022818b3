import type { Pins } from '../account/pin.ts'
import type { LoanRefusal } from '../loan/calls.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { Decided } from '../relay/ledger/decisions.ts'
import type { Undecided } from '../relay/ledger/sessions.ts'
import type { Ledger } from '../relay/ledger/steps.ts'
import type { StepKey } from '../relay/ledger/values.ts'
import { type AccountLimits, selectLimits } from '../relay/pay/admission.ts'
import { nameReason } from '../relay/refusal.ts'
import type { MenuSettings, SessionDraft } from './menu/node.ts'
import type { Messages } from './messages/en.ts'
import { writeDenial, writeLoanRefusal, writeRefusal } from './refusal-texts.ts'
import { endScreen, type Screen } from './screens/screen.ts'

type KnownRefusalOptions = {
  pins: Pins | undefined
  loan: Pick<LoanReader, 'readBalance' | 'readDebt'>
  ledger: Pick<Ledger, 'lookup' | 'findKnownRefusal'>
  limits: AccountLimits
  settings: MenuSettings
  messages: Messages
  showAmount: (wei: bigint) => string
}

export type SessionView = Decided | Undecided

export type PlannedPayment = {
  kind: PaymentKind
  stepKey: StepKey
  draft: SessionDraft
  /** Is what the ledger knows of the session, if that was read already. */
  view?: SessionView | undefined
}

/** Holds the screen of a place in the menu; `reason` names a refusal for the operator. */
export type PlaceScreen = { screen: Screen; reason?: string | undefined }

/** Returns the screen to show before the PIN: a saved answer, or a refusal that is certain now. */
export async function findKnownRefusal(
  options: KnownRefusalOptions,
  payment: PlannedPayment,
): Promise<PlaceScreen | undefined> {
  const view = payment.view ?? (await options.ledger.lookup(payment.stepKey))
  if (view.kind === 'answered') return { screen: view.screen }
  return view.kind === 'undecided' ? await findRefusalNow(options, payment, view) : undefined
}

async function findRefusalNow(
  options: KnownRefusalOptions,
  payment: PlannedPayment,
  view: Undecided,
): Promise<PlaceScreen | undefined> {
  const { kind, stepKey, draft } = payment
  const { account } = stepKey
  const pin = await options.pins?.readState(account)
  if (pin !== undefined && pin.kind !== 'open') {
    return { screen: endScreen(writeDenial(options, pin.kind)), reason: pin.kind }
  }
  const paymentWei = typeof draft.amountWei === 'bigint' ? draft.amountWei : 0n
  const limits = selectLimits(options.limits, view)
  const order = { kind, spendsWei: paymentWei }
  const refusal = await options.ledger.findKnownRefusal(account, limits, order)
  if (refusal !== undefined) {
    return { screen: endScreen(writeRefusal(options, refusal, kind)), reason: nameReason(refusal) }
  }
  // An open payment may change debt and balance before this payment is made.
  if (view.open.length > 0) return undefined
  const loanRefusal = await predictLoanRefusal(options, payment, paymentWei)
  if (loanRefusal === undefined) return undefined
  return {
    screen: endScreen(writeLoanRefusal(options, loanRefusal, kind)),
    reason: loanRefusal.reason,
  }
}

/** Predicts the contract's refusal, as far as the account's debt and balance show it. */
async function predictLoanRefusal(
  options: KnownRefusalOptions,
  { kind, stepKey: { account } }: PlannedPayment,
  paymentWei: bigint,
): Promise<LoanRefusal | undefined> {
  const owedWei = kind === 'repayment' ? (await options.loan.readDebt(account)).owedWei : undefined
  if (owedWei === 0n) return { reason: 'no_loan' }
  if (owedWei !== undefined && paymentWei > owedWei) {
    return { reason: 'repayment_too_large', owedWei }
  }
  // With `strict` PINs no screen may reveal the balance before the PIN.
  if (paymentWei === 0n || options.settings.pin === 'strict') return undefined
  const balanceWei = await options.loan.readBalance(account)
  if (balanceWei >= paymentWei) return undefined
  return { reason: 'balance_too_low', balanceWei, neededWei: paymentWei }
}
