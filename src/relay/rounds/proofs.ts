import { isAddressEqual } from 'viem'
import type { MiningRules } from '../../chain/chains.ts'
import type { Receipt } from '../../chain/node.ts'
import { RpcError } from '../../chain/rpc.ts'
import { decodeResults, isSpending } from '../forwarder/requests.ts'
import type { BlockId, FollowedBlock, Work } from '../ledger/port.ts'
import type { Relayer } from '../relayer.ts'
import { type ChainSnapshot, listDeepPayments, type Proof } from './facts.ts'
import { askOrLog, walkDown } from './followed-blocks.ts'

const nodeTimeoutMs = 5_000

/** Marks that the nodes do not serve a proof. */
type Unproved = 'unproved'

type Deep = ReturnType<typeof listDeepPayments>[number]

/**
 * Proves deep outcomes by receipt, header and work; undefined where nodes are believed. One without
 * an answer, or with too little work on it so far, is left out: the next round asks again.
 */
export async function askProofs(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<ReadonlyMap<string, Proof> | undefined> {
  const { proofs: mining } = relayer
  if (mining === undefined) return undefined
  const held = listDeepPayments(work, chain.head, relayer).filter(
    ({ execution }) => chain.statuses.get(execution.block.hash) === 'canonical',
  )
  const proofs = new Map<string, Proof>()
  // A transaction carries many payments, and is asked for once.
  const shared = Map.groupBy(held, ({ execution }) => `${execution.hash} ${execution.block.hash}`)
  for (const payments of shared.values()) {
    const [{ execution }] = payments as [Deep]
    const receipt = await askReceipt(relayer, execution.hash)
    const worked = receipt && (await readWork(relayer, mining, chain, execution.block))
    if (receipt === undefined || worked === undefined) continue
    for (const payment of payments) {
      const proof = checkProof(relayer, receipt, payment)
      if (proof !== undefined) proofs.set(payment.session, proof === 'proved' ? worked : proof)
    }
  }
  return proofs
}

/** Asks for a receipt; undefined without a credible answer. */
function askReceipt(relayer: Relayer, hash: Receipt['hash']) {
  const { node, clock } = relayer
  return askOrLog(relayer, 'confirm.failed', async (): Promise<Receipt | Unproved> => {
    try {
      return (await node.getReceipt(hash, clock.timeout(nodeTimeoutMs))) ?? 'unproved'
    } catch (error) {
      if (error instanceof RpcError) return 'unproved'
      throw error
    }
  })
}

/** Compares an outcome with its receipt; undefined if that is in another block by now. */
function checkProof(
  { forwarder }: Relayer,
  receipt: Receipt | Unproved,
  { order, execution }: Deep,
): Proof | undefined {
  if (receipt === 'unproved' || !receipt.isProved) return 'unproved'
  if (receipt.block.hash !== execution.block.hash) return undefined
  const { from, intentId } = order.request
  const isTold = decodeResults(forwarder, receipt.logs).some(
    (result) =>
      result.intentId === intentId &&
      isAddressEqual(result.from, from) &&
      isSpending(result.status) &&
      // Another request of the intent may have been executed: for this one that is its failure.
      (result.status === 'executed' || execution.outcome === 'failed'),
  )
  return isTold ? 'proved' : 'refuted'
}

/**
 * Tells whether linked blocks from this one up have enough work: for each confirmation the
 * network's least, and what followed blocks require. Undefined if not yet, or without an answer.
 */
async function readWork(
  relayer: Relayer,
  { minDifficulty }: MiningRules,
  chain: ChainSnapshot,
  block: BlockId,
): Promise<'proved' | Unproved | undefined> {
  const { head, followedBlocks } = chain
  const followed = followedBlocks.slice(0, head.number - block.number + 1)
  const isProved = followed.every(({ difficulty }) => difficulty !== undefined)
  const isWhole = isProved && followed.at(-1)?.hash === block.hash
  const blocks = isWhole ? followed : await readBlocksOver(relayer, block)
  if (blocks === undefined) return undefined
  const works = blocks.flatMap(({ difficulty }) => (difficulty ? [BigInt(difficulty)] : []))
  if (works.length < blocks.length) return 'unproved'
  const sum = works.reduce((total, difficulty) => total + difficulty, 0n)
  const floors = [minDifficulty, ...followedBlocks.map(({ floor = '0x0' }) => BigInt(floor))]
  const confirmations = BigInt(relayer.rules.confirmations)
  return floors.every((floor) => sum >= confirmations * floor) ? 'proved' : undefined
}

/** Reads the blocks of a confirmation that were not followed, or not proved then. */
async function readBlocksOver(
  relayer: Relayer,
  { number, hash }: BlockId,
): Promise<readonly Pick<FollowedBlock, 'difficulty'>[] | undefined> {
  const { node, clock, rules } = relayer
  const top = await askOrLog(relayer, 'confirm.failed', () =>
    node.getBlock(number + rules.confirmations - 1, clock.timeout(nodeTimeoutMs)),
  )
  if (top === undefined) return undefined
  const blocks = await walkDown(relayer, top, (block) => block.number <= number)
  return blocks.at(-1)?.hash === hash ? blocks : undefined
}
