import type { Log, LogEvent } from '../../runtime/log.ts'
import type { Transition } from '../ledger/port.ts'

/** One line a transition. Those of the outcomes have the demonstration's words. */
export function logTransitions(log: Log, transitions: readonly Transition[]): void {
  for (const transition of transitions) {
    log({
      level: transition.to === 'reverted' || transition.to === 'expired' ? 'warn' : 'info',
      event: `payment.${transition.to}`,
      message: wordsOf(transition),
      intent: transition.intentId,
      from: transition.from,
      to: transition.to,
      hash: transition.hash,
      reason: transition.reason === '' ? undefined : transition.reason,
    } satisfies LogEvent)
  }
}

function wordsOf({ label, from, to, hash, reason }: Transition): string {
  switch (to) {
    case 'confirmed':
      return `${label} confirmed: ${hash}`
    case 'reverted':
      return `${label} failed on-chain: ${reason}`
    case 'expired':
      return `${label} expired: its deadline passed and nothing was executed`
    case 'queued':
    case 'signed':
    case 'broadcast':
    case 'mined':
      return `${label} ${from} > ${to}`
  }
}
