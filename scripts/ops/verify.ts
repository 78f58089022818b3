import { type Address, fromRlp, type Hex, keccak256, parseTransaction } from 'viem'
import { getNetwork, type MiningRules, poolRules } from '../../src/chain/chains.ts'
import { UntrueAnswer } from '../../src/chain/rpc.ts'
import { walkBinaryProof } from '../../src/node/objects/binary-trie.ts'
import { isNamespaced, splitType } from '../../src/node/objects/block.ts'
import { assertMined, decodeHeader } from '../../src/node/objects/header.ts'
import { type ProvedPayment, provedPayment } from '../../src/node/reads/payment-proof.ts'
import { decodeResults } from '../../src/relay/forwarder/requests.ts'
import { parseJson } from '../../src/runtime/json.ts'
import { tryTo } from '../../src/runtime/log.ts'
import { createCommand, type Found, text } from '../stack/command.ts'
import { readJson } from '../stack/files.ts'
import { readOrigin } from '../stack/options.ts'
import { Misused, StackError } from '../stack/report.ts'
import { commonOptions } from './command-line.ts'

const { confirmations } = poolRules.rootstock

const usage = `Usage: npm run ops -- verify <hash> --url https://<host> | --from FILE [--min-difficulty N] [--json]

Checks a payment's proof by nothing but hashes, of GET /proof/<hash> or of a file that has it. It trusts neither
relay nor node, and needs no token. Blocks of a chain of your own are judged with --min-difficulty, the least work
of a block that you trust.`

export const verify = createCommand({
  usage,
  options: { ...commonOptions, from: text, 'min-difficulty': text },
  async run({ url, from, 'min-difficulty': least }, [hash = '', ...more]) {
    const isOneHash = /^0x[0-9a-fA-F]{64}$/.test(hash) && more.length === 0
    if (!isOneHash || (url === undefined) === (from === undefined)) throw new Misused()
    const proof = from === undefined ? parseJson(await fetchProof(hash, url)) : readJson(from)
    return verified(hash.toLowerCase(), proof, readMining(least))
  },
})

/** Reads the mining of a chain of one's own; undefined for that of the payment's network. */
function readMining(least: string | undefined): MiningRules | undefined {
  if (least === undefined) return undefined
  if (/^[0-9]{1,30}$/.test(least)) return { minDifficulty: BigInt(least), from: 0 }
  throw new StackError('--min-difficulty is a number of hashes.')
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
export function verified(hash: string, proof: unknown, mining?: MiningRules): Found {
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

function checkProof(hash: string, proof: ProvedPayment, mining?: MiningRules) {
  try {
    return verifyPayment(hash, proof, mining)
  } catch (error) {
    const easier = mining === undefined ? findEasierChain(hash, proof) : undefined
    if (easier !== undefined) throw new StackError(easier)
    throw new StackError(`The proof is not true: ${error instanceof Error ? error.message : error}`)
  }
}

/** Says which rule a proof lacks whose blocks are only easier to mine than its network's. */
function findEasierChain(hash: string, proof: ProvedPayment): string | undefined {
  return tryTo(() => {
    const { chainId } = verifyPayment(hash, proof, { minDifficulty: 0n, from: 0 })
    const { minDifficulty, from } = getNetwork(chainId).mining
    return `Hashes and work fit together, but not to the public chain ${chainId}: from block ${from} on its blocks have a difficulty of at least ${minDifficulty}. Of a chain of your own, name the least that you trust: --min-difficulty N`
  })
}

/**
 * Verifies a transaction's proof by hashes only; `rules` replace those of its chain. `work` is how
 * many hashes the miners of its headers computed on average.
 * @throws {UntrueAnswer} the proof does not show this transaction
 */
export function verifyPayment(hash: string, proof: ProvedPayment, rules?: MiningRules) {
  const { transaction, receipt } = proof
  const { type, rlp } = splitType(transaction.raw)
  const { chainId = 0 } = parseTransaction(isNamespaced(type) ? rlp : transaction.raw)
  const mining = rules ?? getNetwork(chainId).mining
  const headers = proof.headers.map((header) => readProvedHeader(header, mining))
  const [paymentHeader = throwUntrue('there is no header')] = headers
  const isLinked = headers.every(
    ({ parentHash }, index) => index === 0 || parentHash === headers[index - 1]?.hash,
  )
  if (!isLinked) throwUntrue('a header does not name the one before it as its parent')
  if (keccak256(transaction.raw) !== hash) throwUntrue('the bytes are of another transaction')
  assertInTrie(`${paymentHeader.transactionsRoot}`, transaction.index, transaction)
  assertInTrie(`${paymentHeader.receiptsRoot}`, transaction.index, receipt)
  // A receipt in RLP: status, cumulative gas, bloom and logs.
  const [status, , , logs] = fromRlp(splitType(receipt.raw).rlp, 'hex') as [
    Hex,
    Hex,
    Hex,
    [Hex, Hex[], Hex][],
  ]
  return {
    chainId,
    block: { number: Number(paymentHeader.number), hash: paymentHeader.hash as Hex },
    blocks: headers.length,
    work: headers.reduce((sum, { difficulty }) => sum + BigInt(`${difficulty}`), 0n),
    succeeded: status === '0x01',
    logs: logs.map(([address, topics, logged]) => ({ address, topics, data: logged })),
  }
}

function readProvedHeader(
  { raw, coinbase, merkleProof }: ProvedPayment['headers'][number],
  mining: MiningRules,
): Record<string, unknown> {
  const header = decodeHeader(raw)
  if (header === undefined || Number(header.number) < mining.from)
    return throwUntrue('a header has an unknown form')
  const work = {
    ...header,
    bitcoinMergedMiningCoinbaseTransaction: coinbase,
    bitcoinMergedMiningMerkleProof: merkleProof,
  }
  assertMined(work, header.mined, mining)
  return header
}

function assertInTrie(root: string, index: number, { raw, nodes }: ProvedPayment['receipt']): void {
  const provedValue = walkBinaryProof(nodes, root, index)
  // No node of the trie may be missing, and none may be more than the path needs.
  const isExact = provedValue?.valueHash === keccak256(raw) && `${provedValue.nodes}` === `${nodes}`
  if (!isExact) throwUntrue('bytes are not in the trie of the block')
}

function throwUntrue(reason: string): never {
  throw new UntrueAnswer(reason)
}
