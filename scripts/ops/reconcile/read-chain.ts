import {
  type Address,
  createPublicClient,
  getAbiItem,
  type Hex,
  http,
  isAddressEqual,
  type PublicClient,
  TransactionNotFoundError,
  toFunctionSelector,
} from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { isSpending, resultsInLogs } from '../../../src/relay/forwarder/requests.ts'
import {
  type Booked,
  type EventRange,
  readInPieces,
  readLoanEvents,
} from '../../contracts/loan-events.ts'
import { inTurns, loanAt } from '../../contracts/reads.ts'
import { type Books, keyOf, type Spending } from './compare.ts'

export type ChainOptions = {
  nodeUrl: string
  loan: Address
  forwarder: Address
  /** Of the contracts' deployment, or before it. */
  fromBlock: number
  accounts: ReadonlySet<Address>
}

/** What the chain says, up to its head when it is asked. */
export async function readChain(options: ChainOptions): Promise<Omit<Books, 'payments'>> {
  const client = createPublicClient({ transport: http(options.nodeUrl) })
  const head = Number(await client.getBlockNumber())
  const { loan, forwarder, fromBlock } = options
  const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(head) }
  const spendings = await readSpendings(client, forwarder, range)
  const relayed = new Set(spendings.map(({ hash }) => hash))
  const events = await readEvents(client, loan, range, relayed)
  const read = loanAt(client, loan)
  const at = { blockNumber: BigInt(head) }
  const [balancesWei, owedWei, freeWei, heldWei] = await Promise.all([
    read.totalBalances(at),
    read.totalOwed(at),
    read.liquidity(at),
    client.getBalance({ address: loan, ...at }),
  ])
  const accounts = new Map<Address, { balanceWei: bigint; owedWei: bigint }>()
  await inTurns(options.accounts, async (account) => {
    const asked = [read.getBalance([account], at), read.loanOf([account], at)]
    const [balanceWei = 0n, owed = 0n] = await Promise.all(asked)
    accounts.set(account, { balanceWei, owedWei: owed })
  })
  return { head, spendings, events, totals: { balancesWei, owedWei, freeWei }, heldWei, accounts }
}

/** Which of these transactions went to another forwarder: to the one before a move to new contracts. */
export async function sentElsewhere(
  { nodeUrl, forwarder }: ChainOptions,
  hashes: readonly Hex[],
): Promise<ReadonlySet<Hex>> {
  const client = createPublicClient({ transport: http(nodeUrl) })
  const elsewhere = new Set<Hex>()
  await inTurns(hashes, async (hash) => {
    // One that no block has is what is compared for.
    const sent = await client.getTransaction({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionNotFoundError) return undefined
      throw error
    })
    if (sent?.to != null && !isAddressEqual(sent.to, forwarder)) elsewhere.add(hash)
  })
  return elsewhere
}

async function readSpendings(
  client: PublicClient,
  forwarder: Address,
  range: EventRange,
): Promise<Spending[]> {
  const logs = await readInPieces(range, (blocks) =>
    client.getLogs({ address: forwarder, ...blocks }),
  )
  const spent = logs.flatMap((log) =>
    resultsInLogs({ chainId: 0, address: forwarder }, [log]).flatMap(
      ({ intentId, from, status: outcome }) =>
        isSpending(outcome)
          ? {
              intent: lower(intentId),
              account: lower(from),
              outcome,
              hash: lower(log.transactionHash),
              block: Number(log.blockNumber),
            }
          : [],
    ),
  )
  // Only of an intent that was spent more than once it matters when.
  const repeated = [...Map.groupBy(spent, keyOf).values()].filter(({ length }) => length > 1).flat()
  const times = new Map<number, number>()
  await inTurns(new Set(repeated.map(({ block }) => block)), async (block) => {
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(block) })
    times.set(block, Number(timestamp) * 1_000)
  })
  return spent.map((spending) => ({ ...spending, at: times.get(spending.block) ?? 0 }))
}

/** Addresses and hashes in lower case; of each repayment whether it was paid from the balance. */
async function readEvents(
  client: PublicClient,
  loan: Address,
  range: EventRange,
  relayed: ReadonlySet<Hex>,
): Promise<Booked[]> {
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

/** A borrower may also repay with currency that it sends along; the event is the same. */
async function isPaidFor(client: PublicClient, loan: Address, hash: Hex): Promise<boolean> {
  const { to, input } = await client.getTransaction({ hash })
  return to?.toLowerCase() === loan.toLowerCase() && input.startsWith(repayLoanFor)
}

const lower = <Text extends Hex>(text: Text) => text.toLowerCase() as Hex
