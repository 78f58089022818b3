import { paymentKinds } from '../../loan/kinds.ts'
import type { Log, LogEvent } from '../../runtime/log.ts'
import type { Transition } from '../ledger/payments/payment-states.ts'

/** Logs a line for each transition; outcomes have the demonstration's words. */
export function logTransitions(log: Log, transitions: readonly Transition[]): void {
  for (const transition of transitions) {
    log({
      level: transition.to === 'reverted' || transition.to === 'expired' ? 'warn' : 'info',
      event: `payment.${transition.to}`,
      message: describeTransition(transition),
      intent: transition.intentId,
      from: transition.from,
      to: transition.to,
      hash: transition.hash,
      reason: transition.reason === '' ? undefined : transition.reason,
    } satisfies LogEvent)
  }
}

function describeTransition({ kind, from, to, hash, reason }: Transition): string {
  const { name } = paymentKinds[kind]
  switch (to) {
    case 'confirmed':
      return `${name} confirmed: ${hash}`
    case 'reverted':
      return `${name} failed on-chain: ${reason}`
    case 'expired':
      return reason === ''
        ? `${name} expired: its deadline passed and nothing was executed`
        : `${name} was not sent: ${reason}`
    case 'queued':
    case 'signed':
    case 'mined':
      return `${name} ${from} > ${to}`
  }
}
