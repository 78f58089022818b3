import * as z from 'zod/mini'
import { means } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { type ChainLog, contentOf, log, shapeLog } from '../objects/log.ts'
import { couldMatch, type LogFilter, logQuery, matches } from '../objects/log-filter.ts'
import { UntrueAnswer } from '../objects/untrue-answer.ts'
import { quantity, toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import type { NodeAccess } from '../upstream/node-access.ts'
import { logsOfKnownBlock } from './block-logs.ts'

/** Within so many blocks any number of logs is answered. */
export const maxLogBlocks = 2_000

/** Over any number of blocks so many logs are answered. */
export const maxLogs = 10_000

/** Two nodes' logs are compared up to this depth: nearer to the head they may honestly differ. */
const settledBlocks = 12

/** Blocks of one answer that are looked into before the node is not believed at all. */
const mostDoubtful = 50

/** Nodes that cut their answers short without a word do so at round numbers. */
const roundNumber = 1_000

const logs = z.array(log)

/** From one block to another; an open range also takes blocks that came since. */
export type LogRange = { from: number; to: number; open: boolean }

/**
 * The logs between two blocks, oldest first; in pieces when there are many blocks.
 *
 * @throws {RpcError} more than 10,000 logs over more than 2,000 blocks, or no time for so many
 * blocks; the error names a range that works
 */
export async function logsOfRange(
  range: LogRange,
  filter: LogFilter,
  context: NodeAccess,
): Promise<ChainLog[]> {
  const { from, to, open } = range
  if (to - from <= maxLogBlocks) return await comparedPiece(range, filter, context)
  const found: ChainLog[] = []
  for (let start = from; start <= to; start += maxLogBlocks + 1) {
    const end = Math.min(to, start + maxLogBlocks)
    const next = { from: start, to: end, open: open && end === to }
    const piece = await pieceInTime(next, from, filter, context)
    if (found.length + piece.length > maxLogs) {
      throw tooMany(codes.logLimit, `more than ${maxLogs} logs`, from, start)
    }
    found.push(...piece)
  }
  return found
}

async function pieceInTime(
  next: LogRange,
  from: number,
  filter: LogFilter,
  context: NodeAccess,
): Promise<ChainLog[]> {
  try {
    return await comparedPiece(next, filter, context)
  } catch (error) {
    if (!context.ended()) throw error
    // Half of what there was time for is sure to be done in time.
    const half = from + Math.floor((next.from - from) / 2)
    throw tooMany(codes.timeout, 'more blocks than can be searched in time', from, half)
  }
}

/** `start` is the first block that was too much; one piece is always allowed. */
function tooMany(code: number, what: string, from: number, start: number): RpcError {
  const [first, last] = [from, Math.max(from + maxLogBlocks, start - 1)].map(toQuantity)
  return new RpcError(code, `${what}: try blocks ${first} to ${last}`, {
    fromBlock: first,
    toBlock: last,
  })
}

/** One piece from two nodes, if there are two; where they differ, the chain itself decides. */
async function comparedPiece(
  range: LogRange,
  filter: LogFilter,
  context: NodeAccess,
): Promise<ChainLog[]> {
  const answers = await context.askTwo(async (node) => {
    const head = context.knownHead() ?? 0
    await assertNotBehind(node, range.open ? head : Math.min(range.to, head))
    return await piece(node, range, filter)
  })
  const [first, second] = answers
  if (first === undefined) throw new TransportError('no node gave an answer')
  if (second === undefined) return first.value

  const settled = (context.knownHead() ?? 0) - settledBlocks
  const disputed = firstDifference(first.value, second.value)
  if (disputed === undefined || disputed > settled) return first.value
  const truth = await context.ask((node) => logsOfKnownBlock(node, toQuantity(disputed), filter))
  const honest = answers.filter(({ value }) =>
    sameLogs(
      value.filter(({ blockNumber }) => Number(blockNumber) === disputed),
      truth,
    ),
  )
  for (const answer of answers) {
    if (!honest.includes(answer)) context.distrust(answer.name, "its logs are not the chain's")
  }
  const [believed] = honest
  if (believed === undefined || honest.length > 1) {
    throw new TransportError('the nodes disagree about the logs')
  }
  return believed.value
}

/**
 * A node that has not come to a block yet has none of its logs, and says so with fewer logs.
 *
 * @throws {TransportError} it is behind
 */
async function assertNotBehind(node: UpstreamNode, needed: number): Promise<void> {
  if (node.height === undefined || node.height >= needed) return
  if ((await heightOf(node)) < needed) throw new TransportError(`${node.name} is behind`)
}

async function heightOf(node: UpstreamNode): Promise<number> {
  return Number(await node.call('eth_blockNumber', [], quantity))
}

/** One query of one node; in halves when the node itself finds it too much, or may have cut it. */
async function piece(node: UpstreamNode, range: LogRange, filter: LogFilter): Promise<ChainLog[]> {
  const { from, to, open } = range
  const found = await query(node, range, filter)
  if (found !== null && (found.length === 0 || found.length % roundNumber !== 0)) return found
  // Halves show what was cut, and of a single block it can be proved.
  if (from === to) return await logsOfKnownBlock(node, toQuantity(from), filter)
  const middle = Math.floor((from + to) / 2)
  const halves = [
    await piece(node, { from, to: middle, open: false }, filter),
    await piece(node, { from: middle + 1, to, open }, filter),
  ].flat()
  if (found !== null && halves.length < found.length) {
    // It cuts its answers short, or a reorganization came between them.
    throw new TransportError('a node found fewer logs in the halves of a range than in the whole')
  }
  return halves
}

/**
 * The logs that a node has of a range. Of blocks beyond its head there are none, which RSKj answers
 * and go-ethereum and anvil call an error.
 *
 * @returns `null` when the range is too much for the node
 */
async function query(
  node: UpstreamNode,
  range: LogRange,
  filter: LogFilter,
): Promise<ChainLog[] | null> {
  const { from, to, open } = range
  const where = { fromBlock: toQuantity(from), toBlock: open ? 'latest' : toQuantity(to) }
  let found: ChainLog[]
  try {
    found = (await node.call('eth_getLogs', [logQuery(filter, where)], logs)).map(shapeLog)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const height = await heightOf(node)
    if (from > height) return []
    if (!open && to > height) return await query(node, { from, to: height, open }, filter)
    if (from < to && isTooMuch(error)) return null
    throw error
  }
  if (!isInOrder(found, from)) throw new UntrueAnswer('a node gave logs twice or out of order')
  if (!open && found.some(({ blockNumber }) => Number(blockNumber) > to)) {
    throw new UntrueAnswer('a node gave logs of later blocks than were asked for')
  }
  const strange = found.filter((one) => !couldMatch(filter, one))
  return strange.length === 0
    ? found.filter((one) => matches(filter, one))
    : await withProved(node, found, strange, filter)
}

/** Some nodes filter badly and others lie: blocks with logs that were not asked for are looked into. */
async function withProved(
  node: UpstreamNode,
  found: readonly ChainLog[],
  strange: readonly ChainLog[],
  filter: LogFilter,
): Promise<ChainLog[]> {
  const doubtful = [...new Set(strange.map(({ blockHash }) => blockHash))]
  if (doubtful.length > mostDoubtful) {
    throw new UntrueAnswer('a node gave many logs that were not asked for')
  }
  const proved = await Promise.all(
    doubtful.map(async (hash) => (hash === null ? [] : await logsOfKnownBlock(node, hash, filter))),
  )
  return [...found.filter(({ blockHash }) => !doubtful.includes(blockHash)), ...proved.flat()]
    .filter((one) => matches(filter, one))
    .toSorted(
      (a, b) =>
        Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
    )
}

/** Whether each log comes after the one before it, the first not before the block `from`. */
function isInOrder(found: readonly ChainLog[], from: number): boolean {
  let [block, index] = [from, -1]
  for (const one of found) {
    const [nextBlock, nextIndex] = [Number(one.blockNumber), Number(one.logIndex)]
    if (nextBlock < block || (nextBlock === block && nextIndex <= index)) return false
    block = nextBlock
    index = nextIndex
  }
  return true
}

function isTooMuch(error: RpcError): boolean {
  return error.code === codes.logLimit || means(error, 'too_much')
}

/** The first block in which two lists of logs differ. */
function firstDifference(a: readonly ChainLog[], b: readonly ChainLog[]): number | undefined {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [left, right] = [a[index], b[index]]
    if (left !== undefined && right !== undefined && keyOf(left) === keyOf(right)) continue
    const blocks = [left, right].flatMap((one) => (one === undefined ? [] : [one.blockNumber]))
    return Math.min(...blocks.map(Number))
  }
  return undefined
}

function sameLogs(a: readonly ChainLog[], b: readonly ChainLog[]): boolean {
  return a.length === b.length && a.every((one, index) => keyOf(one) === keyOf(b[index] ?? one))
}

function keyOf(one: ChainLog): string {
  return `${one.blockHash} ${contentOf(one)}`
}
