import { BaseError, type Hex, type LocalAccount, type PublicClient } from 'viem'
import {
  decodeExecute,
  type Forwarder,
  type RequestResult,
  type SignedRequest,
} from '../../../src/relay/forwarder/requests.ts'
import { carry, gasPriceFor } from '../../../src/relay/relayer.ts'
import { createSigner, type Signer } from '../../../src/relay/signer.ts'
import { until } from '../../dev/wait.ts'
import { priceObstacle } from '../../stack/chain/gas-price.ts'
import { Misused, StackError } from '../../stack/report.ts'
import type { OpenedDeployment, PoolTerms } from './records.ts'

/** Who pays for transactions, and where they are executed. */
export type Relayer = PoolTerms & {
  client: PublicClient
  signer: Signer
  forwarder: Forwarder
}

/** A relayer by its key. @throws {Misused} none is named */
export function createRelayer(
  { client, chain, pair, terms }: Pick<OpenedDeployment, 'client' | 'chain' | 'pair' | 'terms'>,
  key: LocalAccount | undefined,
): Relayer {
  if (key === undefined) throw new Misused('RELAYER_KEY or RELAYER_MNEMONIC is not set.')
  const forwarder = { chainId: chain.id, address: pair.forwarder }
  return { ...terms, client, signer: createSigner(key, chain.id), forwarder }
}

/** What the newest block would make of a batch. */
export async function preflight(
  { client, signer, forwarder }: Relayer,
  requests: readonly SignedRequest[],
): Promise<RequestResult[]> {
  const { to, data, gas } = carry({ signer, forwarder }, requests)
  const answer = await client.call({ account: signer.address, to, data, gas: BigInt(gas) })
  return decodeExecute(requests, answer.data ?? '0x')
}

/**
 * Sends a batch with the key's next nonce and resolves as soon as that nonce is used up, by these bytes or
 * by others: what became of the requests is the contracts' to say. A transaction that waits for long, be it
 * of a run that was killed, is replaced at a higher price. What it would take more than the highest price to
 * outbid goes out again as it is.
 *
 * @throws {StackError} the node asks for more than the highest price, refuses the transaction, or keeps it
 *   waiting
 */
export async function sendBatch(
  relayer: Relayer,
  requests: readonly SignedRequest[],
): Promise<void> {
  const { client, signer, rules } = relayer
  const nonce = await countOf(relayer, 'latest')
  const content = carry(relayer, requests)
  const nodePriceWei = await client.getGasPrice()
  const obstacle = priceObstacle(relayer.fees.maxWei, nodePriceWei)
  if (obstacle !== undefined) throw new StackError(obstacle)
  let gasPriceWei = nodePriceWei
  for (let replaced = 0; replaced <= rules.maxReplacements; replaced++) {
    const { raw } = await signer.sign({ ...content, nonce, gasPriceWei })
    const refusal = await offer(client, raw)
    const isAlone = refusal !== undefined && (await countOf(relayer, 'pending')) <= nonce
    // Other bytes with this nonce may have been first, here or at a node that is behind.
    const withinMs = isAlone ? 4 * rules.pollMs : rules.replaceAfterMs
    if (await isUsedUp(relayer, nonce, withinMs)) return
    if (isAlone) throw new StackError(`the node refuses the transaction: ${refusal}`)
    gasPriceWei = gasPriceFor(relayer, nodePriceWei, gasPriceWei) ?? gasPriceWei
  }
  throw new StackError(`nonce ${nonce} of ${signer.address} waits at every price that is allowed`)
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
  const late = new StackError('late')
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
