import { type Address, createPublicClient, formatEther, http, parseEther } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { z } from 'zod'
import { DeployError, type Deployment, deployContracts } from '../contracts/deploy.ts'
import { readMaxGasPrice } from './chain/gas-price.ts'
import type { ChainNode } from './chain/node.ts'
import { readJson } from './files.ts'
import type { Folder } from './folder.ts'
import { createTreasury, type Treasury } from './money/treasury.ts'
import { StackError, say } from './report.ts'

/** What a stack gives away on a chain, in wei. */
type Amounts = { pool: bigint; relayer: bigint; relayerLow: bigint; deployment: bigint }

const onAnvil: Amounts = {
  pool: parseEther('10'),
  relayer: parseEther('10'),
  relayerLow: parseEther('1'),
  deployment: 0n,
}

/** The record of a deployment that was seen on its chain. */
const deployed = z.object({ state: z.literal('deployed') })

/** Where money is scarce: two loans, a few hundred payments, and what both contracts cost at most. */
export const onPublicChain: Amounts = {
  pool: parseEther('0.02'),
  relayer: parseEther('0.002'),
  relayerLow: parseEther('0.0005'),
  deployment: parseEther('0.002'),
}

/**
 * Brings the contracts and the relayers of a stack into the state that payments need: deploys what is
 * not there yet, and fills relayers that run low. What is there stays: no relayer is allowed again, and
 * no drained pool is filled.
 *
 * @throws {StackError} saying what to fund or which flag to use
 */
export async function prepareChain(
  folder: Folder,
  node: ChainNode,
  {
    treasury,
    relayers,
    restart,
  }: { treasury: Treasury | undefined; relayers: Address[]; restart: string },
): Promise<Deployment> {
  const amounts = node.isAnvil ? onAnvil : onPublicChain
  const recordFile = folder.deployment(node.genesis)
  const isDeployed = deployed.safeParse(readJson(recordFile)).success
  const low = await relayersBelow(node, relayers, amounts.relayerLow)

  const needed =
    (isDeployed ? 0n : amounts.deployment + amounts.pool) + BigInt(low.length) * amounts.relayer
  if (needed > 0n) await assertFunds(node, { treasury, needed, low, isDeployed, amounts })

  // Where nothing is left to do, nobody has to pay, and any key will do to ask.
  const payer = treasury ?? createTreasury(node, generatePrivateKey())
  const deployment = await deploy(node, { payer, relayers, recordFile, amounts, restart })
  if (deployment.differences.length > 0) {
    throw new StackError(
      `The contracts are not as this stack needs them: ${deployment.differences.join('; ')}. Only their owner changes that. Start over with new contracts: ${restart}`,
    )
  }
  for (const { address } of low) {
    await payer.send({ to: address, valueWei: amounts.relayer })
    say(
      `Relayer ${address} was given ${formatEther(amounts.relayer)} ${node.chain.currency} for gas`,
    )
  }
  return deployment
}

async function deploy(
  node: ChainNode,
  options: {
    payer: Treasury
    relayers: Address[]
    recordFile: string
    amounts: Amounts
    restart: string
  },
): Promise<Deployment> {
  const maxGasPriceWei = readMaxGasPrice(process.env)
  try {
    return await deployContracts({
      nodeUrl: node.url,
      chainId: node.chain.id,
      deployerKey: options.payer.key,
      relayers: options.relayers,
      recordFile: options.recordFile,
      poolWei: options.amounts.pool,
      ...(maxGasPriceWei === undefined ? {} : { maxGasPriceWei }),
      log: (line) => say(`  ${line}`),
    })
  } catch (error) {
    if (!(error instanceof DeployError)) throw error
    if (error.reason !== 'code_differs') throw new StackError(`${capital(error.message)}.`)
    throw new StackError(
      `The deployed ${error.contract} (${error.address}) is not what this code builds. Go back to the code that deployed it, or start over with new contracts: ${options.restart}`,
    )
  }
}

async function relayersBelow(node: ChainNode, relayers: Address[], low: bigint) {
  const client = createPublicClient({ transport: http(node.url) })
  const all = await Promise.all(
    relayers.map(async (address) => ({ address, has: await client.getBalance({ address }) })),
  )
  return all.filter(({ has }) => has < low)
}

type Need = {
  treasury: Treasury | undefined
  needed: bigint
  low: { address: Address }[]
  isDeployed: boolean
  amounts: Amounts
}

async function assertFunds(node: ChainNode, need: Need): Promise<void> {
  const { treasury, needed, amounts } = need
  const { currency, name, id } = node.chain
  const amount = (wei: bigint) => `${formatEther(wei)} ${currency}`
  const purposes = [
    ...(need.isDeployed
      ? []
      : [
          `deploying both contracts (up to ${amount(amounts.deployment)})`,
          `the loan pool (${amount(amounts.pool)})`,
        ]),
    ...need.low.map(({ address }) => `relayer ${address} (${amount(amounts.relayer)})`),
  ].join(', ')
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

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
