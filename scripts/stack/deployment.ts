import { type Address, createPublicClient, formatEther, type Hex, http, parseEther } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { z } from 'zod'
import { relayerAccount } from '../../src/relay/keys.ts'
import {
  type Deployment,
  type DeployOptions,
  deployContracts,
  OtherCode,
} from '../contracts/deploy.ts'
import { type ChainNode, readMaxGasPrice } from './chain/node.ts'
import { readJson } from './files.ts'
import type { Folder } from './folder.ts'
import { fundDemoCallers } from './money/callers.ts'
import { createTreasury, openTreasury, type Treasury } from './money/treasury.ts'
import { StackError, say } from './report.ts'
import type { Secrets } from './secrets.ts'

type Amounts = { pool: bigint; relayer: bigint; relayerLow: bigint; deployment: bigint }

const onAnvil: Amounts = {
  pool: parseEther('10'),
  relayer: parseEther('10'),
  relayerLow: parseEther('1'),
  deployment: 0n,
}

const deployed = z.object({ state: z.literal('deployed') })

/** Where money is scarce: two loans, a few hundred payments, and what both contracts cost at most. */
export const onPublicChain: Amounts = {
  pool: parseEther('0.02'),
  relayer: parseEther('0.002'),
  relayerLow: parseEther('0.0005'),
  deployment: parseEther('0.002'),
}

/** Deploys as a local stack needs it, and on a chain of anvil's funds the demonstration's callers. @throws {StackError} */
export async function prepareStack(
  folder: Folder,
  node: ChainNode,
  {
    secrets,
    deployerKey,
    restart,
  }: { secrets: Secrets; deployerKey: Hex | undefined; restart: string },
): Promise<Deployment> {
  const treasury = await openTreasury(node, deployerKey)
  const relayer = relayerAccount(secrets.RELAYER_MNEMONIC, node.chain.id, 0).address
  const deployment = await prepareChain(folder, node, { treasury, relayer, restart })
  const { loan } = deployment
  const recordFile = folder.funded(node.genesis, loan)
  if (treasury && node.isAnvil) await fundDemoCallers(treasury, { loan, secrets, recordFile })
  return deployment
}

/** Who pays for what a stack needs, whom it pays with, and the command that starts over. */
type Preparation = { treasury: Treasury | undefined; relayer: Address; restart: string }

/** Deploys what is not there, and fills a relayer that runs low. @throws {StackError} what to fund */
export async function prepareChain(
  folder: Folder,
  node: ChainNode,
  { treasury, relayer, restart }: Preparation,
): Promise<Deployment> {
  const amounts = node.isAnvil ? onAnvil : onPublicChain
  const recordFile = folder.deployment(node.genesis)
  const isDeployed = deployed.safeParse(readJson(recordFile)).success
  const client = createPublicClient({ transport: http(node.url) })
  const isLow = (await client.getBalance({ address: relayer })) < amounts.relayerLow
  const amount = (wei: bigint) => `${formatEther(wei)} ${node.chain.currency}`
  await checkFunds(node, treasury, [
    { what: 'deploying both contracts, at most', wei: isDeployed ? 0n : amounts.deployment },
    { what: 'the loan pool', wei: isDeployed ? 0n : amounts.pool },
    { what: `relayer ${relayer}`, wei: isLow ? amounts.relayer : 0n },
  ])
  // Where nothing is left to do, nobody has to pay, and any key will do to ask.
  const payer = treasury ?? createTreasury(node, generatePrivateKey())
  const deployment = await deploy(restart, {
    nodeUrl: node.url,
    chainId: node.chain.id,
    deployerKey: payer.key,
    relayers: [relayer],
    recordFile,
    poolWei: amounts.pool,
    maxGasPriceWei: readMaxGasPrice(process.env),
    log: (line) => say(`  ${line}`),
  })
  if (deployment.differences.length > 0) {
    throw new StackError(
      `The contracts are not as this stack needs them: ${deployment.differences.join('; ')}. Only their owner changes that. Start over with new contracts: ${restart}`,
    )
  }
  if (isLow) {
    await payer.send({ to: relayer, valueWei: amounts.relayer })
    say(`Relayer ${relayer} was given ${amount(amounts.relayer)} for gas`)
  }
  return deployment
}

async function deploy(restart: string, options: DeployOptions): Promise<Deployment> {
  try {
    return await deployContracts(options)
  } catch (error) {
    if (!(error instanceof OtherCode)) throw error
    throw new StackError(
      `The deployed ${error.where} is not what this code builds. Go back to the code that deployed it, or start over with new contracts: ${restart}`,
    )
  }
}

async function checkFunds(
  { chain: { currency, name, id } }: ChainNode,
  treasury: Treasury | undefined,
  needs: readonly { what: string; wei: bigint }[],
): Promise<void> {
  const needed = needs.reduce((sum, { wei }) => sum + wei, 0n)
  if (needed === 0n) return
  const amount = (wei: bigint) => `${formatEther(wei)} ${currency}`
  const purposes = needs
    .filter(({ wei }) => wei > 0n)
    .map(({ what, wei }) => `${what} (${amount(wei)})`)
    .join(', ')
  if (treasury === undefined) {
    throw new StackError(
      `The node is not an anvil, so an account of yours has to pay for ${purposes}. Set DEPLOYER_KEY to a key with at least ${amount(needed)} on ${name} (chain ${id}).`,
    )
  }
  const has = await treasury.balance()
  if (has >= needed) return
  throw new StackError(
    `The account of DEPLOYER_KEY, ${treasury.address}, has ${amount(has)} on ${name} (chain ${id}) and needs ${amount(needed)}: ${purposes}. Send it ${amount(needed - has)} and start again.`,
  )
}
