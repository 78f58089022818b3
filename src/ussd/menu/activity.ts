import type { Address } from 'viem'
import { showAddress } from '../../account/address.ts'
import { type AccountMemory, sentTo } from '../../account/memory.ts'
import { callIn, refusalIn } from '../../loan/calls.ts'
import type { Received } from '../../loan/reader.ts'
import type { Payment, PaymentState } from '../../relay/ledger/port.ts'
import type { Activity, ActivityState, Facts } from '../facts.ts'
import { type ActivityWords, shortAddress } from '../messages/texts.ts'

/** Payments of an account that are shown. */
export const shownPayments = 8

/** What an account's own payments came to, the newest first. */
export function activityOf(
  payments: readonly Payment[],
  memory: AccountMemory,
  chainId: number,
): Activity[] {
  return payments
    .map((payment) => paymentActivity(payment, memory, chainId))
    .filter((activity) => activity !== undefined)
}

/** Undefined: a call of another version, which is not ours to name. */
function paymentActivity(
  payment: Payment,
  memory: AccountMemory,
  chainId: number,
): Activity | undefined {
  const { request } = payment.order
  const call = callIn(request.data)
  const state = stateOf(payment)
  switch (call?.kind) {
    case undefined:
      return undefined
    case 'transfer': {
      const who = sentTo(memory, request.intentId, call.to) ?? shown(call.to, chainId)
      return { kind: call.kind, amountWei: call.amountWei, who, state }
    }
    case 'cashOut':
      return { kind: call.kind, amountWei: call.amountWei, who: shown(call.to, chainId), state }
    case 'loan':
      return { kind: call.kind, amountWei: call.principalWei, state }
    case 'repayment':
      return { kind: call.kind, amountWei: call.amountWei, state }
  }
}

/** What came from others, the newest first. What a block has is shown as done. */
export function receivedOf(events: readonly Received[], chainId: number): Activity[] {
  return events.map(({ from, amountWei }) => ({
    ...{ kind: 'received', amountWei, who: shown(from, chainId), state: { kind: 'done' } },
  }))
}

const shown = (address: Address, chainId: number): string =>
  shortAddress(showAddress(address, chainId))

/** Whether a payment has failed for good. */
export const hasFailed = (payment: Payment): boolean => stateOf(payment).kind === 'failed'

function stateOf({ state, execution }: Payment): ActivityState {
  return states[state](execution?.reason ?? '')
}

const states: Readonly<Record<PaymentState, (reason: string) => ActivityState>> = {
  queued: () => ({ kind: 'under_way' }),
  signed: () => ({ kind: 'under_way' }),
  broadcast: () => ({ kind: 'under_way' }),
  mined: () => ({ kind: 'under_way' }),
  confirmed: () => ({ kind: 'done' }),
  reverted: (reason) => ({ kind: 'failed', reason }),
  expired: () => ({ kind: 'failed', reason: '' }),
}

/** A line for each activity, or that they cannot be read. */
export function activityLines(
  say: ActivityWords,
  activity: Facts['activity'],
  format: (wei: bigint) => string,
): string[] {
  if (activity === 'unread') return [say.unavailable]
  const { own, received } = activity
  const lines = [...own, ...(received === 'unread' ? [] : received)].map((each) =>
    activityLine(say, each, format),
  )
  if (received === 'unread') lines.push(say.receivedUnknown)
  return lines.length === 0 ? [say.nothing] : lines
}

/** What it was, and what became of it. */
export function activityLine(
  say: ActivityWords,
  { kind, amountWei, who = '', state }: Activity,
  format: (wei: bigint) => string,
): string {
  const amount = amountWei === 'all' ? say.allOwed : format(amountWei)
  return `${say.lines[kind](amount, who)}: ${stateText(say, state)}`
}

function stateText(say: ActivityWords, state: ActivityState): string {
  switch (state.kind) {
    case 'under_way':
      return say.underWay
    case 'done':
      return say.done
    case 'failed':
      return say.failed(say.reasons[state.reason === '' ? 'too_late' : refusalIn(state.reason)])
  }
}
