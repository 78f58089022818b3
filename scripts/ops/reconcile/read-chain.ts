import {
  type Address,
  createPublicClient,
  type GetContractEventsReturnType,
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
import { inTurns } from '../../contracts/migrate/turns.ts'
import type { Booked, Books, Spending } from './compare.ts'
import type { LoanEvent } from './loan-books.ts'

/** Where to look. */
export type ChainOptions = {
  nodeUrl: string
  loan: Address
  forwarder: Address
  /** Of the contracts' deployment, or before it. */
  fromBlock: number
  /** Whose balances are compared one by one. */
  accounts: ReadonlySet<Address>
}

/** As many blocks as nodes give logs of at once. */
const blocksAtOnce = 2_000

/** What the chain says, up to its head when it is asked. */
export async function readChain(options: ChainOptions): Promise<Omit<Books, 'payments'>> {
  const client = createPublicClient({ transport: http(options.nodeUrl) })
  const head = Number(await client.getBlockNumber())
  const spendings = await readSpendings(client, options, head)
  const events = await readEvents(client, options, head, new Set(spendings.map(({ hash }) => hash)))
  const at = { address: options.loan, abi: microLoanAbi, blockNumber: BigInt(head) } as const
  const [balancesWei, owedWei, freeWei, heldWei] = await Promise.all([
    client.readContract({ ...at, functionName: 'totalBalances' }),
    client.readContract({ ...at, functionName: 'totalOwed' }),
    client.readContract({ ...at, functionName: 'liquidity' }),
    client.getBalance({ address: options.loan, blockNumber: BigInt(head) }),
  ])
  const accounts = new Map<Address, { balanceWei: bigint; owedWei: bigint }>()
  await inTurns([...options.accounts], async (account) => {
    const [balanceWei, owed] = await Promise.all([
      client.readContract({ ...at, functionName: 'getBalance', args: [account] }),
      client.readContract({ ...at, functionName: 'loanOf', args: [account] }),
    ])
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
  { forwarder, fromBlock }: ChainOptions,
  head: number,
): Promise<Spending[]> {
  const logs = await inPieces(fromBlock, head, (range) =>
    client.getLogs({ address: forwarder, ...range }),
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
  const times = new Map<number, number>()
  await inTurns([...new Set(repeatedBlocks(spent))], async (block) => {
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(block) })
    times.set(block, Number(timestamp) * 1_000)
  })
  return spent.map((spending) => ({ ...spending, at: times.get(spending.block) ?? 0 }))
}

/** Only of an intent that was spent more than once it matters when. */
function repeatedBlocks(spent: readonly Omit<Spending, 'at'>[]): number[] {
  const times = new Map<string, number>()
  for (const { intent, account } of spent) {
    times.set(intent + account, (times.get(intent + account) ?? 0) + 1)
  }
  return spent
    .filter(({ intent, account }) => (times.get(intent + account) ?? 0) > 1)
    .map(({ block }) => block)
}

async function readEvents(
  client: PublicClient,
  { loan, fromBlock }: ChainOptions,
  head: number,
  relayed: ReadonlySet<Hex>,
): Promise<Booked[]> {
  const logs = await inPieces(fromBlock, head, (range) =>
    client.getContractEvents({ address: loan, abi: microLoanAbi, ...range, strict: true }),
  )
  const booked: Booked[] = []
  // One after the other: their order is the chain's.
  for (const log of logs) {
    const event = await eventOf(client, loan, log, relayed)
    if (event !== undefined) booked.push({ ...event, hash: lower(log.transactionHash) })
  }
  return booked
}

type Log = GetContractEventsReturnType<typeof microLoanAbi, undefined, true>[number]

async function eventOf(
  client: PublicClient,
  loan: Address,
  log: Log,
  relayed: ReadonlySet<Hex>,
): Promise<LoanEvent | undefined> {
  switch (log.eventName) {
    case 'Deposited':
    case 'Withdrawn':
      return { name: log.eventName, account: lower(log.args.account), wei: log.args.amount }
    case 'LoanIssued': {
      const { borrower, amount, fee } = log.args
      return { name: 'LoanIssued', account: lower(borrower), wei: amount, feeWei: fee }
    }
    case 'LoanWrittenOff':
      return { name: log.eventName, account: lower(log.args.borrower), wei: log.args.amount }
    case 'Transferred': {
      const { from, to, amount } = log.args
      return { name: 'Transferred', from: lower(from), to: lower(to), wei: amount }
    }
    case 'LoanRepaid': {
      const { borrower, payer, amount } = log.args
      const isFromBalance =
        borrower === payer &&
        (relayed.has(lower(log.transactionHash)) ||
          !(await isPaidFor(client, loan, log.transactionHash)))
      return { name: 'LoanRepaid', account: lower(borrower), wei: amount, isFromBalance }
    }
    case 'AccountPassed':
      return { name: 'AccountPassed', from: lower(log.args.from), to: lower(log.args.to) }
    case 'AccountMoved':
      return { name: 'AccountMoved', account: lower(log.args.account) }
    case 'AccountTakenOver': {
      const { account, amount, loan: taken } = log.args
      const { owed: owedWei, isWrittenOff } = taken
      return {
        name: 'AccountTakenOver',
        account: lower(account),
        wei: amount,
        owedWei,
        isWrittenOff,
      }
    }
    case 'Funded':
    case 'Defunded':
      return { name: log.eventName, wei: log.args.amount }
    default:
      return undefined
  }
}

const repayLoanFor = toFunctionSelector(getAbiItem({ abi: microLoanAbi, name: 'repayLoanFor' }))

/** A borrower may also repay with currency that it sends along; the event is the same. */
async function isPaidFor(client: PublicClient, loan: Address, hash: Hex): Promise<boolean> {
  const { to, input } = await client.getTransaction({ hash })
  return to?.toLowerCase() === loan.toLowerCase() && input.startsWith(repayLoanFor)
}

async function inPieces<Log>(
  from: number,
  to: number,
  read: (range: { fromBlock: bigint; toBlock: bigint }) => Promise<readonly Log[]>,
): Promise<Log[]> {
  const logs: Log[] = []
  for (let start = from; start <= to; start += blocksAtOnce) {
    const end = Math.min(to, start + blocksAtOnce - 1)
    logs.push(...(await read({ fromBlock: BigInt(start), toBlock: BigInt(end) })))
  }
  return logs
}

const lower = <Text extends Hex>(text: Text) => text.toLowerCase() as Hex
