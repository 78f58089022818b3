import type { Address, Hex } from 'viem'
import { type PaymentSummary, paymentsAnswer } from '../../../src/operator/answers.ts'
import { StackError } from '../../stack/report.ts'
import type { OperatorClient } from '../operator-client.ts'
import { differences, firstBlock, keyOf, type Spending } from './compare.ts'
import { readChain, sentElsewhere } from './read-chain.ts'

/** Compares the ledger with the events and sums of the chain from a block on. @throws {StackError} */
export async function reconcile(
  operator: OperatorClient,
  { fromBlock, eachAccount }: { fromBlock: number; eachAccount: boolean },
) {
  const { nodeUrl } = operator
  if (nodeUrl === undefined) throw new StackError('Set NODE_URL to a node of the chain.')
  const { contracts } = await operator.status()
  // What is paid between the two looks is newer than the chain that is looked at.
  const known = await readPayments(operator)
  const accounts = new Set(
    [...known.values()].map(({ account }) => account.toLowerCase() as Address),
  )
  const at = {
    nodeUrl,
    loan: contracts.loan as Address,
    forwarder: contracts.forwarder as Address,
    fromBlock,
    accounts: eachAccount ? accounts : new Set<Address>(),
  }
  const chain = await readChain(at)
  const read = await readPayments(operator)
  const payments = [...read.values(), ...(await askFor(operator, unread(known, chain, read)))]
  const elsewhere = await sentElsewhere(at, unspentHashes(payments, chain.spendings))
  const compared = payments.filter(({ hash }) => hash === null || !elsewhere.has(hash as Hex))
  return {
    head: chain.head,
    payments: compared.length,
    /** Those that went to other contracts than today's: nothing of them is compared. */
    elsewhere: payments.length - compared.length,
    spendings: chain.spendings.length,
    events: chain.events.length,
    differences: differences({ ...chain, payments: compared }),
  }
}

function unspentHashes(payments: readonly PaymentSummary[], spendings: readonly Spending[]): Hex[] {
  const spent = new Set(spendings.map(({ intent }) => intent))
  return payments.flatMap(({ intent, hash }) =>
    hash === null || spent.has(intent as Hex) ? [] : [hash as Hex],
  )
}

/** Intents that were told of, by the ledger before or by the chain, and are on no page of the last reading. */
function unread(
  known: ReadonlyMap<string, PaymentSummary>,
  { spendings }: { spendings: readonly Spending[] },
  read: ReadonlyMap<string, PaymentSummary>,
): Hex[] {
  const since = firstBlock(read.values())
  const told = [
    ...[...known.values()].map(({ intent, account }) => ({ intent: intent as Hex, account })),
    ...spendings.filter(({ block }) => block >= since),
  ]
  return [...new Set(told.filter((one) => !read.has(keyOf(one))).map(({ intent }) => intent))]
}

/** More than that are a difference, however they are asked for. */
const mostAsked = 1_000

/** Payments that were on no page, as a payment is that moves on while pages are read: each by its intent. */
async function askFor(
  operator: OperatorClient,
  intents: readonly Hex[],
): Promise<PaymentSummary[]> {
  const found: PaymentSummary[] = []
  for (const intent of intents.slice(0, mostAsked)) {
    const page = await operator.ask(`/operator/payments?intent=${intent}`, paymentsAnswer)
    found.push(...page.payments)
  }
  return found
}

/** All that the ledger remembers, those of long ago among them. */
async function readPayments(operator: OperatorClient): Promise<Map<string, PaymentSummary>> {
  const payments = new Map<string, PaymentSummary>()
  for (const archived of ['true', 'false']) {
    for (let before: string | null = ''; before !== null; ) {
      const query = new URLSearchParams({ archived, limit: '200', ...(before && { before }) })
      const page = await operator.ask(`/operator/payments?${query}`, paymentsAnswer)
      for (const payment of page.payments) payments.set(keyOf(payment), payment)
      before = page.next
    }
  }
  return payments
}
