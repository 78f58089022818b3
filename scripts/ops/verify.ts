import type { Address } from 'viem'
import { poolRules } from '../../src/chain/chains.ts'
import { provedPayment, verifyPayment } from '../../src/node/reads/payment-proof.ts'
import { decodeResults } from '../../src/relay/forwarder/requests.ts'
import { parseJson } from '../../src/runtime/json.ts'
import type { Found } from '../stack/command.ts'
import { readJson } from '../stack/files.ts'
import { readOrigin } from '../stack/options.ts'
import { Misused, StackError } from '../stack/report.ts'

const { confirmations } = poolRules.rootstock

type Mining = Parameters<typeof verifyPayment>[2]

/** Checks what a deployment or a file proves of a transaction. @throws {StackError} nothing */
export async function showVerified(hash: string, url?: string, from?: string): Promise<Found> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash) || (url === undefined) === (from === undefined)) {
    throw new Misused()
  }
  const proof = from === undefined ? parseJson(await fetchProof(hash, url)) : readJson(from)
  return verified(hash.toLowerCase(), proof)
}

async function fetchProof(hash: string, url: string | undefined): Promise<string> {
  const origin = readOrigin(url ?? '')
  const asked = { signal: AbortSignal.timeout(30_000) }
  const response = await fetch(`${origin}/proof/${hash}`, asked).catch(() => undefined)
  if (response === undefined) throw new StackError(`Nothing answers at ${origin}.`)
  const text = await response.text()
  if (response.ok) return text
  throw new StackError(`${origin} shows no proof: ${text.trim()}`)
}

/** Tells what a proof shows of a transaction; bad where its block is not deep enough yet. */
export function verified(hash: string, proof: unknown, mining?: Mining): Found {
  const parsed = provedPayment.safeParse(proof)
  if (!parsed.success) {
    const { says = 'there is no proof to read' } = Object(proof) as { says?: string }
    throw new StackError(`Nothing is proved: ${says}.`)
  }
  const shown = checkProof(hash, parsed.data, mining)
  const { chainId, block, blocks, work, succeeded, logs } = shown
  const told = [...new Set(logs.map(({ address }) => address))].flatMap((address) =>
    decodeResults({ chainId, address: address as Address }, logs as never).map(
      ({ intentId, from, status }) =>
        `Contract ${address} says of intent ${intentId} of ${from}: ${status}`,
    ),
  )
  const isDeep = blocks >= confirmations
  const depth = isDeep ? '' : ` Fewer than ${confirmations}: it may still be taken back.`
  const lines = [
    `Transaction ${hash} ${succeeded ? 'succeeded' : 'failed'} in block ${block.number} of chain ${chainId}: ${block.hash}`,
    ...told,
    `${blocks} blocks from it on lead down to it, and took ${work} hashes to mine.${depth}`,
  ]
  return { json: { hash, ...shown, work: `${work}` }, lines, isBad: !isDeep }
}

function checkProof(...proof: Parameters<typeof verifyPayment>) {
  try {
    return verifyPayment(...proof)
  } catch (error) {
    throw new StackError(`The proof is not true: ${error instanceof Error ? error.message : error}`)
  }
}
