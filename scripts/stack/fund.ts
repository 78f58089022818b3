import { formatEther, parseEther } from 'viem'
import { depositFor, toPhone } from './callers.ts'
import { openFolder } from './folder.ts'
import { openNode } from './node.ts'
import { readDeployerKey } from './options.ts'
import { command, StackError, say } from './report.ts'
import { readRunningStack } from './running-stack.ts'
import { openTreasury } from './treasury.ts'

const usage = 'Usage: npm run fund -- +254700000009 0.5'

await command(async () => {
  const [number, amount, ...rest] = process.argv.slice(2)
  if (number === undefined || amount === undefined || rest.length > 0) throw new StackError(usage)
  const phone = toPhone(number)
  const amountWei = toWei(amount)
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
  const { currency } = node.chain
  say(`Gave ${phone} ${formatEther(amountWei)} ${currency} with depositFor.`)
  say(`Its balance is ${formatEther(balanceWei)} ${currency} now.`)
})

function toWei(text: string): bigint {
  const wei = /^\d+(\.\d{1,18})?$/.test(text) ? parseEther(text) : 0n
  if (wei <= 0n) {
    throw new StackError(`"${text}" is not an amount: a number above 0, such as 0.5. ${usage}`)
  }
  return wei
}
