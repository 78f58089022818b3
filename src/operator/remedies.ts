import { formatExactly, type Unit } from '../loan/amounts.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import { getProgress } from '../relay/progress.ts'
import type { AccountFound } from './schemas/callers.ts'
import type { CheckName } from './schemas/health.ts'
import type { PaymentSummary } from './schemas/payments.ts'

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

export const nothingFits =
  'Nothing was found. A number without its country code is found only once it has been used: type it with the code. A payment of this service is found for 8 days, by a receipt number, a code, or the first 10 characters of a hash after 0x. A hash that none of them has may be of a payment from a wallet: look up its receiver’s number, where what arrived stands. A gateway’s session is found by a command that asks for its number: `npm run ops -- session GATEWAY ID`'

type FoundBy = 'number' | 'till' | 'address'

/** Says where a wallet sends money for an account, what waits there, and who credits that. */
export function describeReceive(found: AccountFound, by: FoundBy, unit: Unit): string {
  const { receiveAddress, waitingWei } = found
  if (by === 'address' && !isUsed(found))
    return 'No account of this address was ever used. It may be of a wallet outside, or one that Receive shows a caller: that does not tell whose it is, so look up the caller’s number.'
  if (receiveAddress === null) return 'Where a wallet sends it money is not known now.'
  const sends = `A wallet sends it money at ${receiveAddress} (6. Receive)`
  if (waitingWei === null) return `${sends}. Whether anything waits there is not known now.`
  if (waitingWei === '0') return `${sends}. Nothing waits there.`
  const amount = formatExactly(BigInt(waitingWei), unit)
  const others =
    unit.token === null
      ? '`npm run ops -- account deposit` does, if it is more than the gas costs'
      : `\`npm run ops -- account sweep --least ${amount}\` does, with the number on its input, once in 6 hours`
  return `${sends}. ${amount} ${unit.symbol} has arrived and waits: its caller credits it by 6. Receive, 1., or ${others}.`
}

/** Tells whether anything shows that an address is an account of the service. */
const isUsed = ({ payments, refusals, balanceWei, owedWei, pin }: AccountFound): boolean =>
  payments.some(({ direction }) => direction === 'out') ||
  refusals.length > 0 ||
  pin?.isChosen === true ||
  [balanceWei, owedWei].some((wei) => wei !== '0')

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
