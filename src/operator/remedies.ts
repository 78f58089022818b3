import type { CheckName, PaymentSummary } from './answers.ts'

/** Holds the remedy of each failing check. */
export const remedies: Readonly<Record<CheckName, string>> = {
  configuration: 'Set what it names.',
  identity: 'Put the former values back: no payment is taken meanwhile, and nothing is lost.',
  ledger:
    'Where its rows are torn, restore the last export, or set a Durable Object back: no payment is taken meanwhile.',
  node: 'Look at the node, or name another one in NODE_URL: nothing is lost.',
  clock:
    "Set the machine's clock: payments of this process are refused in words, and nothing is lost.",
  queue: 'Wait, or carry more at a time: new payments are refused in words, and nothing is lost.',
  relayer_funds: 'Send it some (npm run relayers -- top-up): nothing is lost.',
  gas_price:
    'Raise MAX_GAS_PRICE_WEI, or wait: payments are refused in words, and nothing is lost.',
  contracts:
    'Unpause them, or compare the addresses with the deployment: nothing is lost. The loan contract: `npm run pool -- unpause`; the forwarder: its owner calls unpause().',
  rounds: 'Look at the cron, and at the log of the ledger.',
  intake: 'Restore it to its end (npm run ops -- restore): no payment is taken meanwhile.',
  upstream_budget: "Raise UPSTREAM_CALLS_A_DAY if the node's plan has more, or wait for 00:00 UTC.",
}

/** Describes a payment's fate as the end of a sentence; `where` names its block. */
export function describeFate(payment: PaymentSummary, where = `block ${payment.block}`): string {
  const { state, reason, attempts } = payment
  switch (state) {
    case 'queued':
      return `waits for its turn${attempts === 0 ? '' : ` after ${attempts} vain attempts`}: no transaction carries it yet.`
    case 'signed':
      return 'is with the nodes: no round has seen it in a block yet.'
    case 'mined':
      return `is in ${where} and waits for more blocks on it.`
    case 'confirmed':
      return `was done in ${where}.`
    case 'reverted':
      return `failed in ${where}: ${reason ?? 'no reason was given'}. Nothing has moved.`
    case 'expired':
      return 'was not carried before its deadline. Nothing has moved, and nothing will.'
  }
}
