import { readFileSync } from 'node:fs'
import { type Address, getAddress, isAddress, type PublicClient } from 'viem'
import { z } from 'zod'
import { type Chain, chains } from '../../../src/chain/chains.ts'
import { StackError } from '../../stack/report.ts'

/** A pair of contracts. */
export type Pair = { loan: Address; forwarder: Address; deployedBlock: bigint }

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

/**
 * What a record of `npm run deploy:contracts` says.
 *
 * @throws {StackError} no record of a finished deployment is there
 */
export function readDeployed(file: string): z.output<typeof recordSchema> {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new StackError(`${file} is no record of a finished deployment`)
  }
}

/**
 * The pair in a record that `npm run deploy:contracts` wrote, and its chain.
 *
 * @throws {StackError} it is no such record, or the node serves another chain
 */
export async function openPair(
  client: PublicClient,
  file: string,
): Promise<{ pair: Pair; chain: Chain }> {
  const { chainId, genesisHash, forwarder, loan, deployedBlock } = readDeployed(file)
  const genesis = await client.getBlock({ blockNumber: 0n })
  if ((await client.getChainId()) !== chainId || genesis.hash !== genesisHash) {
    throw new StackError(`${file} is of another chain than the one that the node serves`)
  }
  return { pair: { loan, forwarder, deployedBlock }, chain: chains[chainId] }
}
