import { type BlockRange, type LogPace, readLogs } from '../../chain/logs.ts'
import { isRefusal } from '../../chain/refusals.ts'
import { MalformedAnswer, RpcError, TransportError, UntrueAnswer } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import {
  type ChainLog,
  type LogFilter,
  matchesFilter,
  mayMatchFilter,
  rawLogs,
  toContentKey,
  toLogQuery,
} from '../objects/log.ts'
import { toQuantity } from '../objects/values.ts'
import { type NodeAnswer, readHeight, type UpstreamNode } from '../upstream/node.ts'
import type { NodeAccess } from '../upstream/upstreams.ts'
import { readProvedBlock } from './mined-block.ts'
import { readKnownBlockLogs, readProvedLogs } from './receipts.ts'

/** Limits the range of blocks that may have any number of logs. */
export const maxLogBlocks = 2_000

/** Limits the logs of an answer over a larger range. */
export const maxLogs = 10_000

/** Sets the depth from which two nodes' logs must agree; nearer the head they may differ. */
const settledDepth = 12

/** Limits a request's calls to a node; the reserved ones read chain, client and head. */
const maxCalls = 200
const reservedCalls = 5

/** Sets how many blocks a request to a node has, and how many requests go out at once. */
const pace: LogPace = { blocks: maxLogBlocks + 1, maxBlocks: 100_000, parallel: 8 }

/** Divides the number of logs in answers that may be truncated, since nodes have such limits. */
const truncationMultiple = 1_000

/** A range of blocks. If it `isOpenEnded`, it includes all newer blocks. */
export type LogRange = BlockRange & { isOpenEnded: boolean }

const createSearch = (range: LogRange, filter: LogFilter, access: NodeAccess) => ({
  ...access,
  range,
  filter,
  /** Holds each node's calls for this search, and its height once it refused a part. */
  progress: new Map<string, Progress>(),
  refusingNodes: new Set<string>(),
})

type Search = ReturnType<typeof createSearch>
type Progress = { calls: number; height: number | undefined }
type CountedNode = UpstreamNode & { readonly progress: Progress }

class OutOfCalls extends RpcError {
  constructor() {
    super(codes.logLimit, `more blocks than can be searched with ${maxCalls} calls of the node`)
  }
}

/** Reads the logs between two blocks, oldest first; an error names a range that works. */
export async function readRangeLogs(range: LogRange, filter: LogFilter, context: NodeAccess) {
  const { from, to } = range
  const search = createSearch(range, filter, context)
  const rangeLogs: ChainLog[] = []
  let nextBlock = from
  try {
    const parts = readLogs(range, (part) => readComparedPart(part, search), pace)
    for await (const part of parts) {
      if (to - from > maxLogBlocks && rangeLogs.length + part.logs.length > maxLogs) {
        const lastBlock = getRangeEnd(from, nextBlock)
        throw createRangeError(codes.logLimit, `more than ${maxLogs} logs`, from, lastBlock)
      }
      rangeLogs.push(...part.logs)
      nextBlock = part.to + 1
    }
  } catch (error) {
    throw toRangeError(error, nextBlock, search)
  }
  return rangeLogs
}

function toRangeError(error: unknown, nextBlock: number, search: Search): unknown {
  const { from, to } = search.range
  if (error instanceof OutOfCalls) {
    return createRangeError(error.code, error.message, from, Math.max(from, nextBlock - 1))
  }
  if (!search.isAborted() || to - from <= maxLogBlocks) return error
  // Half of the blocks that this request searched in time can be searched in time again.
  const halfEnd = getRangeEnd(from, from + Math.floor((nextBlock - from) / 2))
  return createRangeError(codes.timeout, 'more blocks than can be searched in time', from, halfEnd)
}

/** Returns the last block before `start`, or the end of the smallest range if later. */
const getRangeEnd = (from: number, start: number): number =>
  Math.max(from + maxLogBlocks, start - 1)

function createRangeError(code: number, reason: string, from: number, to: number): RpcError {
  const [first, last] = [from, to].map(toQuantity)
  return new RpcError(code, `${reason}: try blocks ${first} to ${last}`, {
    fromBlock: first,
    toBlock: last,
  })
}

/**
 * Reads a part from two nodes if possible; a proof or a third node settles a difference. Returns
 * a refusal that may be about the part's size.
 */
async function readComparedPart(part: BlockRange, search: Search): Promise<ChainLog[] | RpcError> {
  const { ask, askUpToTwo, getKnownHead, refusingNodes } = search
  const work = async (uncountedNode: UpstreamNode): Promise<ChainLog[] | RpcError> => {
    const node = withCallLimit(uncountedNode, search)
    const head = getKnownHead() ?? 0
    await assertNotBehind(node, isOpenEnded(part, search) ? head : Math.min(part.to, head))
    return await readPart(node, part, search)
  }
  const answers = await askUpToTwo(work, (name) => !refusingNodes.has(name))
  const [first, second] = answers.filter(hasLogs)
  for (const { name, value } of answers) {
    if (!(value instanceof RpcError)) continue
    if (part.from < part.to || first === undefined) return value
    refusingNodes.add(name)
  }
  if (first === undefined) throw new TransportError('no node gave an answer')
  if (second === undefined) return first.value

  const settledHeight = (getKnownHead() ?? 0) - settledDepth
  const isSettled = (number: number | undefined) => number !== undefined && number <= settledHeight
  const differingBlock = findFirstDifference(first.value, second.value)
  if (differingBlock === undefined || !isSettled(differingBlock)) return first.value
  const proved = await findProvedAnswer([first, second], differingBlock, search)
  if (proved !== undefined) return proved
  const names = [first.name, second.name]
  const thirdLogs = await ask(work, (name) => !names.includes(name))
  if (thirdLogs instanceof RpcError) return thirdLogs
  const confirmedAnswer = [first, second].find(
    ({ value }) => !isSettled(findFirstDifference(value, thirdLogs)),
  )
  if (confirmedAnswer === undefined) throw new TransportError('the nodes disagree about the logs')
  return confirmedAnswer.value
}

const hasLogs = (answer: NodeAnswer<ChainLog[] | RpcError>): answer is NodeAnswer<ChainLog[]> =>
  Array.isArray(answer.value)

/** Tells whether a part also has the blocks that come while it is read. */
const isOpenEnded = ({ to }: BlockRange, { range }: Search): boolean =>
  range.isOpenEnded && to === range.to

/** Returns the answer that fits the block's receipts, and distrusts the other node. */
async function findProvedAnswer(
  answers: readonly [NodeAnswer<ChainLog[]>, NodeAnswer<ChainLog[]>],
  differingBlock: number,
  search: Search,
): Promise<ChainLog[] | undefined> {
  const proofs = await Promise.all(
    answers.map(({ name }) =>
      search
        .ask(
          (node) => readBlockProof(withCallLimit(node, search), differingBlock),
          (other) => other === name,
        )
        .catch((error: Error) => (error.cause instanceof UntrueAnswer ? 'untrue' : undefined)),
    ),
  )
  const proof = proofs.find((found) => typeof found === 'object')
  const isOneProved = proofs.every(
    (found) => found === 'untrue' || (found && found.hash === proof?.hash),
  )
  if (!isOneProved) return undefined
  const provedKeys = proof?.logs
    .filter((log) => matchesFilter(search.filter, log))
    .map(toProvableKey)
  const isTrue = ({ value }: NodeAnswer<ChainLog[]>): boolean => {
    const disputedLogs = value.filter(({ blockNumber }) => Number(blockNumber) === differingBlock)
    return disputedLogs.map(toProvableKey).join() === provedKeys?.join()
  }
  const [honest, ...others] = answers.filter(isTrue)
  if (honest === undefined || others.length > 0) return undefined
  const { name } = answers.find((answer) => answer !== honest) ?? honest
  search.distrust(name, "its logs are not the chain's")
  return honest.value
}

async function readBlockProof(node: UpstreamNode, number: number) {
  const provedBlock = await readProvedBlock(node, toQuantity(number), false)
  if (provedBlock?.proof === undefined) return undefined
  return { hash: provedBlock.block.hash, logs: await readProvedLogs(node, provedBlock.block) }
}

function withCallLimit(node: UpstreamNode, search: Search): CountedNode {
  const progress = search.progress.get(node.name) ?? { calls: 0, height: undefined }
  search.progress.set(node.name, progress)
  return {
    ...node,
    progress,
    async call(method, params, result) {
      if (progress.calls >= maxCalls - reservedCalls) throw new OutOfCalls()
      progress.calls += 1
      return await node.call(method, params, result)
    },
  }
}

/** Throws if a node has not reached a block yet, since its logs would be incomplete. */
async function assertNotBehind(node: UpstreamNode, needed: number): Promise<void> {
  if (node.height === undefined || node.height >= needed) return
  if ((await readHeight(node)) < needed) throw new TransportError(`${node.name} is behind`)
}

/** Reads a part from one node, in halves if its logs may be truncated; a single block is proved. */
async function readPart(
  node: CountedNode,
  part: BlockRange,
  search: Search,
): Promise<ChainLog[] | RpcError> {
  const { from, to } = part
  const answer = await queryLogs(node, part, search)
  if (answer instanceof RpcError) return answer
  if (answer.length === 0 || answer.length % truncationMultiple !== 0) return answer
  if (from === to) return await readKnownBlockLogs(node, toQuantity(from), search.filter)
  const middle = Math.floor((from + to) / 2)
  const first = await readPart(node, { from, to: middle }, search)
  if (first instanceof RpcError) return first
  const second = await readPart(node, { from: middle + 1, to }, search)
  if (second instanceof RpcError) return second
  // Fewer logs mean truncated answers, or a reorganization between them.
  if (first.length + second.length >= answer.length) return [...first, ...second]
  throw new TransportError('a node found fewer logs in the halves of a range than in the whole')
}

/** Returns a node's logs of a part up to the node's height, or its refusal of so many blocks. */
async function queryLogs(
  node: CountedNode,
  part: BlockRange,
  search: Search,
): Promise<ChainLog[] | RpcError> {
  const { filter } = search
  const isOpen = isOpenEnded(part, search)
  const toBlock = isOpen ? 'latest' : toQuantity(part.to)
  const query = toLogQuery(filter, { fromBlock: toQuantity(part.from), toBlock })
  let nodeLogs: ChainLog[]
  try {
    nodeLogs = await node.call('eth_getLogs', [query], rawLogs)
  } catch (error) {
    if (!(error instanceof RpcError) || !isAboutRange(error)) throw error
    node.progress.height ??= await readHeight(node)
    const { height } = node.progress
    if (part.from > height) return []
    if (isOpen || part.to <= height) return error
    return await queryLogs(node, { from: part.from, to: height }, search)
  }
  if (!isInOrder(nodeLogs, part.from)) throw new MalformedAnswer('logs came twice or out of order')
  if (!isOpen && nodeLogs.some(({ blockNumber }) => Number(blockNumber) > part.to)) {
    throw new MalformedAnswer('a node gave logs of later blocks than were asked for')
  }
  if (!nodeLogs.every((log) => mayMatchFilter(filter, log))) {
    throw new MalformedAnswer('a node gave logs that were not asked for')
  }
  return nodeLogs.filter((log) => matchesFilter(filter, log))
}

/** Tells whether a refusal may be about the range's size, so that a smaller range may work. */
function isAboutRange(error: RpcError): boolean {
  const { code } = error
  if (error instanceof OutOfCalls || code === codes.methodNotFound || isRefusal(error, 'too_often'))
    return false
  if (isRefusal(error, 'too_much')) return true
  return code !== codes.limitExceeded && code !== codes.timeout && !isRefusal(error, 'too_late')
}

const comparePositions = (a: ChainLog, b: ChainLog): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex)

/** Tells whether the logs are in strict order, and none is before block `from`. */
function isInOrder(nodeLogs: readonly ChainLog[], from: number): boolean {
  return nodeLogs.every((log, index) => {
    const before = nodeLogs[index - 1]
    return before === undefined
      ? Number(log.blockNumber) >= from
      : comparePositions(before, log) < 0
  })
}

function findFirstDifference(a: readonly ChainLog[], b: readonly ChainLog[]): number | undefined {
  const longer = a.length > b.length ? a : b
  const first = longer.findIndex((_, index) => toComparedKey(a[index]) !== toComparedKey(b[index]))
  const blocks = [a[first], b[first]].flatMap((log) => (log ? [Number(log.blockNumber)] : []))
  return first === -1 ? undefined : Math.min(...blocks)
}

/** Returns a key of the parts of a log that receipts prove. */
const toProvableKey = (log: ChainLog): string => `${log.blockHash} ${toContentKey(log)}`

const toComparedKey = (log: ChainLog | undefined): string | undefined =>
  log && `${toProvableKey(log)} ${log.transactionHash} ${Number(log.transactionIndex)}`
