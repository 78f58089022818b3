import { readFileSync } from 'node:fs'
import {
  createPublicClient,
  getAddress,
  http,
  isAddress,
  type LocalAccount,
  type PublicClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { type Chain, chains, type PoolRules, poolRules } from '../../../src/chain/chains.ts'
import type { FeeLimits } from '../../../src/relay/fees.ts'
import { relayerAccount } from '../../../src/relay/keys.ts'
import { readRequired, readSecret } from '../../ops/environment.ts'
import { isAnvil, maxGasPrice, readMaxGasPrice } from '../../stack/chain/node.ts'
import { Misused, StackError } from '../../stack/report.ts'

export type Pair = Awaited<ReturnType<typeof openPair>>['pair']

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text))

const recordSchema = z.object({
  chainId: z.union([z.literal(30), z.literal(31)]),
  genesisHash: z.string(),
  forwarder: address,
  loan: address,
  deployedBlock: z.string().regex(/^\d+$/).transform(BigInt),
  state: z.literal('deployed'),
})

/** Reads a record of `npm run deploy:contracts`. @throws {StackError} it is none of a finished deployment */
export function readDeployed(file: string): z.output<typeof recordSchema> {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new StackError(`${file} is no record of a finished deployment`)
  }
}

/** Opens the pair of a record. @throws {StackError} it is none, or the node serves another chain */
export async function openPair(client: PublicClient, file: string) {
  const { chainId, genesisHash, forwarder, loan, deployedBlock } = readDeployed(file)
  const genesis = await client.getBlock({ blockNumber: 0n })
  if ((await client.getChainId()) !== chainId || genesis.hash !== genesisHash) {
    throw new StackError(`${file} is of another chain than the one that the node serves`)
  }
  const chain: Chain = chains[chainId]
  return { pair: { loan, forwarder, deployedBlock }, chain }
}

/** The rules of the node's pool, and what may be paid in it. */
export type PoolTerms = { rules: PoolRules; fees: FeeLimits }

export type OpenedDeployment = Awaited<ReturnType<typeof openDeployment>>

/** Opens a record's deployment by the environment. @throws {Misused} something is missing or malformed */
export async function openDeployment(env: NodeJS.ProcessEnv, record: string) {
  const nodeUrl = readRequired(env, 'NODE_URL').split(',')[0]?.trim() ?? ''
  const secret = readSecret(env, 'ACCOUNT_KEY_SECRET')
  const maxGasPriceWei = readMaxGasPrice(env)
  const client = createPublicClient({ transport: http(nodeUrl) })
  const { pair, chain } = await openPair(client, record)
  const name = (await isAnvil(nodeUrl)) ? 'anvil' : 'rootstock'
  const maxWei = maxGasPrice(maxGasPriceWei, { isAnvil: name === 'anvil' })
  const terms: PoolTerms = { rules: poolRules[name], fees: { minWei: 0n, maxWei } }
  return { client, chain, pair, terms, secret, key: readPayer(env, chain.id) }
}

function readPayer(env: NodeJS.ProcessEnv, chainId: Chain['id']): LocalAccount | undefined {
  if (env.RELAYER_KEY) return privateKeyToAccount(readSecret(env, 'RELAYER_KEY'))
  if (!env.RELAYER_MNEMONIC) return undefined
  try {
    return relayerAccount(env.RELAYER_MNEMONIC, chainId, 0)
  } catch {
    // The cause may show words of the phrase.
    throw new Misused('RELAYER_MNEMONIC is not a phrase of BIP-39.')
  }
}
