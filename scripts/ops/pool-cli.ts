import { encodeFunctionData, formatEther, isAddressEqual } from 'viem'
import { microLoanAbi } from '../../src/loan/abi.ts'
import type { Found, Values } from '../stack/command.ts'
import { keyOptions, keyUsage } from '../stack/money/key-source.ts'
import { StackError } from '../stack/report.ts'
import { type Operated, operatorCommand } from './command-line.ts'
import type { OperatorClient } from './operator-client.ts'
import { openPayer, readWei } from './payer.ts'
import { poolLine } from './show.ts'

const usage = `Usage: npm run pool -- [<what>] [--url https://<host>] [--json]

status                what the pool has free, what is owed and in accounts, and what may be lent today
fund <amount>         gives so much to the pool; it comes back by defund alone
defund <amount|all>   takes so much of what is free back to the owner, whose key it takes

Asks the local stack, or the deployment at --url with OPERATOR_TOKEN in the environment.
${keyUsage}
On an anvil its own account pays. NODE_URL is a node.`

export const pool = operatorCommand({
  usage,
  options: keyOptions,
  usual: 'status',
  actions: {
    status: showStatus,
    fund: { takes: [1], run: (...given) => move('fund', ...given) },
    defund: { takes: [1], run: (...given) => move('defund', ...given) },
  },
})
if (import.meta.main) process.exitCode = await pool()

async function showStatus(operator: OperatorClient): Promise<Found> {
  const { contracts, currency } = await operator.status()
  return { json: { currency, ...contracts }, lines: [poolLine(contracts, currency)] }
}

async function move(
  what: 'fund' | 'defund',
  operator: Operated,
  values: Values<typeof keyOptions>,
  [amount = '']: readonly string[],
): Promise<Found> {
  const { status, treasury, loan, read } = await openPayer(operator, values, operator.terminal.env)
  const { currency } = status
  // It fails where the contract is not there: what is sent to an empty address is lost.
  const before = await read.liquidity()
  const amountWei = amount === 'all' && what === 'defund' ? before : readWei(amount)
  if (what === 'defund') {
    const owner = await read.owner()
    if (!isAddressEqual(owner, treasury.address)) {
      throw new StackError(`The pool belongs to ${owner}, and the key is ${treasury.address}'s.`)
    }
    if (amountWei > before || amountWei === 0n) {
      throw new StackError(
        `The pool has ${formatEther(before)} ${currency} free. Nothing was sent.`,
      )
    }
  }
  const abi = microLoanAbi
  const data =
    what === 'fund'
      ? encodeFunctionData({ abi, functionName: what })
      : encodeFunctionData({ abi, functionName: what, args: [amountWei] })
  const valueWei = what === 'fund' ? amountWei : 0n
  const hash = await treasury.send({ to: loan, valueWei, data })
  const freeWei = await read.liquidity()
  const money = (wei: bigint) => `${formatEther(wei)} ${currency}`
  const moved =
    what === 'fund'
      ? `Gave ${money(amountWei)} to the pool`
      : `Took ${money(amountWei)} from the pool to ${treasury.address}`
  return {
    json: { hash, amountWei: `${amountWei}`, freeWei: `${freeWei}` },
    lines: [`${moved} in ${hash}.`, `The pool has ${money(freeWei)} free now.`],
  }
}
