import { type Address, isAddressEqual } from 'viem'
import { parseAddress } from '../../src/account/address.ts'
import { createCallerAccounts } from '../../src/account/keys.ts'
import { openNode } from '../stack/chain/node.ts'
import { createCommand, type Terminal } from '../stack/command.ts'
import { createTreasury } from '../stack/money/treasury.ts'
import { readChainId, readNodeUrls, readRequired, readSecret } from '../stack/options.ts'
import { Misused, StackError } from '../stack/report.ts'
import { parsePhones } from './migrate/phones.ts'
import { batchesOf } from './migrate/plan.ts'
import { loanAt } from './reads.ts'

const usage = `usage: npm run borrowers -- add|remove|list < numbers.txt

Reads telephone numbers from the standard input, one a line (+254700000001), and lists their
accounts as borrowers of the loan contract, takes them from the list, or says which are on it.

  NODE_URL             the node (of several, the first that answers)
  CHAIN_ID             31 (testnet) or 30 (31 by default)
  LOAN_ADDRESS         the loan contract
  ACCOUNT_KEY_SECRET   the deployment's: accounts follow from it
  CREDITOR_KEY         signs and pays for add and remove: the key of the contract's creditor`

/** Accounts that one transaction changes: 100 take less than half of a block of Rootstock. */
const batchSize = 100

export const borrowers = createCommand(import.meta, {
  usage,
  options: {},
  async run(_, [action = '', ...rest], terminal) {
    if (rest.length > 0 || !['add', 'remove', 'list'].includes(action)) throw new Misused()
    const list = await openList(terminal)
    const listed: boolean[] = []
    for (const account of list.accounts) listed.push(await list.read.isListed([account]))
    if (action === 'list') {
      const words = (isListed: boolean) => (isListed ? 'listed' : 'not listed')
      return { lines: listed.map((each, index) => `number ${index + 1}: ${words(each)}`) }
    }
    const isAdded = action === 'add'
    const changing = list.accounts.filter((_, index) => listed[index] !== isAdded)
    await setBorrowers(list, changing, { isAdded, env: terminal.env })
    const done = `${changing.length} ${isAdded ? 'added' : 'removed'}`
    return { lines: [`${done}, ${list.accounts.length - changing.length} were so already`] }
  },
})

async function openList({ env, input }: Terminal) {
  const chainId = readChainId(env.CHAIN_ID)
  const loan = parseAddress(readRequired(env, 'LOAN_ADDRESS'), chainId)
  if (loan === undefined) throw new StackError('LOAN_ADDRESS is no address of this chain.')
  const accountOf = createCallerAccounts(readSecret(env, 'ACCOUNT_KEY_SECRET'))
  const node = await openNode(readNodeUrls(readRequired(env, 'NODE_URL'), 'NODE_URL'), chainId)
  const accounts: Address[] = []
  for (const phone of parsePhones(await input())) accounts.push((await accountOf(phone)).address)
  return { node, loan, accounts, read: loanAt(node.client, loan) }
}

async function setBorrowers(
  { node, loan, read }: Awaited<ReturnType<typeof openList>>,
  accounts: readonly Address[],
  { isAdded, env }: { isAdded: boolean; env: NodeJS.ProcessEnv },
): Promise<void> {
  const treasury = createTreasury(node, readSecret(env, 'CREDITOR_KEY'))
  const creditor = await read.creditor()
  if (!isAddressEqual(creditor, treasury.address)) {
    throw new StackError(
      `The contract's creditor is ${creditor}, and CREDITOR_KEY is ${treasury.address}'s.`,
    )
  }
  for (const batch of batchesOf(accounts, batchSize)) {
    await treasury.callLoan(loan, 'setBorrowers', [batch, isAdded])
  }
}
