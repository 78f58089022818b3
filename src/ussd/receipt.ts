import type { LoanCall } from '../loan/calls.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import { formatAgreed, type LocalWorth, type Rate } from '../loan/local-worth.ts'
import { hashPlaceholder } from '../relay/ledger/values.ts'
import { withTimeLimit } from '../runtime/clock.ts'
import { payments } from './menu/payments.ts'
import { createWorthFormats, writeFitting } from './screens/amount-formats.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import { countSeptets, maxSeptets } from './screens/septets.ts'
import type { Visit } from './visit.ts'

/** Describes a payment as its screen does; `to` is empty if it has no recipient. */
export type ShownPayment = {
  kind: PaymentKind
  amountWei: bigint | 'all'
  agreed?: LocalWorth | undefined
  to: string
  code: string
  receipt: string
  feeWei: bigint
  /** Is what the payer has after it, and of a repayment what it repays, and what is owed then. */
  after?: { balanceWei: bigint; paidWei: bigint; owedWei: bigint | undefined } | undefined
}

/**
 * Writes the screen of a submitted payment. The demonstration names its transaction; a lender's is
 * a receipt, as far as that has room.
 */
export function writeSubmitted(
  { services, messages }: Visit,
  { kind, amountWei, agreed, to, code, receipt, feeWei, after }: ShownPayment,
  transaction: { hash: string } | { queued: string },
  rate: Rate | 'none' = 'none',
): Screen {
  const { settings, showAmount, showExactAmount } = services
  const { submitted } = payments[kind].words(messages)
  const showUnit = agreed ? showAmount : showExactAmount
  const { showOwed, inShort } = createWorthFormats(services, rate)
  const wholeText = after?.owedWei === undefined ? 'all' : inShort.showOwed(after.paidWei)
  const unitText = amountWei === 'all' ? wholeText : showUnit(amountWei)
  const isQueued = 'queued' in transaction
  if (settings.profile === 'demo') {
    const name = isQueued ? transaction.queued : formatHash(transaction.hash)
    return endScreen(submitted(unitText, to, `Tx: ${name}`, code))
  }
  const { number, noFee, fee, balanceAfter, owedAfter } = messages.receipt
  const feeLine = feeWei === 0n ? noFee : fee(showOwed(feeWei))
  const afterLines = after === undefined ? [] : [balanceAfter(inShort.show(after.balanceWei))]
  const isWhole = kind === 'repayment' && amountWei === 'all'
  const owedWei = isWhole ? 0n : after?.owedWei
  if (owedWei !== undefined) afterLines.unshift(owedAfter(inShort.showOwed(owedWei)))
  const numberLine = [number(receipt), ...(isQueued ? [transaction.queued] : [])].join(', ')
  const write =
    (hasClosing: boolean, ...lines: string[]) =>
    (amount: string) => {
      const [title = '', ...words] = submitted(amount, to, numberLine, code).split('\n')
      const closed = hasClosing || !withClosing.has(kind) ? words : words.slice(0, -1)
      // The words of a transfer have no amount, since the demonstration's have none.
      return [title, ...(kind === 'transfer' ? [amount] : []), ...closed, ...lines].join('\n')
    }
  const whole = formatAgreed(agreed, unitText)
  const fitting = [
    write(true, feeLine, ...afterLines),
    write(true, ...afterLines),
    write(false, feeLine, ...afterLines),
    write(false, ...afterLines),
  ].find((writeText) => countSeptets(writeText(whole)) <= maxSeptets)
  return endScreen(fitting?.(whole) ?? writeFitting(agreed, unitText, write(true)))
}

/** Lists the payments whose words end with a line that a receipt can do without. */
export const withClosing: ReadonlySet<PaymentKind> = new Set([
  'transfer',
  'repayment',
  'cashOut',
  'withdrawal',
])

/** Limits how long a payment waits for its receipt's balance, which it can do without. */
const balanceWithinMs = 1_000

/**
 * Estimates what an account that has no other open payment has and owes after a call: others may
 * pay meanwhile. Returns undefined if that cannot be read, or if the chain alone knows the amount.
 */
export async function estimateAfter(
  { services, account: { address } }: Visit,
  call: LoanCall,
): Promise<ShownPayment['after']> {
  const { loan } = services
  const debt = call.kind === 'repayment' ? loan.readDebt(address) : undefined
  const reading = Promise.all([loan.readBalance(address), debt]).catch(() => [])
  const [hadWei, { owedWei } = {}] = await withTimeLimit(
    services,
    balanceWithinMs,
    reading,
    () => [],
  )
  if (hadWei === undefined) return undefined
  if (call.kind === 'loan') {
    const balanceWei = hadWei + call.principalWei
    return { balanceWei, paidWei: 0n, owedWei: undefined }
  }
  const paidWei = call.amountWei === 'all' ? owedWei : call.amountWei
  if (paidWei === undefined || paidWei > hadWei || paidWei > (owedWei ?? paidWei)) return undefined
  const leftWei = owedWei === undefined ? undefined : owedWei - paidWei
  return { balanceWei: hadWei - paidWei, paidWei, owedWei: leftWei }
}

export const getFee = (call: LoanCall): bigint => (call.kind === 'loan' ? call.feeWei : 0n)

/** Shows the start of a transaction's hash, or the placeholder of one. */
const formatHash = (hash: string): string => `${hash.slice(0, hashPlaceholder.length)}...`
