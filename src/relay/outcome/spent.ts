import { decodeFunctionResult, encodeFunctionData, type Hex, pad } from 'viem'
import type { BlockHash, Head, Node } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
import type { Clock } from '../../runtime/clock.ts'
import { intentLifetimeSeconds, relayForwarderAbi } from '../forwarder/abi.ts'
import { type ForwardRequest, isSpending, resultsInLogs } from '../forwarder/requests.ts'
import { type Relayer, requestLifetimeSeconds } from '../relayer.ts'

const daySeconds = 86_400
const nodeTimeoutMs = 5_000

/**
 * Whether what spent an intent at this time (Unix, in seconds) keeps this request from executing. What
 * spent it longer ago than the forwarder remembers was another payment: gateways use a session's id
 * again after weeks. Told by the request's own time, so that an outcome does not change with the time
 * at which it is read.
 */
function keepsFromExecuting(spentAtSeconds: number, request: ForwardRequest): boolean {
  const acceptedAt = request.deadline - requestLifetimeSeconds
  return spentAtSeconds + intentLifetimeSeconds > acceptedAt
}

/** So long after its deadline, in seconds, a request's spending is still known: the forwarder forgets in a day more. */
const knownAfterSeconds = intentLifetimeSeconds - daySeconds

/**
 * The number of the block in which a request's account spent its intent, as of the latest block or of
 * the one `at` this hash: a replica that does not have that one does not tell. Undefined where nothing
 * spent it that keeps the request from executing. Where the forwarder may have forgotten it, its event decides.
 *
 * @throws {TransportError} {@link RpcError} the node did not tell
 */
export async function blockOfSpending(
  relayer: Relayer,
  request: ForwardRequest,
  at?: BlockHash & Head,
): Promise<number | undefined> {
  const { node, forwarder, clock } = relayer
  const call = { abi: relayForwarderAbi, functionName: 'spentAt' } as const
  const data = encodeFunctionData({ ...call, args: [request.from, request.intentId] })
  const asOf = at && { blockHash: at.blockHash }
  const outcome = await node.call(
    { to: forwarder.address, data },
    clock.timeout(nodeTimeoutMs),
    asOf,
  )
  if (outcome.kind === 'reverted') throw new TransportError('the forwarder does not answer spentAt')
  const [timestamp, blockNumber] = decodeFunctionResult({ ...call, data: outcome.data })
  if (blockNumber !== 0n) {
    return keepsFromExecuting(Number(timestamp), request) ? Number(blockNumber) : undefined
  }
  const head = at ?? (await node.head(clock.timeout(nodeTimeoutMs)))
  const isKnown = head.timestampSeconds <= request.deadline + knownAfterSeconds
  return isKnown ? undefined : blockOfEvent(relayer, request, head)
}

/** The topics of what the forwarder tells of an account's intent, whatever came of it. */
export const intentTopics = ({ from, intentId }: ForwardRequest): (Hex | null)[] => [
  null,
  pad(intentId, { dir: 'right' }),
  // As nodes write topics: an address of an account has a checksum in its letters.
  pad(from.toLowerCase() as Hex),
]

/** So many blocks are looked through at a time: more than public nodes give at once are not asked for. */
const blocksAtOnce = 1_000

/**
 * The block of the event that says that an intent was spent: between a day before its acceptance and a day after its
 * deadline, for clocks differ, and a session that lost its rows may have signed another request.
 */
async function blockOfEvent(
  { node, forwarder, clock }: Relayer,
  request: ForwardRequest,
  head: Head,
): Promise<number | undefined> {
  const [from, to] = [
    request.deadline - requestLifetimeSeconds - daySeconds,
    request.deadline + daySeconds,
  ]
  const [[first], [, last]] = [
    await blocksAround(node, clock, from, head),
    await blocksAround(node, clock, to, head),
  ]
  for (let fromBlock = first; fromBlock <= last; fromBlock += blocksAtOnce) {
    const toBlock = Math.min(last, fromBlock + blocksAtOnce - 1)
    const filter = { address: forwarder.address, topics: intentTopics(request), fromBlock, toBlock }
    const events = await node.logs(filter, clock.timeout(nodeTimeoutMs))
    const spending = events.find((event) =>
      resultsInLogs(forwarder, [event]).some(({ status }) => isSpending(status)),
    )
    if (spending !== undefined) return spending.block.number
  }
  return undefined
}

/** Two blocks not far from each other, one before this time and one after it (Unix, in seconds). */
async function blocksAround(
  node: Node,
  clock: Clock,
  seconds: number,
  head: Head,
): Promise<[before: number, after: number]> {
  let [before, after] = [{ number: 0, timestampSeconds: 0 }, head]
  for (let turn = 0; after.number - before.number > blocksAtOnce / 2; turn += 1) {
    const blocks = after.number - before.number
    const share =
      (seconds - before.timestampSeconds) / (after.timestampSeconds - before.timestampSeconds)
    // By turns where it is if all blocks took as long, and the middle.
    const guess = before.number + Math.floor(blocks * (turn % 2 === 0 ? share : 0.5))
    const number = Math.min(after.number - 1, Math.max(before.number + 1, guess))
    const block = await node.block(number, clock.timeout(nodeTimeoutMs))
    if (block === undefined) throw new TransportError(`a node does not have block ${number}`)
    if (block.timestampSeconds < seconds) before = block
    else after = block
  }
  return [before.number, after.number]
}
