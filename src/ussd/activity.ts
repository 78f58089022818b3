import type { Address } from 'viem'
import { showAddress } from '../account/address.ts'
import type { AccountMemory } from '../account/memory.ts'
import { callIn } from '../loan/calls.ts'
import type { Received } from '../loan/reader.ts'
import type { Payment, PaymentState } from '../relay/ledger/port.ts'
import type { Activity, ActivityState } from './facts.ts'
import { shortAddress } from './messages/texts.ts'

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
      const known = memory.sent.find(({ intentId }) => intentId === request.intentId)
      const who = known?.to ?? shown(call.to, chainId)
      return { kind: 'sent', amountWei: call.amountWei, who, state }
    }
    case 'cashOut':
      return { kind: 'cashed_out', amountWei: call.amountWei, who: shown(call.to, chainId), state }
    case 'loan':
      return { kind: 'borrowed', amountWei: call.principalWei, state }
    case 'repayment':
      return { kind: 'repaid', amountWei: call.amountWei, state }
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

/** The newest payment, if it has failed. */
export function lastFailure([newest]: readonly Payment[]): Payment | undefined {
  return newest !== undefined && stateOf(newest).kind === 'failed' ? newest : undefined
}

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
