import type { Pins } from '../account/pin.ts'
import type { LoanRefusal } from '../loan/calls.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { Ledger, Question, Undecided } from '../relay/ledger/port.ts'
import { type AccountLimits, openLimit, selectLimits } from '../relay/pay/admission.ts'
import { reasonIn } from '../relay/refusal.ts'
import type { MenuSettings, SessionDraft } from './menu/node.ts'
import type { Messages } from './messages/en.ts'
import { deniedText, loanRefusalText, refusalText } from './refused.ts'
import { end, type Screen } from './screens/screen.ts'

type Options = {
  pins: Pins | undefined
  loan: Pick<LoanReader, 'balance' | 'debt'>
  ledger: Pick<Ledger, 'lookup' | 'knownRefusal'>
  limits: AccountLimits
  settings: MenuSettings
  say: Messages
  showAmount: (wei: bigint) => string
}

type Wanted = { kind: PaymentKind; question: Question; draft: SessionDraft }

/** Holds a screen, and for the operator the reason if it is a refusal. */
export type PlaceScreen = { screen: Screen; reason?: string | undefined }

/** Returns the refusal that a payment would get, as far as it is known before the PIN. */
export async function knownRefusal(of: Options, wanted: Wanted): Promise<PlaceScreen | undefined> {
  const view = await of.ledger.lookup(wanted.question)
  if (view.kind === 'answered') return { screen: view.screen }
  return view.kind === 'undecided' ? await refusalNow(of, wanted, view) : undefined
}

async function refusalNow(
  of: Options,
  wanted: Wanted,
  view: Undecided,
): Promise<PlaceScreen | undefined> {
  const { kind, question, draft } = wanted
  const state = await of.pins?.state(question.account)
  if (state !== undefined && state.kind !== 'open') {
    return { screen: end(deniedText(of.say, state.kind)), reason: state.kind }
  }
  const spendsWei = typeof draft.amountWei === 'bigint' ? draft.amountWei : 0n
  const limits = selectLimits(of.limits, view)
  const over =
    openLimit(limits, view.usage) ??
    (await of.ledger.knownRefusal(question.account, limits, { kind, spendsWei }))
  if (over !== undefined)
    return { screen: end(refusalText(of, over, kind)), reason: reasonIn(over) }
  // Open payments may change both before this one is made.
  const refusal =
    view.open.length === 0 ? await refusalByContract(of, wanted, spendsWei) : undefined
  return refusal && { screen: end(loanRefusalText(of, refusal, kind)), reason: refusal.reason }
}

/** Returns what the contract would refuse; mentions a balance only if no PIN guards it. */
async function refusalByContract(
  of: Options,
  { kind, question: { account } }: Wanted,
  neededWei: bigint,
): Promise<LoanRefusal | undefined> {
  const owedWei = kind === 'repayment' ? (await of.loan.debt(account)).owedWei : undefined
  if (owedWei === 0n) return { reason: 'no_loan' }
  if (owedWei !== undefined && neededWei > owedWei) {
    return { reason: 'repayment_too_large', owedWei }
  }
  if (neededWei === 0n || of.settings.pin === 'strict') return undefined
  const balanceWei = await of.loan.balance(account)
  if (balanceWei >= neededWei) return undefined
  return { reason: 'balance_too_low', balanceWei, neededWei }
}
