import { type Address, encodeAbiParameters, isAddressEqual, keccak256, zeroAddress } from 'viem'
import { createCallerAccounts } from '../../src/account/caller-accounts.ts'
import type { Chain } from '../../src/chain/chains.ts'
import { parseAddress } from '../../src/chain/payees.ts'
import { formatExactly, parseAmount } from '../../src/loan/amounts.ts'
import { openOperator } from '../ops/operator-client.ts'
import { openNode } from '../stack/chain/node.ts'
import { createCommand, type Terminal, text } from '../stack/command.ts'
import { readKeyOf } from '../stack/money/key-source.ts'
import { createTreasury, openTreasury } from '../stack/money/treasury.ts'
import { readChainId, readNodeUrls, readRequired, readSecret } from '../stack/options.ts'
import { Misused, StackError } from '../stack/report.ts'
import { type Borrower, parseBorrowers, refuseLine } from './migrate/phones.ts'
import { batchesOf } from './migrate/plan.ts'
import { loanAt, readUnit } from './reads.ts'

const usage = `usage: npm run ops -- borrowers add|remove|list [--keystore FILE] [--secrets FILE] < numbers.txt

Reads telephone numbers from the standard input, one a line (+254700000001), and lists their
accounts as borrowers of the loan contract, takes them from the list, or says which are on it, and
up to how much each may borrow. A line of add may set that too, in the contract's unit, up to
the owner's ceiling (+254700000001 0.5); without it, it stays as it is.

  LOAN_ADDRESS         the loan contract; without it the local stack is meant, which says the rest itself
  NODE_URL             the node (of several, the first that answers)
  CHAIN_ID             31 (testnet) or 30 (31 by default)
  ACCOUNT_KEY_SECRET   the deployment's: accounts follow from it
  CREDITOR_KEY         signs and pays for add and remove: the key of the contract's creditor, where it is not in
                       a keystore, whose password is in KEYSTORE_PASSWORD`

/** Accounts that one transaction changes: 100 take less than half of a block of Rootstock. */
const batchSize = 100

export const borrowers = createCommand({
  usage,
  ownKey: 'CREDITOR_KEY',
  options: { keystore: text },
  async run({ keystore }, [action = '', ...rest], terminal) {
    if (rest.length > 0 || !['add', 'remove', 'list'].includes(action)) throw new Misused()
    const list = await openList(terminal)
    const listed: boolean[] = []
    for (const { account } of list.entries) listed.push(await list.read.isListed([account]))
    if (action === 'list') return { lines: await describeEntries(list, listed) }
    const isAdded = action === 'add'
    const limits = isAdded ? await readLimits(list) : refuseLimits(list)
    const changing = list.entries.filter((_, index) => listed[index] !== isAdded)
    const creditor = await openCreditor(list, keystore, terminal.env)
    for (const batch of batchesOf(changing, batchSize)) {
      const accounts = batch.map(({ account }) => account)
      await creditor.callLoan(list.loan, 'setBorrowers', [accounts, isAdded])
    }
    for (const batch of batchesOf(limits, batchSize)) {
      await creditor.callLoan(list.loan, 'setBorrowerLimits', [batch])
    }
    const done = `${changing.length} ${isAdded ? 'added' : 'removed'}`
    const same = `${list.entries.length - changing.length} were so already`
    const isLimited = list.entries.some(({ limit }) => limit !== undefined)
    return { lines: [`${done}, ${same}`, ...(isLimited ? [`${limits.length} limits set`] : [])] }
  },
})

/** Says of each number whether it is listed, and up to how much it may borrow at a time. */
async function describeEntries({ entries, read, unit }: List, listed: readonly boolean[]) {
  const lines: string[] = []
  for (const [index, { account }] of entries.entries()) {
    const limit = formatExactly(await read.limitOf([account]), unit)
    const words = listed[index] ? 'listed' : 'not listed'
    lines.push(`number ${index + 1}: ${words}, up to ${limit}`)
  }
  return lines
}

/** Reads the limits that are not so yet. @throws {StackError} one is no amount, or out of bounds */
async function readLimits({ node, loan, entries, read, unit }: List) {
  const [least, principal] = [await read.MIN_PRINCIPAL(), await read.principal()]
  const ceiling = await read.ceilingOfLimits()
  const isAbove = ceiling > principal
  const most = isAbove ? ceiling : principal
  const changing: { account: Address; limit: bigint }[] = []
  for (const { account, line, limit } of entries) {
    if (limit === undefined) continue
    const parsed = parseAmount(limit, unit)
    if (parsed.kind === 'fault' || parsed.wei < least || parsed.wei > most) {
      const bounds = [least, most].map((wei) => formatExactly(wei, unit)).join(' to ')
      return refuseLine(line, `has no limit of ${bounds}, which the ceiling leaves`)
    }
    // A limit above the ceiling, and none of one's own, look like another until that changes.
    const isSo = (await readOwnLimit({ node, loan }, account)) === parsed.wei
    if (!isSo) changing.push({ account, limit: parsed.wei })
  }
  return changing
}

/** Holds the place of the limits that are set, in the contract's storage (`_limits`). */
const limitsSlot = 35n

/** Reads the limit that was set for an account, which `limitOf` shows up to the ceiling alone. */
async function readOwnLimit({ node, loan }: Pick<List, 'node' | 'loan'>, account: Address) {
  const place = [{ type: 'address' }, { type: 'uint256' }] as const
  const slot = keccak256(encodeAbiParameters(place, [account, limitsSlot]))
  return BigInt((await node.client.getStorageAt({ address: loan, slot })) ?? 0)
}

function refuseLimits({ entries }: List): never[] {
  const limited = entries.find(({ limit }) => limit !== undefined)
  return limited === undefined ? [] : refuseLine(limited.line, 'has a limit, which only add takes')
}

/** Opens the contract and the accounts of the environment's numbers, or of the local stack. */
async function openList({ env, input }: Terminal) {
  const borrowers = parseBorrowers(await input())
  const entries: Entry[] = []
  if (!env.LOAN_ADDRESS && !env.NODE_URL) {
    const { nodeUrl = '', status, act } = openOperator(undefined, env)
    const { chainId, contracts } = await status()
    for (const { phone, ...rest } of borrowers) {
      entries.push({ ...rest, account: (await act('lookup', { phone })).account as Address })
    }
    return openLoan([nodeUrl], readChainId(`${chainId}`), contracts.loan as Address, entries)
  }
  const chainId = readChainId(env.CHAIN_ID)
  const loan = parseAddress(readRequired(env, 'LOAN_ADDRESS'), chainId)
  if (loan === undefined) throw new StackError('LOAN_ADDRESS is no address of this chain.')
  const accountOf = createCallerAccounts(readSecret(env, 'ACCOUNT_KEY_SECRET'))
  for (const { phone, ...rest } of borrowers) {
    entries.push({ ...rest, account: (await accountOf(phone)).address })
  }
  return openLoan(readNodeUrls(readRequired(env, 'NODE_URL'), 'NODE_URL'), chainId, loan, entries)
}

type Entry = Omit<Borrower, 'phone'> & { account: Address }

async function openLoan(urls: string[], chainId: Chain['id'], loan: Address, entries: Entry[]) {
  const node = await openNode(urls, chainId)
  const read = loanAt(node.client, loan)
  const unit = await readUnit(node.client, loan, node.chain.currency)
  return { node, loan, entries, read, unit }
}

type List = Awaited<ReturnType<typeof openLoan>>

/** Opens the creditor's account, on a local chain the owner's. @throws {StackError} */
async function openCreditor(list: List, keystore: string | undefined, env: NodeJS.ProcessEnv) {
  const { node, loan, read } = list
  const creditor = await read.creditor()
  const isLocal = node.isAnvil && !env.CREDITOR_KEY && !env.LOAN_ADDRESS && keystore === undefined
  const own = isLocal ? await openTreasury(node, undefined) : undefined
  if (own !== undefined && creditor === zeroAddress) {
    await own.callLoan(loan, 'setCreditor', [own.address])
    return own
  }
  const stored = keystore === undefined ? undefined : await readKeyOf({ keystore }, env)
  const treasury = own ?? createTreasury(node, stored ?? readSecret(env, 'CREDITOR_KEY'))
  if (isAddressEqual(creditor, treasury.address)) return treasury
  throw new StackError(
    `The contract's creditor is ${creditor}, and the key is ${treasury.address}'s.`,
  )
}
