import { BaseError, type Hex, type LocalAccount, type PublicClient } from 'viem'
import { type Chain, type PoolRules, poolRules } from '../../../src/chain/chains.ts'
import { replacementPriceUp } from '../../../src/relay/fees.ts'
import {
  decodeExecute,
  encodeExecute,
  type RequestResult,
  type SignedRequest,
} from '../../../src/relay/forwarder/requests.ts'
import { createSigner, type Signer } from '../../../src/relay/signer.ts'
import { until } from '../../dev/wait.ts'
import type { Pair } from './records.ts'
import { gasLimitOf } from './requests.ts'

/** Who pays for transactions, and where they are executed. */
export type Relayer = {
  client: PublicClient
  signer: Signer
  pair: Pair
  rules: PoolRules
}

/** A relayer by its key, with the rules of the node's pool. */
export async function openRelayer(
  client: PublicClient,
  { key, chain, pair }: { key: LocalAccount; chain: Chain; pair: Pair },
): Promise<Relayer> {
  const version = await client.request({ method: 'web3_clientVersion' })
  const rules = poolRules[/^anvil/i.test(version) ? 'anvil' : 'rootstock']
  return { client, signer: createSigner(key, chain.id), pair, rules }
}

/** What the newest block would make of a batch. */
export async function preflight(
  { client, signer, pair }: Relayer,
  requests: readonly SignedRequest[],
): Promise<RequestResult[]> {
  const data = encodeExecute(requests)
  const gas = BigInt(gasLimitOf(requests, data))
  const answer = await client.call({ account: signer.address, to: pair.forwarder, data, gas })
  return decodeExecute(requests, answer.data ?? '0x')
}

/**
 * Sends a batch with the key's next nonce and resolves as soon as that nonce is used up, by these bytes or
 * by others: what became of the requests is the contracts' to say. A transaction that waits for long, be it
 * of a run that was killed, is replaced at a higher price.
 *
 * @throws {RelayerError} the node refuses the transaction, or keeps it waiting at every price
 */
export async function sendBatch(
  relayer: Relayer,
  requests: readonly SignedRequest[],
): Promise<void> {
  const { client, signer, pair, rules } = relayer
  const nonce = await countOf(relayer, 'latest')
  const data = encodeExecute(requests)
  const gas = gasLimitOf(requests, data)
  let gasPriceWei = await client.getGasPrice()
  for (let replaced = 0; replaced <= rules.maxReplacements; replaced++) {
    const { raw } = await signer.sign({ nonce, to: pair.forwarder, data, gas, gasPriceWei })
    const refusal = await offer(client, raw)
    const isAlone = refusal !== undefined && (await countOf(relayer, 'pending')) <= nonce
    // Other bytes with this nonce may have been first, here or at a node that is behind.
    const withinMs = isAlone ? 4 * rules.pollMs : rules.replaceAfterMs
    if (await isUsedUp(relayer, nonce, withinMs)) return
    if (isAlone) throw new RelayerError(`the node refuses the transaction: ${refusal}`)
    gasPriceWei = replacementPriceUp(gasPriceWei, rules.replacementPercent)
  }
  throw new RelayerError(`nonce ${nonce} of ${signer.address} waits at every price`)
}

/** What the node says against it, if anything. */
async function offer(client: PublicClient, raw: Hex): Promise<string | undefined> {
  try {
    await client.sendRawTransaction({ serializedTransaction: raw })
    return undefined
  } catch (error) {
    if (error instanceof BaseError) return error.details
    throw error
  }
}

async function isUsedUp(relayer: Relayer, nonce: number, withinMs: number): Promise<boolean> {
  const isUsed = async () => (await countOf(relayer, 'latest')) > nonce
  const late = new RelayerError('late')
  try {
    await until(isUsed, { everyMs: relayer.rules.pollMs, withinMs, late: () => late })
    return true
  } catch (error) {
    if (error === late) return false
    throw error
  }
}

function countOf({ client, signer }: Relayer, blockTag: 'latest' | 'pending'): Promise<number> {
  return client.getTransactionCount({ address: signer.address, blockTag })
}

/** The relayer's key can't send what it has to; what reached the chain stays, and the next run goes on. */
export class RelayerError extends Error {
  override readonly name = 'RelayerError'
}
