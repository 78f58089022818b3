import { getAddress, hexToBytes } from 'viem'
import { type Chain, poolRules } from '../../../src/chain/chains.ts'
import type { Forwarder } from '../../../src/relay/forwarder/requests.ts'
import { createSigner, deriveRelayerAccount } from '../../../src/relay/signer.ts'
import { createKeyAccount, type KeyAccount } from '../../../src/runtime/key-account.ts'
import { tryTo } from '../../../src/runtime/log.ts'
import { type ChainNode, maxGasPrice, openNode, readMaxGasPrice } from '../../stack/chain/node.ts'
import { readNodeUrl, readSecret } from '../../stack/options.ts'
import { Misused, StackError } from '../../stack/report.ts'
import { readUnit } from '../reads.ts'
import { readDeployed } from '../records.ts'

export type Pair = ReturnType<typeof openPair>

/** Opens the pair of a record. @throws {StackError} it is none, or the node serves another chain */
export function openPair(node: ChainNode, file: string) {
  const { genesisHash, forwarder, loan, deployedBlock } = readDeployed(file)
  if (genesisHash !== node.genesis) {
    throw new StackError(`${file} is of another chain than the one that the node serves`)
  }
  return {
    loan: getAddress(loan),
    forwarder: getAddress(forwarder),
    deployedBlock: BigInt(deployedBlock),
  }
}

export type OpenedDeployment = Awaited<ReturnType<typeof openDeployment>>

/** Sends a migration's transactions by the rules of the node's pool. */
export type Relayer = NonNullable<OpenedDeployment['relayer']>

/** Opens a record's deployment by the environment. @throws {Misused} something is missing */
export async function openDeployment(env: NodeJS.ProcessEnv, record: string) {
  const nodeUrl = readNodeUrl(env)
  const secret = readSecret(env, 'ACCOUNT_KEY_SECRET')
  const maxGasPriceWei = readMaxGasPrice(env)
  const node = await openNode([nodeUrl], readDeployed(record).chainId)
  const { chain, isAnvil, client } = node
  const pair = openPair(node, record)
  const fees = { maxWei: maxGasPrice(maxGasPriceWei, node) }
  const rules = poolRules[isAnvil ? 'anvil' : 'rootstock']
  const forwarder: Forwarder = { chainId: chain.id, address: pair.forwarder }
  const key = readPayer(env, chain.id)
  const relayer = key && { client, signer: createSigner(key, chain.id), forwarder, rules, fees }
  const unit = await readUnit(client, pair.loan, chain.currency)
  return { client, node, chain, unit, pair, fees, secret, relayer }
}

function readPayer(env: NodeJS.ProcessEnv, chainId: Chain['id']): KeyAccount | undefined {
  if (env.RELAYER_KEY) return createKeyAccount(hexToBytes(readSecret(env, 'RELAYER_KEY')))
  if (!env.RELAYER_MNEMONIC) return undefined
  const mnemonic = env.RELAYER_MNEMONIC
  const account = tryTo(() => deriveRelayerAccount(mnemonic, chainId, 0))
  if (account !== undefined) return account
  // The cause may show words of the phrase.
  throw new Misused('RELAYER_MNEMONIC is not a phrase of BIP-39.')
}
