import { decodeFunctionResult, encodeFunctionData, type Hex, pad } from 'viem'
import { maxBlocksPerRequest } from '../../chain/logs.ts'
import type { BlockHash, Head, Node } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
import type { Clock } from '../../runtime/clock.ts'
import { intentLifetimeSeconds, relayForwarderAbi } from '../forwarder/abi.ts'
import {
  decodeResults,
  type Forwarder,
  type ForwardRequest,
  requestLifetimeSeconds,
  spendsIntent,
} from '../forwarder/requests.ts'
import type { NextNonces, Traces } from '../ledger/records/possible-loss.ts'
import { nodeTimeoutMs, type Relayer } from '../relayer.ts'

/** Names what the forwarder executes at most once. */
export type IntentName = Pick<ForwardRequest, 'from' | 'intentId'>

const daySeconds = 86_400
/** Returns whether the forwarder refuses a request whose intent was spent at this Unix time. */
function preventsExecution(spentAtSeconds: number, request: ForwardRequest): boolean {
  const acceptedAt = request.deadline - requestLifetimeSeconds
  return spentAtSeconds + intentLifetimeSeconds > acceptedAt
}

type BlockTime = Pick<Head, 'number' | 'timestampSeconds'>

/** Names a state to ask in. Searches that share `knownBlocks` do not read the same times again. */
export type SearchState = BlockHash & Head & { knownBlocks?: BlockTime[] }

/** Gives how long after a deadline the forwarder surely remembers a spent intent. */
const minMemorySeconds = intentLifetimeSeconds - daySeconds

/**
 * Finds the block that spent a request's intent, in the state `at` a block or at the latest one.
 * Returns undefined if the request can still execute. Searches the events if the forwarder may
 * have forgotten the intent.
 * @throws {TransportError} {@link RpcError}
 */
export async function findSpendingBlock(
  relayer: Relayer,
  request: ForwardRequest,
  at?: SearchState,
): Promise<number | undefined> {
  const { node, clock } = relayer
  const [timestamp, blockNumber] = await readSpentAt(relayer, request, at)
  if (blockNumber !== 0n) {
    return preventsExecution(Number(timestamp), request) ? Number(blockNumber) : undefined
  }
  const head = at ?? (await node.getHead(clock.timeout(nodeTimeoutMs)))
  const stillRemembers = head.timestampSeconds <= request.deadline + minMemorySeconds
  return stillRemembers ? undefined : findEventBlock(relayer, request, head, at?.knownBlocks)
}

/**
 * Reads when an intent was spent (Unix time in s) and in which block; zeros if it is unspent.
 * @throws {TransportError} {@link RpcError}
 */
export async function readSpentAt(
  { node, forwarder, clock }: Pick<Relayer, 'node' | 'forwarder' | 'clock'>,
  { from, intentId }: IntentName,
  at?: BlockHash | number,
) {
  const call = { abi: relayForwarderAbi, functionName: 'spentAt' } as const
  const data = encodeFunctionData({ ...call, args: [from, intentId] })
  const asOf = typeof at === 'object' ? { blockHash: at.blockHash } : at
  const outcome = await node.call(
    { to: forwarder.address, data },
    clock.timeout(nodeTimeoutMs),
    asOf,
  )
  if (outcome.kind === 'reverted') throw new TransportError('the forwarder does not answer spentAt')
  return decodeFunctionResult({ ...call, data: outcome.data })
}

/** Lists the intents that a block has spent already. @throws {TransportError} {@link RpcError} */
export async function listSpent(
  relayer: Pick<Relayer, 'node' | 'forwarder' | 'clock'>,
  intents: readonly IntentName[],
  block: number,
): Promise<Hex[]> {
  const found = await Promise.all(intents.map((each) => readSpentAt(relayer, each, block)))
  return intents.flatMap(({ intentId }, index) => (found[index]?.[1] ? [intentId] : []))
}

/**
 * Tells whether an intent is spent in the latest block, the number of that block, and what the
 * relayer's final transactions are. Tells nothing if no node answers, or if another one than named
 * the block answers and does not have it.
 */
export async function readIsSpent(
  relayer: Pick<Relayer, 'node' | 'forwarder' | 'clock' | 'signer' | 'rules'>,
  intent: IntentName,
): Promise<Omit<Traces, keyof NextNonces>> {
  try {
    const { node, clock, signer, rules } = relayer
    const signal = clock.timeout(nodeTimeoutMs)
    const { number, hash } = await node.getHead(signal)
    const final = Math.max(0, number - rules.confirmations + 1)
    const [[, block], finalCount] = await Promise.all([
      readSpentAt(relayer, intent, { blockHash: hash }),
      node.getTransactionCount(signer.address, signal, final),
    ])
    return { isSpent: block !== 0n, block: number, finalCount }
  } catch {
    return {}
  }
}

/** Selects all forwarder events of an account's intent. */
export const filterIntent = ({ address }: Forwarder, { from, intentId }: IntentName) => ({
  address,
  // Nodes write topics in lower case; an address has a checksum in its letters.
  topics: [null, pad(intentId, { dir: 'right' }), pad(from.toLowerCase() as Hex)],
})

/** Finds the event that spent an intent; clocks differ, so a day is searched on both sides. */
async function findEventBlock(
  { node, forwarder, clock }: Relayer,
  request: ForwardRequest,
  head: Head,
  knownBlocks: BlockTime[] = [],
): Promise<number | undefined> {
  const acceptedAt = request.deadline - requestLifetimeSeconds
  const findAround = (seconds: number) => findBlocksAround(node, clock, seconds, head, knownBlocks)
  const [first] = await findAround(acceptedAt - daySeconds)
  const [, last] = await findAround(request.deadline + daySeconds)
  const filter = filterIntent(forwarder, request)
  const createSignal = () => clock.timeout(nodeTimeoutMs)
  for await (const { logs } of node.readLogs(filter, { from: first, to: last }, createSignal)) {
    const spending = logs.find((event) =>
      decodeResults(forwarder, [event]).some(({ status }) => spendsIntent(status)),
    )
    if (spending !== undefined) return spending.block.number
  }
  return undefined
}

/** Finds two near blocks, one before this time (Unix, in seconds) and one after it. */
async function findBlocksAround(
  node: Node,
  clock: Clock,
  seconds: number,
  head: Head,
  knownBlocks: BlockTime[],
): Promise<[before: number, after: number]> {
  let [before, after]: [BlockTime, BlockTime] = [{ number: 0, timestampSeconds: 0 }, head]
  const narrow = (block: BlockTime) => {
    if (block.number <= before.number || block.number >= after.number) return
    if (block.timestampSeconds < seconds) before = block
    else after = block
  }
  knownBlocks.forEach(narrow)
  for (let turn = 0; after.number - before.number > maxBlocksPerRequest / 4; turn += 1) {
    const blocks = after.number - before.number
    const share =
      (seconds - before.timestampSeconds) / (after.timestampSeconds - before.timestampSeconds)
    // Alternates between interpolation and bisection.
    const guess = before.number + Math.floor(blocks * (turn % 2 === 0 ? share : 0.5))
    const number = Math.min(after.number - 1, Math.max(before.number + 1, guess))
    const block = await node.getBlock(number, clock.timeout(nodeTimeoutMs))
    if (block === undefined) throw new TransportError(`a node does not have block ${number}`)
    knownBlocks.push(block)
    narrow(block)
  }
  return [before.number, after.number]
}
