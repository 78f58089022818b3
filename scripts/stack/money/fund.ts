import { type Address, createPublicClient, encodeFunctionData, formatEther, http } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { lookupAnswer } from '../../../src/operator/answers.ts'
import { readCommandLine, readNumber } from '../../ops/command-line.ts'
import { openOperator } from '../../ops/operator-client.ts'
import { openPayer, readWei } from '../../ops/payer.ts'
import { openNode } from '../chain/node.ts'
import { openFolder } from '../folder.ts'
import { readDeployerKey } from '../options.ts'
import { command, StackError, say } from '../report.ts'
import { readRunningStack } from '../running-stack.ts'
import { depositFor, toPhone } from './callers.ts'
import { openTreasury } from './treasury.ts'

const usage = `Usage: npm run fund -- +254700000009 0.5 [--json]
       npm run fund -- --url https://<host> 0.5 [--keystore FILE] [--json]

Gives so much to the account of a number, with depositFor of the loan contract: on the local stack; or on the
deployment at --url, whose OPERATOR_TOKEN and NODE_URL are in the environment, and DEPLOYER_KEY, which pays,
where it is in no keystore. There the number is read from a prompt, or from the standard input.`

const text = { type: 'string' } as const
const options = { url: text, keystore: text, json: { type: 'boolean' } } as const

type Values = NonNullable<ReturnType<typeof readCommandLine<typeof options>>>['values']

/** What an account was given, and has now. */
type Given = { whom: string; amountWei: bigint; balanceWei: bigint; currency: string }

await command(async () => {
  const asked = readCommandLine(usage, options)
  if (asked === undefined) return
  const { values, positionals } = asked
  const [first, second, ...rest] = positionals
  const isLocal = values.url === undefined
  if (first === undefined || rest.length > 0 || (second !== undefined) !== isLocal) {
    throw new StackError(usage)
  }
  const given = isLocal
    ? await fundLocally(first, readWei(second ?? '', usage))
    : await fundAt(values, readWei(first, usage))
  const { whom, amountWei, balanceWei, currency } = given
  if (values.json) {
    return say(JSON.stringify({ amountWei: `${amountWei}`, balanceWei: `${balanceWei}` }))
  }
  say(`Gave ${whom} ${formatEther(amountWei)} ${currency} with depositFor.`)
  say(`Its balance is ${formatEther(balanceWei)} ${currency} now.`)
})

async function fundLocally(number: string, amountWei: bigint): Promise<Given> {
  const phone = toPhone(number)
  const stack = readRunningStack(openFolder())
  const node = await openNode([stack.nodeUrl], stack.chainId)
  const treasury = await openTreasury(node, readDeployerKey(process.env.DEPLOYER_KEY))
  if (treasury === undefined) {
    throw new StackError('The node is not an anvil: set DEPLOYER_KEY to a key that pays for it.')
  }
  const { balanceWei } = await depositFor(
    { node, treasury, loan: stack.contracts.loan, secrets: stack.openSecrets() },
    phone,
    amountWei,
  )
  return { whom: phone, amountWei, balanceWei, currency: node.chain.currency }
}

/** The deployment tells whose account it is: the secret that it follows from stays there. */
async function fundAt({ url, keystore }: Values, amountWei: bigint): Promise<Given> {
  const operator = openOperator(url, process.env)
  const phone = await readNumber()
  const { account } = await operator.act('/operator/lookup', lookupAnswer, { phone })
  const { status, node, treasury } = await openPayer(operator, { keystore }, process.env)
  const loan = { address: status.contracts.loan as Address, abi: microLoanAbi } as const
  const client = createPublicClient({ transport: http(node.url) })
  const balance = () =>
    client.readContract({ ...loan, functionName: 'getBalance', args: [account as Address] })
  // It fails where the contract is not there: what is sent to an empty address is lost.
  await balance()
  const call = { functionName: 'depositFor', args: [account as Address] } as const
  const data = encodeFunctionData({ abi: microLoanAbi, ...call })
  await treasury.send({ to: loan.address, valueWei: amountWei, data })
  return { whom: account, amountWei, balanceWei: await balance(), currency: status.currency }
}
