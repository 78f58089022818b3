import { type Address, encodeDeployData, encodeFunctionData, isAddress } from 'viem'
import { buildContracts, readArtifact } from '../../contracts/forge.ts'
import type { ChainNode } from '../chain/node.ts'
import { readJson, writeJson } from '../files.ts'
import { StackError } from '../report.ts'
import type { Treasury } from './treasury.ts'

/** Is `UNIT` of a local chain that has a token of its own, in the place of one that exists. */
const localUnit = 'usd'

/** Holds the file of forge's tests in which the local token is. */
const tokenFile = 'Tokens'

const decimals = 18

/** Writes `UNIT` as the Worker reads it; without the local token's address, one that will do. */
export const writeUnit = (given: string | undefined, token: Address = `0x${'3'.repeat(40)}`) =>
  given === localUnit ? { UNIT: `USD:${decimals}:${token}` } : {}

/**
 * Returns the token that a stack's contracts count, or undefined for the currency. A local chain
 * gets its own, of which anybody may make more.
 * @throws {StackError} only a local chain has such a token
 */
export async function openToken(
  node: ChainNode,
  treasury: Treasury,
  { given, recordFile }: { given: string | undefined; recordFile: string },
): Promise<Address | undefined> {
  if (given !== localUnit) return given?.split(':').find((part): part is Address => isAddress(part))
  if (!node.isAnvil)
    throw new StackError(`UNIT=${localUnit} is for a local chain: name a token of this one.`)
  const kept = readJson(recordFile)
  if (typeof kept === 'string' && isAddress(kept) && (await node.client.getCode({ address: kept })))
    return kept
  const token = await createToken(node, treasury)
  writeJson(recordFile, token)
  return token
}

/** Creates a token of 18 decimals on a local chain, and a billion of it for who pays. */
export async function createToken({ client }: ChainNode, treasury: Treasury): Promise<Address> {
  await buildContracts([`contracts/test/support/${tokenFile}.sol`])
  const { abi, bytecode } = readArtifact('TestToken', tokenFile)
  const data = encodeDeployData({ abi, bytecode: bytecode.object, args: [decimals] })
  const hash = await treasury.send({ data })
  const { contractAddress } = await client.getTransactionReceipt({ hash })
  if (contractAddress == null) throw new StackError('The local token was not created.')
  const args = [treasury.address, 10n ** 27n]
  const minting = encodeFunctionData({ abi, functionName: 'mint', args })
  await treasury.send({ to: contractAddress, data: minting })
  return contractAddress
}
