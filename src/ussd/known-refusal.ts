import type { Address, Hex } from 'viem'
import type { LoanRefusal } from '../loan/calls.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import { readLoanTerms } from '../loan/reader.ts'
import type { Answer } from '../relay/ledger/steps.ts'
import type { StepKey } from '../relay/ledger/values.ts'
import { selectLimits } from '../relay/pay/admission.ts'
import { nameReason, type Refusal } from '../relay/refusal.ts'
import { loan } from './menu/entries/loan.ts'
import { type AmountVerdict, type SessionDraft, wholeAmount } from './menu/node.ts'
import { recallWords } from './menu/recall.ts'
import type { Messages } from './messages/en.ts'
import { writeTime } from './messages/texts.ts'
import { writeDenial, writeLoanRefusal, writeRefusal } from './refusal-texts.ts'
import { createWorthFormats } from './screens/amount-formats.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import type { Services } from './services.ts'
import { readSessionRate } from './session/records.ts'
import type { Visit } from './visit.ts'

export type SessionView = Answer<'lookup'>

/** Holds the screen of a place in the menu; `reason` names a refusal for the operator. */
export type PlaceScreen = { screen: Screen; reason?: string | undefined }

/**
 * Returns the screen to show before the PIN: a saved answer, or a refusal that is certain now.
 * `given` is the session as the ledger knows it, if that was read already.
 */
export async function findKnownRefusal(
  visit: Visit,
  kind: PaymentKind,
  draft: SessionDraft,
  given: SessionView | undefined,
): Promise<PlaceScreen | undefined> {
  const { account } = visit.stepKey
  const { amountWei } = draft
  const view = given ?? (await visit.services.ledger.lookup(visit.stepKey))
  if (view.kind === 'answered') return { screen: view.screen }
  if (view.kind !== 'undecided') return undefined
  const pin = await visit.services.pins?.readState(account)
  if (pin !== undefined && pin.kind !== 'open') {
    return { screen: endScreen(writeDenial(visit, pin.kind)), reason: pin.kind }
  }
  const paymentWei = typeof amountWei === 'bigint' && kind !== 'loan' ? amountWei : 0n
  const limits = selectLimits(visit.services.limits, view)
  const order = { kind, spendsWei: paymentWei }
  const showRefusal = async (refusal: Refusal) => {
    const text = writeRefusal(visit, refusal, kind, await readSessionRate(visit))
    return { screen: endScreen(text), reason: nameReason(refusal) }
  }
  const refusal = await visit.services.ledger.findKnownRefusal(account, limits, order)
  if (refusal !== undefined) return showRefusal(refusal)
  // An open payment may change the balance, or end the debt, before this payment is made.
  if (view.open.length > 0 && kind !== 'loan') return undefined
  const loanRefusal = await predictLoanRefusal(visit.services, account, kind, draft)
  if (loanRefusal === undefined) return undefined
  const { held, reason } = loanRefusal
  if (held !== undefined) return showRefusal({ kind: 'recalled', ...held })
  const rate = await readSessionRate(visit)
  return { screen: endScreen(writeLoanRefusal(visit, loanRefusal, kind, rate)), reason }
}

/**
 * Judges the amount of a payment before anything is asked for it. What exceeds a debt by no more
 * than screens round it up means all of it.
 */
export async function judgeAmount(
  visit: Visit,
  stepKey: StepKey,
  kind: PaymentKind,
  draft: SessionDraft,
  messages: Messages,
): Promise<AmountVerdict> {
  const { services } = visit
  const possible = { kind: 'possible' } as const
  const view = await services.ledger.lookup(stepKey)
  if (view.kind !== 'undecided' || view.open.length > 0) return possible
  const predict = (asked: SessionDraft) =>
    // What cannot be read is judged with the payment.
    predictLoanRefusal(services, stepKey.account, kind, asked).catch(() => undefined)
  const { inShort } = createWorthFormats(services, await readSessionRate(visit))
  const { amountWei } = draft
  if (kind === 'loan') {
    const limit = readLoanTerms(services.loan, stepKey.account, 'all').catch(() => undefined)
    const { principalWei: mostWei } = (await limit) ?? {}
    const isMore = mostWei !== undefined && typeof amountWei === 'bigint' && amountWei > mostWei
    return isMore ? reject(loan.words(messages).most(inShort.show(mostWei))) : possible
  }
  let refusal = await predict(draft)
  if (refusal?.reason === 'repayment_too_large') {
    const owed = inShort.showOwed(refusal.owedWei)
    const isRounded = typeof amountWei === 'bigint' && inShort.showOwed(amountWei) === owed
    if (!isRounded) return reject(messages.lowDebt(owed))
    refusal = await predict(wholeAmount)
    if (refusal?.reason !== 'balance_too_low') return { kind: 'all' }
  }
  if (refusal?.reason !== 'balance_too_low') return possible
  const { balanceWei, held } = refusal
  const { untilLine } = recallWords(messages)
  const heldLine = held && untilLine(inShort.show(held.wei), writeTime(messages, held.until))
  const lines = [messages.lowBalance(inShort.show(balanceWei)), heldLine]
  return reject(lines.filter(Boolean).join('\n'))
}

const reject = (text: string): AmountVerdict => ({ kind: 'mistake', text })

/** Predicts the contract's refusal, as far as the account's debt, balance and listing show it. */
async function predictLoanRefusal(
  services: Services,
  account: Address,
  kind: PaymentKind,
  draft: SessionDraft,
): Promise<(LoanRefusal & { held?: Held | undefined }) | undefined> {
  const { loan, settings } = services
  const { amountWei } = draft
  const hasDebt = kind === 'repayment' || kind === 'loan'
  const owedWei = hasDebt ? (await loan.readDebt(account)).owedWei : undefined
  if (kind === 'loan') {
    if (owedWei) return { reason: 'existing_loan', owedWei }
    const isOpen = !(await loan.readTerms()).listOnly || (await loan.readListed(account))
    return isOpen ? undefined : { reason: 'not_listed' }
  }
  if (owedWei === 0n) return { reason: 'no_loan' }
  const paymentWei = (amountWei === 'all' ? owedWei : amountWei) ?? 0n
  if (owedWei !== undefined && paymentWei > owedWei) {
    return { reason: 'repayment_too_large', owedWei }
  }
  // With `strict` PINs no screen may reveal the balance before the PIN.
  if (paymentWei === 0n || settings.pin === 'strict') return undefined
  const { balanceWei, held } = await readFunds(services, account, draft)
  if (balanceWei >= paymentWei) return undefined
  const refusal = { reason: 'balance_too_low', balanceWei, neededWei: paymentWei } as const
  return balanceWei + held.wei < paymentWei ? refusal : { ...refusal, held }
}

type Held = { wei: bigint; until: number }

/** Reads what an account may spend, and what else of it is held back until when. */
async function readFunds(
  { loan, ledger }: Services,
  account: Address,
  draft: SessionDraft,
): Promise<{ balanceWei: bigint; held: Held }> {
  const [totalWei, all] = await Promise.all([
    loan.readBalance(account),
    findReturned(draft) === undefined ? ledger.listRecalled(account) : [],
  ])
  const leftWei = all.reduce((left, { wei }) => (left > wei ? left - wei : 0n), totalWei)
  const until = Math.max(0, ...all.map((each) => each.until))
  return { balanceWei: leftWei, held: { wei: totalWei - leftWei, until } }
}

/** Names the payment that a receiver gives back, unless another recipient was typed since. */
export function findReturned({ recipient, recall }: SessionDraft): Hex | undefined {
  const isSame = recipient?.kind === 'known' && recipient.address === recall?.recipient.address
  return isSame ? recall?.intentId : undefined
}

/** Reads what an account may spend: nothing that is held back, except to give it back. */
export const readSpendable = async (...of: Parameters<typeof readFunds>): Promise<bigint> =>
  (await readFunds(...of)).balanceWei
