import { isAddressEqual } from 'viem'
import { decodeCall } from '../../../../src/loan/calls.ts'
import { activity } from '../../../../src/ussd/menu/entries/activity.ts'
import { english } from '../../../../src/ussd/messages/en.ts'
import { lookText } from '../draw/lender.ts'
import type { Delivery, History } from '../history.ts'
import { Status } from '../model/contracts.ts'
import { digest } from '../model/hashing.ts'
import { billReference, tills } from '../plan.ts'
import type { Report } from './circumstances.ts'
import { formatAmount } from './lender.ts'

const says = activity.words(english)

/** Judges that a till shows each payment as the chain has it, by the code of who paid. */
export function judgeTills(history: History, found: Report): void {
  if (!history.plan.setup.isLender) return
  for (const { said, reply, intentId, actor } of history.deliveries) {
    if (said?.key !== 'withdrawal.submitted' && said?.key !== 'purchase.submitted') continue
    if (reply?.includes(computeCode(intentId))) continue
    found('handed', `${actor.name} is shown another code than who is paid`)
  }
  const looks = history.deliveries.filter(({ dial }) => dial.text === lookText)
  for (const look of looks) judgeLook(history, look, found)
}

function judgeLook(history: History, look: Delivery, found: Report): void {
  const { dial, reply, repliedAt = 0, actor } = look
  const account = history.callers[dial.caller]
  if (reply === undefined || account === undefined || dial.caller >= tills.length) return
  const lines = reply.split('\n')
  const known = history.payments.flatMap((payments) => [...payments.values()])
  // A line of a till begins with the payment's code.
  const tillLines = lines.filter((line) => /^\d{6} /.test(line))
  const finals = new Set(tillLines.filter((line) => line.endsWith(`: ${says.done}`)))
  for (const { order } of known) {
    const { request, kind } = order
    const call = decodeCall(request.data)
    if (kind !== 'withdrawal' && kind !== 'purchase') continue
    if (call === undefined || !('to' in call)) continue
    if (!isAddressEqual(call.to, account)) continue
    const paid = `${computeCode(request.intentId)} ${formatAmount(call.amountWei)}`
    const line = kind === 'purchase' ? `${paid} ${billReference}` : paid
    const done = history.processed.some(
      ({ mined, processed }) =>
        processed.intentId === request.intentId &&
        processed.status === Status.executed &&
        mined.block.since <= repliedAt,
    )
    const isFinal = finals.delete(`${line}: ${says.done}`)
    if (isFinal && !done) found('handed', `${actor.name} sees ${line} as final`, ...undone)
    if (lines.includes(`${line}: ${says.failed}`) && done) {
      found('handed', `${actor.name} sees ${line} as failed`, ...undone)
    }
  }
  for (const line of finals)
    found('handed', `${actor.name} sees ${line}: nobody paid it`, ...undone)
}

const undone = ['reorganized', 'lost_rows'] as const

/** Computes the code of a payment; written here again to check the relay's. */
function computeCode(intentId: string): string {
  const number = Number.parseInt(digest('input', 'code', intentId).slice(-12), 16)
  return `${number % 1_000_000}`.padStart(6, '0')
}
