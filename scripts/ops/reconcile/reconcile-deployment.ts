import {
  type Address,
  erc20Abi,
  getAbiItem,
  type Hex,
  isAddressEqual,
  type PublicClient,
  TransactionNotFoundError,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { getQuantum, type Unit } from '../../../src/loan/amounts.ts'
import { type PaymentSummary, paymentsAnswer } from '../../../src/operator/schemas/payments.ts'
import { decodeResults, spendsIntent } from '../../../src/relay/forwarder/requests.ts'
import {
  type Booked,
  collectLogs,
  type EventRange,
  lanes,
  loanAt,
  readLoanEvents,
} from '../../contracts/reads.ts'
import { inLanes } from '../../dev/lanes.ts'
import { openNode } from '../../stack/chain/node.ts'
import { readChainId } from '../../stack/options.ts'
import { StackError } from '../../stack/report.ts'
import type { OperatorClient } from '../operator-client.ts'
import { differences, firstBlock, keyOf, type Spending } from './compare.ts'

/** Compares the ledger with the chain's events and sums from a block on. @throws {StackError} */
export async function reconcile(
  operator: OperatorClient,
  { fromBlock, eachAccount }: { fromBlock: number; eachAccount: boolean },
) {
  const { nodeUrl } = operator
  if (nodeUrl === undefined) throw new StackError('Set NODE_URL to a node of the chain.')
  const { contracts, chainId, unit } = await operator.status()
  const { client } = await openNode([nodeUrl], readChainId(`${chainId}`))
  // What is paid between the two looks is newer than the chain that is looked at.
  const known = await readPayments(operator)
  const accounts = new Set([...known.values()].map(({ account }) => lower(account)))
  const [loan, forwarder] = [contracts.loan as Address, contracts.forwarder as Address]
  const place = { client, loan, unit, forwarder, fromBlock }
  const chain = await readChain(place, eachAccount ? accounts : new Set())
  const read = await readPayments(operator)
  const since = firstBlock(read.values())
  const told = [...known.values(), ...chain.spendings.filter(({ block }) => block >= since)]
  const payments = [...read.values(), ...(await askForUnread(operator, told, read))]
  const spent = new Set<string>(chain.spendings.map(({ intent }) => intent))
  const unspent = payments.filter(({ intent }) => !spent.has(intent))
  const hashes = unspent.flatMap(({ hash }) => (hash === null ? [] : [hash as Hex]))
  const elsewhere = await findSentElsewhere(place, hashes)
  const compared = payments.filter(({ hash }) => hash === null || !elsewhere.has(hash as Hex))
  return {
    head: chain.head,
    payments: compared.length,
    /** Counts payments to other contracts than today's, which are not compared. */
    elsewhere: payments.length - compared.length,
    spendings: chain.spendings.length,
    events: chain.events.length,
    differences: differences({ ...chain, payments: compared }),
  }
}

/** Limits reads of missing payments: more than these are a difference anyway. */
const mostAsked = 1_000

/** Asks by intent for what ledger or chain told and no page has, since it moved meanwhile. */
async function askForUnread(
  operator: OperatorClient,
  told: readonly (PaymentSummary | Spending)[],
  read: ReadonlyMap<string, PaymentSummary>,
): Promise<PaymentSummary[]> {
  // One whose owner was erased has no account.
  const isRead = (one: PaymentSummary | Spending) =>
    read.has(keyOf(one)) || read.has(keyOf({ ...one, account: zeroAddress }))
  const unread = told.filter((one) => !isRead(one)).map(({ intent }) => intent)
  const found: PaymentSummary[] = []
  for (const intent of [...new Set(unread)].slice(0, mostAsked)) {
    const page = await operator.ask(`/operator/payments?intent=${intent}`, paymentsAnswer)
    found.push(...page.payments)
  }
  return found
}

/** Reads all payments of the ledger, including archived ones. */
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

/** Says where to read the chain, from the contracts' deployment or earlier. */
type Place = {
  client: PublicClient
  loan: Address
  unit: Unit
  forwarder: Address
  fromBlock: number
}

/** Reads the chain up to its present head. */
async function readChain(place: Place, asked: ReadonlySet<Address>) {
  const { client, loan, fromBlock } = place
  const head = Number(await client.getBlockNumber())
  const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(head) }
  const spendings = await readSpendings(place, range)
  const relayed = new Set(spendings.map(({ hash }) => hash))
  const events = await readEvents(place, range, relayed)
  const read = loanAt(client, loan)
  const at = { blockNumber: BigInt(head) }
  const [balancesWei, owedWei, freeWei, heldWei] = await Promise.all([
    read.totalBalances(at),
    read.totalOwed(at),
    read.liquidity(at),
    readHeld(place, at),
  ])
  const accounts = new Map<Address, { balanceWei: bigint; owedWei: bigint }>()
  await inLanes(lanes, asked, async (account) => {
    const balanceWei = await read.getBalance([account], at)
    accounts.set(account, { balanceWei, owedWei: await read.loanOf([account], at) })
  })
  return { head, spendings, events, totals: { balancesWei, owedWei, freeWei }, heldWei, accounts }
}

/** Reads what the contract holds of what it counts. */
async function readHeld({ client, loan: address, unit }: Place, at: { blockNumber: bigint }) {
  if (unit.token === null) return client.getBalance({ address, ...at })
  const token = unit.token.address as Address
  const call = { abi: erc20Abi, address: token, functionName: 'balanceOf' } as const
  return (await client.readContract({ ...call, args: [address], ...at })) / getQuantum(unit)
}

/** Finds transactions that went to another forwarder, as before a move to new contracts. */
async function findSentElsewhere({ client, forwarder }: Place, hashes: readonly Hex[]) {
  const elsewhere = new Set<Hex>()
  await inLanes(lanes, hashes, async (hash) => {
    // One that no block has is what is compared for.
    const sent = await client.getTransaction({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionNotFoundError) return undefined
      throw error
    })
    if (sent?.to != null && !isAddressEqual(sent.to, forwarder)) elsewhere.add(hash)
  })
  return elsewhere
}

async function readSpendings({ client, forwarder }: Place, range: EventRange): Promise<Spending[]> {
  const logs = await collectLogs(range, (part) => client.getLogs({ address: forwarder, ...part }))
  const spent = logs.flatMap((log) => {
    const [hash, block] = [lower(log.transactionHash), Number(log.blockNumber)]
    const results = decodeResults({ chainId: 0, address: forwarder }, [log])
    return results.flatMap(({ intentId, from, status: outcome }) => {
      if (!spendsIntent(outcome)) return []
      return { intent: lower(intentId), account: lower(from), outcome, hash, block }
    })
  })
  // Only of an intent that was spent more than once it matters when.
  const repeated = [...Map.groupBy(spent, keyOf).values()].filter(({ length }) => length > 1).flat()
  const times = new Map<number, number>()
  await inLanes(lanes, new Set(repeated.map(({ block }) => block)), async (block) => {
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(block) })
    times.set(block, Number(timestamp) * 1_000)
  })
  return spent.map((spending) => ({ ...spending, at: times.get(spending.block) ?? 0 }))
}

/** Addresses and hashes in lower case; of each repayment whether it was paid from the balance. */
async function readEvents({ client, loan }: Place, range: EventRange, relayed: ReadonlySet<Hex>) {
  const booked: Booked[] = []
  for (const { args, ...event } of await readLoanEvents(client, loan, range)) {
    const lowered = Object.entries(args).map(([name, value]) =>
      typeof value === 'string' ? [name, value.toLowerCase()] : [name, value],
    )
    const isOwn = 'payer' in args && 'borrower' in args && args.borrower === args.payer
    const isDirect = isOwn && !relayed.has(event.hash)
    const isSentAlong = isDirect && (await isPaidFor(client, loan, event.hash))
    booked.push({ ...event, args: Object.fromEntries(lowered), isSentAlong } as Booked)
  }
  return booked
}

const repayLoanFor = toFunctionSelector(getAbiItem({ abi: microLoanAbi, name: 'repayLoanFor' }))

/** Tells whether a repayment was paid with sent currency: its event is the same. */
async function isPaidFor(client: PublicClient, loan: Address, hash: Hex): Promise<boolean> {
  const { to, input } = await client.getTransaction({ hash })
  return to !== null && isAddressEqual(to, loan) && input.startsWith(repayLoanFor)
}

const lower = (text: string) => text.toLowerCase() as Hex
