import { type Address, isAddressEqual, zeroAddress } from 'viem'
import { parseAddress } from '../../src/account/address.ts'
import { createCallerAccounts } from '../../src/account/caller-accounts.ts'
import type { Chain } from '../../src/chain/chains.ts'
import { openOperator } from '../ops/operator-client.ts'
import { openNode } from '../stack/chain/node.ts'
import { createCommand, type Terminal, text } from '../stack/command.ts'
import { readKeyOf } from '../stack/money/key-source.ts'
import { createTreasury, openTreasury } from '../stack/money/treasury.ts'
import { readChainId, readNodeUrls, readRequired, readSecret } from '../stack/options.ts'
import { Misused, StackError } from '../stack/report.ts'
import { parsePhones } from './migrate/phones.ts'
import { batchesOf } from './migrate/plan.ts'
import { loanAt } from './reads.ts'

const usage = `usage: npm run ops -- borrowers add|remove|list [--keystore FILE] [--secrets FILE] < numbers.txt

Reads telephone numbers from the standard input, one a line (+254700000001), and lists their
accounts as borrowers of the loan contract, takes them from the list, or says which are on it.

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
    for (const account of list.accounts) listed.push(await list.read.isListed([account]))
    if (action === 'list') {
      const words = (isListed: boolean) => (isListed ? 'listed' : 'not listed')
      return { lines: listed.map((each, index) => `number ${index + 1}: ${words(each)}`) }
    }
    const isAdded = action === 'add'
    const changing = list.accounts.filter((_, index) => listed[index] !== isAdded)
    const creditor = await openCreditor(list, keystore, terminal.env)
    for (const batch of batchesOf(changing, batchSize)) {
      await creditor.callLoan(list.loan, 'setBorrowers', [batch, isAdded])
    }
    const done = `${changing.length} ${isAdded ? 'added' : 'removed'}`
    return { lines: [`${done}, ${list.accounts.length - changing.length} were so already`] }
  },
})

/** Opens the contract and the accounts of the environment's numbers, or of the local stack. */
async function openList({ env, input }: Terminal) {
  const phones = parsePhones(await input())
  const accounts: Address[] = []
  if (!env.LOAN_ADDRESS && !env.NODE_URL) {
    const { nodeUrl = '', status, act } = openOperator(undefined, env)
    const { chainId, contracts } = await status()
    for (const phone of phones) accounts.push((await act('lookup', { phone })).account as Address)
    return openLoan([nodeUrl], readChainId(`${chainId}`), contracts.loan as Address, accounts)
  }
  const chainId = readChainId(env.CHAIN_ID)
  const loan = parseAddress(readRequired(env, 'LOAN_ADDRESS'), chainId)
  if (loan === undefined) throw new StackError('LOAN_ADDRESS is no address of this chain.')
  const accountOf = createCallerAccounts(readSecret(env, 'ACCOUNT_KEY_SECRET'))
  for (const phone of phones) accounts.push((await accountOf(phone)).address)
  return openLoan(readNodeUrls(readRequired(env, 'NODE_URL'), 'NODE_URL'), chainId, loan, accounts)
}

async function openLoan(urls: string[], chainId: Chain['id'], loan: Address, accounts: Address[]) {
  const node = await openNode(urls, chainId)
  return { node, loan, accounts, read: loanAt(node.client, loan) }
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
