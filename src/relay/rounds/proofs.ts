import { isAddressEqual } from 'viem'
import type { MiningRules } from '../../chain/chains.ts'
import type { Receipt } from '../../chain/node.ts'
import { RpcError } from '../../chain/rpc.ts'
import { decodeResults } from '../forwarder/requests.ts'
import type { FollowedBlock } from '../ledger/records/chain.ts'
import type { BlockId } from '../ledger/values.ts'
import type { Work } from '../ledger/work.ts'
import type { Relayer } from '../relayer.ts'
import { type ChainSnapshot, listDeepPayments, type Proof } from './facts.ts'
import { askOrLog, walkDown } from './followed-blocks.ts'

const nodeTimeoutMs = 5_000

/** Marks that the nodes do not serve a proof. */
type Unproved = 'unproved'

type DeepPayment = ReturnType<typeof listDeepPayments>[number]

/**
 * Proves deep outcomes by receipt, header and work. An outcome without an answer, or with too
 * little work on it so far, is left out: the next round asks again. Returns undefined where no
 * proof is required.
 */
export async function askProofs(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<ReadonlyMap<string, Proof> | undefined> {
  const { proofs: miningRules } = relayer
  if (miningRules === undefined) return undefined
  const deepPayments = listDeepPayments(work, chain.head, relayer).filter(
    ({ execution }) => chain.statuses.get(execution.block.hash) === 'canonical',
  )
  const proofs = new Map<string, Proof>()
  // A receipt is asked for once, although its transaction carries many payments.
  const paymentsByReceipt = Map.groupBy(
    deepPayments,
    ({ execution }) => `${execution.hash} ${execution.block.hash}`,
  )
  for (const payments of paymentsByReceipt.values()) {
    const [{ execution }] = payments as [DeepPayment]
    const receipt = await askReceipt(relayer, execution.hash)
    const workProof = receipt && (await checkWork(relayer, miningRules, chain, execution.block))
    if (receipt === undefined || workProof === undefined) continue
    for (const payment of payments) {
      const proof = checkProof(relayer, receipt, payment)
      if (proof !== undefined) proofs.set(payment.session, proof === 'proved' ? workProof : proof)
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

/** Compares an outcome with its receipt; undefined if the receipt now names another block. */
function checkProof(
  { forwarder }: Relayer,
  receipt: Receipt | Unproved,
  { order, execution }: DeepPayment,
): Proof | undefined {
  if (receipt === 'unproved' || !receipt.isProved) return 'unproved'
  if (receipt.block.hash !== execution.block.hash) return undefined
  const { from, intentId } = order.request
  const isInReceipt = decodeResults(forwarder, receipt.logs).some(
    (result) =>
      result.intentId === intentId &&
      isAddressEqual(result.from, from) &&
      result.status === execution.outcome,
  )
  return isInReceipt ? 'proved' : 'refuted'
}

/**
 * Checks the work on a block: the difficulties of the linked blocks from this one up must sum to
 * `confirmations` times the network's least, and times the floor of each followed block. Returns
 * undefined if they do not yet, or without an answer.
 */
async function checkWork(
  relayer: Relayer,
  { minDifficulty }: MiningRules,
  chain: ChainSnapshot,
  block: BlockId,
): Promise<'proved' | Unproved | undefined> {
  const { head, followedBlocks } = chain
  const followed = followedBlocks.slice(0, head.number - block.number + 1)
  const haveDifficulties = followed.every(({ difficulty }) => difficulty !== undefined)
  const reachesBlock = haveDifficulties && followed.at(-1)?.hash === block.hash
  const blocks = reachesBlock ? followed : await readConfirmations(relayer, block)
  if (blocks === undefined) return undefined
  const difficulties = blocks.flatMap(({ difficulty }) => (difficulty ? [BigInt(difficulty)] : []))
  if (difficulties.length < blocks.length) return 'unproved'
  const sum = difficulties.reduce((total, difficulty) => total + difficulty, 0n)
  const floors = [minDifficulty, ...followedBlocks.map(({ floor = '0x0' }) => BigInt(floor))]
  const confirmations = BigInt(relayer.rules.confirmations)
  return floors.every((floor) => sum >= confirmations * floor) ? 'proved' : undefined
}

/** Reads the blocks of a confirmation that were not followed, or not proved then. */
async function readConfirmations(
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
