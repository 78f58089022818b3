import { BaseError, type Hex, keccak256, stringToHex } from 'viem'
import {
  decodeExecute,
  deriveIntentId,
  type SignedRequest,
  signRequest,
} from '../../../src/relay/forwarder/requests.ts'
import { buildBatch, computeGasPrice } from '../../../src/relay/relayer.ts'
import { sleep } from '../../dev/wait.ts'
import { priceObstacle } from '../../stack/chain/node.ts'
import { StackError } from '../../stack/report.ts'
import { forwarderAt } from '../reads.ts'
import type { Relayer } from './open.ts'
import type { Call } from './survey.ts'

/** Sets the seconds until the forwarder refuses a request; a killed run's batches end with them. */
const lifetimeSeconds = 60 * 60

/** Signs a call under the first unspent name of this block, so that two runs execute it once. */
export async function signCall(
  { client, forwarder }: Relayer,
  { signer, name, target, data, gas }: Call,
  { loan, block }: { loan: Hex; block: { number: bigint; timestamp: bigint } },
): Promise<SignedRequest> {
  const from = signer.address
  for (let attempt = 0; ; attempt++) {
    // What moves is public in the call itself, so its name needs no secret.
    const move = `${name} ${loan} ${from} ${target} ${attempt}`
    const intentId = deriveIntentId(forwarder, keccak256(stringToHex(move)))
    const read = forwarderAt(client, forwarder.address)
    const [spentAt] = await read.spentAt([from, intentId], { blockNumber: block.number })
    if (spentAt !== 0n) continue
    const deadline = Number(block.timestamp) + lifetimeSeconds
    return signRequest(signer, forwarder, { from, intentId, gas, deadline, data })
  }
}

export async function preflight(relayer: Relayer, requests: readonly SignedRequest[]) {
  const { to, data, gas } = buildBatch(relayer, requests)
  const account = relayer.signer.address
  const answer = await relayer.client.call({ account, to, data, gas: BigInt(gas) })
  return decodeExecute(requests, answer.data ?? '0x')
}

/**
 * Sends a batch and resolves as soon as its nonce is used up, by these bytes or by others: the
 * contracts say what became of the requests. What waits is outbid up to the highest price, and then
 * goes out again as it is.
 * @throws {StackError} the node asks for more, refuses the transaction, or keeps it waiting
 */
export async function sendBatch(relayer: Relayer, requests: readonly SignedRequest[]) {
  const { client, signer, rules, fees } = relayer
  const nonce = await countOf(relayer, 'latest')
  const content = buildBatch(relayer, requests)
  const nodePriceWei = await client.getGasPrice()
  const obstacle = priceObstacle(fees.maxWei, nodePriceWei)
  if (obstacle !== undefined) throw new StackError(obstacle)
  let gasPriceWei = nodePriceWei
  for (let replaced = 0; replaced <= rules.maxReplacements; replaced++) {
    const { raw } = signer.sign({ ...content, nonce, gasPriceWei })
    const refusal = await client.sendRawTransaction({ serializedTransaction: raw }).then(
      () => undefined,
      (error) => {
        if (error instanceof BaseError) return error.details
        throw error
      },
    )
    const isAlone = refusal !== undefined && (await countOf(relayer, 'pending')) <= nonce
    // Other bytes with this nonce may have been first, here or at a node that is behind.
    const withinMs = isAlone ? 4 * rules.pollMs : rules.replaceAfterMs
    if (await isUsedUp(relayer, nonce, withinMs)) return
    if (isAlone) throw new StackError(`the node refuses the transaction: ${refusal}`)
    gasPriceWei = computeGasPrice(relayer, nodePriceWei, gasPriceWei) ?? gasPriceWei
  }
  throw new StackError(`nonce ${nonce} of ${signer.address} waits at every price that is allowed`)
}

async function isUsedUp(relayer: Relayer, nonce: number, withinMs: number): Promise<boolean> {
  for (const began = performance.now(); ; await sleep(relayer.rules.pollMs)) {
    if ((await countOf(relayer, 'latest')) > nonce) return true
    if (performance.now() - began > withinMs) return false
  }
}

function countOf({ client, signer }: Relayer, blockTag: 'latest' | 'pending'): Promise<number> {
  return client.getTransactionCount({ address: signer.address, blockTag })
}
