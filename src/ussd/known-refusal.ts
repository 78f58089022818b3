import type { Pins } from '../account/pin.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { Ledger, Question, Undecided } from '../relay/ledger/port.ts'
import { type AccountLimits, openLimit } from '../relay/pay/admission.ts'
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
  amountOf: (wei: bigint) => string
}

type Wanted = { kind: PaymentKind; question: Question; draft: SessionDraft }

/** Gives the end that a payment would come to, as far as that is known before its PIN is typed. */
export async function knownRefusal(of: Options, wanted: Wanted): Promise<Screen | undefined> {
  const view = await of.ledger.lookup(wanted.question)
  if (view.kind === 'answered') return view.screen
  const refused = view.kind === 'undecided' ? await refusalNow(of, wanted, view) : undefined
  return refused === undefined ? undefined : end(refused)
}

async function refusalNow(
  of: Options,
  wanted: Wanted,
  view: Undecided,
): Promise<string | undefined> {
  const { kind, question, draft } = wanted
  const state = await of.pins?.state(question.account)
  if (state !== undefined && state.kind !== 'open') return deniedText(of.say, state.kind)
  const spendsWei = typeof draft.amountWei === 'bigint' ? draft.amountWei : 0n
  const over =
    openLimit(of.limits, view.load) ??
    (await of.ledger.knownRefusal(question.account, of.limits, { kind, spendsWei }))
  if (over !== undefined) return refusalText(of, over, kind)
  // What is open may change both before this payment is made.
  return view.open.length === 0 ? refusalByContract(of, wanted, spendsWei) : undefined
}

/** Tells what the contract would refuse; a balance is told only where no PIN guards it. */
async function refusalByContract(
  of: Options,
  { kind, question: { account } }: Wanted,
  neededWei: bigint,
): Promise<string | undefined> {
  const owedWei = kind === 'repayment' ? (await of.loan.debt(account)).owedWei : undefined
  if (owedWei === 0n) return loanRefusalText(of, { reason: 'no_loan' }, kind)
  if (owedWei !== undefined && neededWei > owedWei) {
    return loanRefusalText(of, { reason: 'repayment_too_large', owedWei }, kind)
  }
  if (neededWei === 0n || of.settings.pin === 'strict') return undefined
  const balanceWei = await of.loan.balance(account)
  if (balanceWei >= neededWei) return undefined
  return loanRefusalText(of, { reason: 'balance_too_low', balanceWei, neededWei }, kind)
}
