import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  formatEther,
  http,
  isAddressEqual,
} from 'viem'
import { microLoanAbi } from '../../src/loan/abi.ts'
import { statusAnswer } from '../../src/operator/answers.ts'
import { keyOptions, keyUsage } from '../stack/money/key-source.ts'
import { command, StackError, say } from '../stack/report.ts'
import { readCommandLine } from './command-line.ts'
import { type OperatorClient, openOperator } from './operator-client.ts'
import { openPayer, readWei } from './payer.ts'
import { poolLine } from './show.ts'

const usage = `Usage: npm run pool -- [<what>] [--url https://<host>] [--json]

status                what the pool has free, what is owed and in accounts, and what may be lent today
fund <amount>         gives so much to the pool; it comes back by defund alone
defund <amount|all>   takes so much of what is free back to the owner, whose key it takes

Asks the local stack, or the deployment at --url with OPERATOR_TOKEN in the environment.
${keyUsage}
On an anvil its own account pays. NODE_URL is a node.`

const options = { url: { type: 'string' }, json: { type: 'boolean' }, ...keyOptions } as const

type Values = NonNullable<ReturnType<typeof readCommandLine<typeof options>>>['values']

await command(async () => {
  const asked = readCommandLine(usage, options)
  if (asked === undefined) return
  const [what = 'status', amount, ...rest] = asked.positionals
  if (rest.length > 0 || (what === 'status') !== (amount === undefined)) throw new StackError(usage)
  const operator = openOperator(asked.values.url, process.env)
  switch (what) {
    case 'status':
      return await showStatus(operator, asked.values)
    case 'fund':
    case 'defund':
      return await move(operator, asked.values, what, amount ?? '')
    default:
      throw new StackError(usage)
  }
})

async function showStatus(operator: OperatorClient, { json }: Values): Promise<void> {
  const { contracts, currency } = await operator.read('/operator/status', statusAnswer)
  say(json ? JSON.stringify({ currency, ...contracts }) : poolLine(contracts, currency))
}

async function move(
  operator: OperatorClient,
  values: Values,
  what: 'fund' | 'defund',
  amount: string,
): Promise<void> {
  const { status, node, treasury } = await openPayer(operator, values, process.env)
  const { currency } = status
  const loan = { address: status.contracts.loan as Address, abi: microLoanAbi } as const
  const client = createPublicClient({ transport: http(node.url) })
  // It fails where the contract is not there: what is sent to an empty address is lost.
  const free = () => client.readContract({ ...loan, functionName: 'liquidity' })
  const before = await free()
  const amountWei = amount === 'all' && what === 'defund' ? before : readWei(amount, usage)
  if (what === 'defund') {
    const owner = await client.readContract({ ...loan, functionName: 'owner' })
    if (!isAddressEqual(owner, treasury.address)) {
      throw new StackError(`The pool belongs to ${owner}, and the key is ${treasury.address}'s.`)
    }
    if (amountWei > before || amountWei === 0n) {
      throw new StackError(
        `The pool has ${formatEther(before)} ${currency} free. Nothing was sent.`,
      )
    }
  }
  const { abi } = loan
  const data =
    what === 'fund'
      ? encodeFunctionData({ abi, functionName: 'fund' })
      : encodeFunctionData({ abi, functionName: 'defund', args: [amountWei] })
  const valueWei = what === 'fund' ? amountWei : 0n
  const hash = await treasury.send({ to: loan.address, valueWei, data })
  const freeWei = await free()
  if (values.json) {
    return say(JSON.stringify({ hash, amountWei: `${amountWei}`, freeWei: `${freeWei}` }))
  }
  const done = what === 'fund' ? 'Gave' : 'Took'
  const where = what === 'fund' ? 'to the pool' : `from the pool to ${treasury.address}`
  say(`${done} ${formatEther(amountWei)} ${currency} ${where} in ${hash}.`)
  say(`The pool has ${formatEther(freeWei)} ${currency} free now.`)
}
