import type { PaymentKind } from '../loan/kinds.ts'
import { getProgress } from '../relay/progress.ts'
import type { CheckName } from './schemas/health.ts'
import type { PaymentSummary } from './schemas/payments.ts'

/** Maps each failing check to its remedy. */
export const remedies: Readonly<Record<CheckName, string>> = {
  configuration: 'Correct the variables that it names.',
  identity: 'Put the former values back: no payment is accepted meanwhile, and nothing is lost.',
  ledger:
    'If its data is damaged, set it back to before that, or resume (`npm run ops -- resume`) once you know what is gone: no payment is accepted meanwhile.',
  node: 'Repair the node, or name another one in NODE_URL: nothing is lost. A chain of your own that makes blocks only for payments is named by MIN_DIFFICULTY.',
  clock:
    "Set the machine's clock: payments of this process are refused meanwhile, and nothing is lost.",
  queue: 'Wait: new payments are refused meanwhile, callers are told so, and nothing is lost.',
  relayer_funds: 'Top up the relayer (`npm run ops -- relayers top-up`): nothing is lost.',
  gas_price:
    'Raise MAX_GAS_PRICE_WEI, or wait: callers are told that payments are refused, and nothing is lost.',
  contracts:
    'Unpause them, or compare the addresses with the deployment: nothing is lost. The loan contract: `npm run ops -- pool unpause`; the forwarder: its owner calls unpause().',
  rounds: "Check that the cron runs, and read the ledger's log.",
  upstream_budget: "Raise UPSTREAM_CALLS_A_DAY if the node's plan has more, or wait for 00:00 UTC.",
}

/** Says which message was last tried to remind a borrower of a loan. */
export const reminderWords = {
  none: 'none yet',
  soon: '3 days before it is due',
  today: 'on that day',
} as const

/** Says in a word which way a payment's money goes, as its account sees it. */
export function nameWay({ direction, kind }: { direction: 'in' | 'out'; kind: PaymentKind }) {
  if (direction === 'in') return 'received'
  if (kind === 'loan') return 'lent'
  return kind === 'deposit' ? 'credited' : 'sent'
}

/** Describes what became of a payment, as the end of a sentence; `where` names its block. */
export function describeFate(payment: PaymentSummary, where = `block ${payment.block}`): string {
  const { state, reason, attempts } = payment
  const word = getProgress(payment)
  const hasFailed = state === 'reverted' || state === 'expired'
  if (hasFailed && payment.assuredAt !== null) {
    const cause = state === 'expired' ? 'no block took it before its deadline' : reason
    return `was ${word} for its agent, and did not happen: ${cause}. The account was not charged, so you stand for what was handed out.`
  }
  switch (state) {
    case 'queued':
      return `is ${word}: it waits for its turn${attempts === 0 ? '' : ` after ${attempts} failed attempts`}.`
    case 'signed':
      return `is ${word}: the nodes have it, no block yet.`
    case 'mined':
      return `is ${word}: in ${where}, not yet deep enough.`
    case 'confirmed':
      return `was ${word} in ${where}.`
    case 'reverted':
      return `${word} in ${where}: ${reason ?? 'no reason was given'}. Nothing has moved.`
    case 'expired':
      return `${word}: it ${reason === null ? 'was not carried before its deadline' : `was not sent: ${reason}`}. Nothing has moved, and nothing will.`
  }
}
