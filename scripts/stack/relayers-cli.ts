import { createPublicClient, formatEther, http, parseEther } from 'viem'
import { z } from 'zod'
import { openFolder } from './folder.ts'
import { type ChainNode, openNode } from './node.ts'
import { createNodeCall } from './node-call.ts'
import { readDeployerKey } from './options.ts'
import { command, StackError, say } from './report.ts'
import { type RunningStack, readRunningStack } from './running-stack.ts'
import { openTreasury } from './treasury.ts'

const usage = `Usage: npm run relayers                 what each relayer has for gas
       npm run relayers -- fill 0.5     gives so much to each
       npm run relayers -- drain        takes it all, on an anvil`

await command(async () => {
  const [what, amount, ...rest] = process.argv.slice(2)
  const stack = readRunningStack(openFolder())
  const node = await openNode([stack.nodeUrl], stack.chainId)
  if (what === 'drain' && amount === undefined) await drain(stack, node)
  else if (what === 'fill' && amount !== undefined && rest.length === 0) {
    await fill(stack, node, amount)
  } else if (what !== undefined) throw new StackError(usage)
  const client = createPublicClient({ transport: http(node.url) })
  for (const address of stack.relayers) {
    const has = formatEther(await client.getBalance({ address }))
    say(`Relayer ${address} has ${has} ${node.chain.currency} for gas.`)
  }
})

async function drain({ relayers }: RunningStack, node: ChainNode): Promise<void> {
  if (!node.isAnvil) throw new StackError('Only an anvil takes the money of an account.')
  const call = createNodeCall(node.url)
  for (const address of relayers) await call('anvil_setBalance', [address, '0x0'], z.unknown())
}

async function fill({ relayers }: RunningStack, node: ChainNode, amount: string): Promise<void> {
  const valueWei = /^\d+(\.\d{1,18})?$/.test(amount) ? parseEther(amount) : 0n
  if (valueWei === 0n) throw new StackError(usage)
  const treasury = await openTreasury(node, readDeployerKey(process.env.DEPLOYER_KEY))
  if (treasury === undefined) {
    throw new StackError('The node is not an anvil: set DEPLOYER_KEY to a key that pays for it.')
  }
  for (const to of relayers) await treasury.send({ to, valueWei })
}
