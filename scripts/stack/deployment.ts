import { type Address, type Hex, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { deriveRelayerAccount } from '../../src/relay/signer.ts'
import { type Deployment, deployContracts, OtherCode } from '../contracts/deploy.ts'
import { deploymentRecord } from '../contracts/records.ts'
import { type ChainNode, readMaxGasPrice } from './chain/node.ts'
import { readJson } from './files.ts'
import type { Folder } from './folder.ts'
import { fundDemoCallers } from './money/callers.ts'
import { openToken } from './money/dollar.ts'
import { createTreasury, openTreasury, type Treasury } from './money/treasury.ts'
import { money, StackError, say } from './report.ts'
import type { Secrets } from './secrets.ts'

const onAnvil = {
  pool: parseEther('10'),
  relayer: parseEther('10'),
  relayerLow: parseEther('1'),
  deployment: 0n,
}

/** Is 10,000 of a local chain's own token. */
const tokenPool = 10n ** 10n

/** Sets scarce money: two loans, a few hundred payments, and both contracts' highest cost. */
const onPublicChain: typeof onAnvil = {
  pool: parseEther('0.02'),
  relayer: parseEther('0.002'),
  relayerLow: parseEther('0.0005'),
  deployment: parseEther('0.002'),
}

/** Holds a stack's secrets, the key that pays, and the command that resets it. */
type Wanted = {
  secrets: Secrets
  deployerKey: Hex | undefined
  /** Is `UNIT` as it was given. */
  unit?: string | undefined
  restart: string
}

/**
 * Deploys what is not there, fills a relayer that runs low, and on an anvil funds the
 * demonstration's callers.
 * @throws {StackError} what to fund
 */
export async function prepareStack(
  folder: Folder,
  node: ChainNode,
  { secrets, deployerKey, unit, restart }: Wanted,
): Promise<Deployment & { token: Address | undefined }> {
  const treasury = await openTreasury(node, deployerKey)
  const relayer = deriveRelayerAccount(secrets.RELAYER_MNEMONIC, node.chain.id, 0).address
  const amounts = node.isAnvil ? onAnvil : onPublicChain
  const recordFile = folder.deployment(node.genesis)
  const isDeployed = deploymentRecord.safeParse(readJson(recordFile)).data?.state === 'deployed'
  const isLow = (await node.client.getBalance({ address: relayer })) < amounts.relayerLow
  await checkFunds(node, treasury, {
    'deploying both contracts, at most': isDeployed ? 0n : amounts.deployment,
    'the loan pool': isDeployed || unit !== undefined ? 0n : amounts.pool,
    [`relayer ${relayer}`]: isLow ? amounts.relayer : 0n,
  })
  // Where nothing is left to do, nobody has to pay, and any key will do to ask.
  const payer = treasury ?? createTreasury(node, generatePrivateKey())
  const recordOfToken = folder.dollar(node.genesis)
  const token = await openToken(node, payer, { given: unit, recordFile: recordOfToken })
  const deployment = await deployContracts({
    nodeUrl: node.url,
    chainId: node.chain.id,
    deployerKey: payer.key,
    relayers: [relayer],
    recordFile,
    // The contracts of another start may count something else.
    token: token ?? zeroAddress,
    poolWei: token === undefined ? amounts.pool : node.isAnvil ? tokenPool : 0n,
    maxGasPriceWei: readMaxGasPrice(process.env),
    log: (line) => say(`  ${line}`),
  }).catch((error) => {
    if (!(error instanceof OtherCode)) throw error
    throw new StackError(`${error.message}, or start over with new contracts: ${restart}`)
  })
  if (deployment.differences.length > 0) {
    throw new StackError(
      `The contracts are not as this stack needs them: ${deployment.differences.join('; ')}. Only their owner changes that. Start over with new contracts: ${restart}`,
    )
  }
  if (isLow) {
    await payer.send({ to: relayer, valueWei: amounts.relayer })
    say(`Relayer ${relayer} was given ${money(amounts.relayer, node.chain.currency)} for gas`)
  }
  const { loan } = deployment
  const fundedFile = folder.funded(node.genesis, loan)
  if (node.isAnvil) await fundDemoCallers(payer, { loan, token, secrets, recordFile: fundedFile })
  return { ...deployment, token }
}

async function checkFunds(
  { chain: { currency, name, id } }: ChainNode,
  treasury: Treasury | undefined,
  needs: Readonly<Record<string, bigint>>,
): Promise<void> {
  const wanted = Object.entries(needs).filter(([, wei]) => wei > 0n)
  const needed = wanted.reduce((sum, [, wei]) => sum + wei, 0n)
  if (needed === 0n) return
  const amount = (wei: bigint) => money(wei, currency)
  const purposes = wanted.map(([what, wei]) => `${what} (${amount(wei)})`).join(', ')
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
