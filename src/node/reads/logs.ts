import { answersBeforeDoubling, type BlockRange, type LogPace, readLogs } from '../../chain/logs.ts'
import { isRefusal } from '../../chain/refusals.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { MalformedAnswer, UntrueAnswer } from '../objects/bad-answers.ts'
import { type ChainLog, logs, shapeLog, toContentKey } from '../objects/log.ts'
import { type LogFilter, matchesFilter, mayMatchFilter, toLogQuery } from '../objects/log-filter.ts'
import { toQuantity } from '../objects/values.ts'
import { type NodeAnswer, readHeight, type UpstreamNode } from '../upstream/node.ts'
import type { NodeAccess } from '../upstream/upstreams.ts'
import { readKnownBlockLogs, readProvedLogs } from './block-logs.ts'
import { readProvedBlock } from './mined-block.ts'

/** Limits the range of blocks that may have any number of logs. */
export const maxLogBlocks = 2_000

/** Limits the logs of an answer over a larger range. */
export const maxLogs = 10_000

/** Sets the depth from which two nodes' logs must agree; nearer the head they may differ. */
const settledDepth = 12

/** Limits the blocks with unrequested logs in an answer; beyond it, the answer is refused. */
const maxDoubtfulBlocks = 50

/** Limits a request's calls to a node; the reserved ones read chain, client and head. */
const maxCalls = 200
const reservedCalls = 5

const maxParallelPieces = 8

const maxPieceBlocks = 100_000

/** Divides the number of logs in answers that may be truncated, since nodes have such limits. */
const truncationMultiple = 1_000

/** A range of blocks. If it `isOpenEnded`, it includes all newer blocks. */
export type LogRange = BlockRange & { isOpenEnded: boolean }

/** Holds a search for logs, with the progress of each node by its name. */
type Search = NodeAccess & { filter: LogFilter; progress: Map<string, Progress> }

type Progress = LogPace & { calls: number }

type CountedNode = UpstreamNode & { readonly progress: Progress }

class OutOfCalls extends RpcError {
  /** The first block that was not searched. */
  firstUnsearched: number | undefined

  constructor() {
    super(codes.logLimit, `more blocks than can be searched with ${maxCalls} calls of the node`)
  }
}

/** Reads the logs between two blocks, oldest first; an error names a range that works. */
export async function readRangeLogs(
  range: LogRange,
  filter: LogFilter,
  context: NodeAccess,
): Promise<ChainLog[]> {
  const { from, to } = range
  const search = { ...context, filter, progress: new Map<string, Progress>() }
  const rangeLogs: ChainLog[] = []
  let nextBlock = from
  while (nextBlock <= to) {
    const pieces = planPieces(nextBlock, range, search)
    const outcomes = await Promise.allSettled(
      pieces.map((each) => readComparedPiece(each, each === pieces[0], search)),
    )
    for (const [index, outcome] of outcomes.entries()) {
      const piece = pieces[index] ?? range
      if (outcome.status === 'rejected') throw toRangeError(outcome.reason, piece, range, search)
      if (to - from > maxLogBlocks && rangeLogs.length + outcome.value.length > maxLogs) {
        const lastBlock = getRangeEnd(from, piece.from)
        throw createRangeError(codes.logLimit, `more than ${maxLogs} logs`, from, lastBlock)
      }
      rangeLogs.push(...outcome.value)
      nextBlock = piece.to + 1
    }
  }
  return rangeLogs
}

/** Plans the next pieces, as large as all nodes of the search accept. */
function planPieces(first: number, range: LogRange, { progress }: Search): LogRange[] {
  const nodes = [...progress.values()]
  const acceptedSize = nodes.length === 0 ? 0 : Math.min(...nodes.map(({ blocks }) => blocks))
  const size = Math.max(maxLogBlocks + 1, acceptedSize)
  // One piece alone tries a new size, so that a refusal costs only one call.
  const isSizeAccepted =
    acceptedSize === size && nodes.every(({ answers }) => answers % answersBeforeDoubling > 0)
  const length = isSizeAccepted ? maxParallelPieces : 1
  return Array.from({ length }, (_, index) => first + index * size)
    .filter((start) => start <= range.to)
    .map((start) => takePart(range, { from: start, to: Math.min(range.to, start + size - 1) }))
}

/** Takes a part of a range, which includes all newer blocks only if it is the last one. */
const takePart = ({ to, isOpenEnded }: LogRange, part: BlockRange): LogRange => ({
  ...part,
  isOpenEnded: isOpenEnded && part.to === to,
})

function toRangeError(
  error: unknown,
  piece: LogRange,
  { from, to }: LogRange,
  search: Search,
): unknown {
  if (error instanceof OutOfCalls) {
    const reached = error.firstUnsearched ?? piece.from
    return createRangeError(error.code, error.message, from, Math.max(from, reached - 1))
  }
  if (!search.isAborted() || to - from <= maxLogBlocks) return error
  // Half of the blocks that this request searched in time can be searched in time again.
  const halfEnd = getRangeEnd(from, from + Math.floor((piece.from - from) / 2))
  return createRangeError(codes.timeout, 'more blocks than can be searched in time', from, halfEnd)
}

/** Returns the last block before `start`, or the end of the smallest piece if later. */
const getRangeEnd = (from: number, start: number): number =>
  Math.max(from + maxLogBlocks, start - 1)

function createRangeError(code: number, reason: string, from: number, to: number): RpcError {
  const [first, last] = [from, to].map(toQuantity)
  return new RpcError(code, `${reason}: try blocks ${first} to ${last}`, {
    fromBlock: first,
    toBlock: last,
  })
}

/** Reads a piece from two nodes if possible; a proof or a third node settles a difference. */
async function readComparedPiece(
  range: LogRange,
  mayGrow: boolean,
  search: Search,
): Promise<ChainLog[]> {
  const { ask, askUpToTwo, getKnownHead } = search
  const work = async (uncountedNode: UpstreamNode): Promise<ChainLog[]> => {
    const node = withCallLimit(uncountedNode, search)
    const head = getKnownHead() ?? 0
    await assertNotBehind(node, range.isOpenEnded ? head : Math.min(range.to, head))
    // Only one of the parallel pieces changes the number of blocks per call.
    return await readPiece(node, range, search, mayGrow ? node.progress : undefined)
  }
  const [first, second] = await askUpToTwo(work)
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
  const confirmedAnswer = [first, second].find(
    ({ value }) => !isSettled(findFirstDifference(value, thirdLogs)),
  )
  if (confirmedAnswer === undefined) throw new TransportError('the nodes disagree about the logs')
  return confirmedAnswer.value
}

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
  const nodeProgress = search.progress.get(node.name) ?? {
    calls: 0,
    answers: 0,
    blocks: maxLogBlocks + 1,
    maxBlocks: maxPieceBlocks,
  }
  search.progress.set(node.name, nodeProgress)
  return {
    ...node,
    progress: nodeProgress,
    async call(method, params, result) {
      if (nodeProgress.calls >= maxCalls - reservedCalls) throw new OutOfCalls()
      nodeProgress.calls += 1
      return await node.call(method, params, result)
    },
  }
}

/** Throws if a node has not reached a block yet, since its logs would be incomplete. */
async function assertNotBehind(node: UpstreamNode, needed: number): Promise<void> {
  if (node.height === undefined || node.height >= needed) return
  if ((await readHeight(node)) < needed) throw new TransportError(`${node.name} is behind`)
}

/** Reads a piece from one node; an `OutOfCalls` error holds the first unread block. */
async function readPiece(
  node: CountedNode,
  piece: LogRange,
  search: Search,
  pace: LogPace = { ...node.progress },
): Promise<ChainLog[]> {
  const pieceLogs: ChainLog[] = []
  let firstUnsearched = piece.from
  try {
    for await (const { to, logs } of readLogs(piece, createAsk(node, piece, search), pace)) {
      pieceLogs.push(...logs)
      firstUnsearched = to + 1
    }
    return pieceLogs
  } catch (error) {
    if (error instanceof OutOfCalls) error.firstUnsearched ??= firstUnsearched
    throw error
  }
}

/** Creates what asks a node for a part of a piece, up to the node's height if it refuses more. */
function createAsk(node: CountedNode, piece: LogRange, search: Search) {
  let height: number | undefined
  return async function ask({ from, to }: BlockRange): Promise<ChainLog[] | RpcError> {
    if (height !== undefined && from > height) return []
    const part = takePart(piece, { from, to })
    const answer = await queryLogs(node, part, search)
    if (!(answer instanceof RpcError))
      return mayBeTruncated(answer) ? await readHalves(node, part, answer.length, search) : answer
    if (!isAboutRange(answer)) throw answer
    height ??= await readHeight(node)
    if (from > height) return []
    return part.isOpenEnded || to <= height ? answer : await ask({ from, to: height })
  }
}

/** Reads a range's halves, since its logs may be truncated; those of a single block are proved. */
async function readHalves(
  node: CountedNode,
  { from, to, isOpenEnded }: LogRange,
  minLogs: number,
  search: Search,
): Promise<ChainLog[]> {
  if (from === to) return await readKnownBlockLogs(node, toQuantity(from), search.filter)
  const middle = Math.floor((from + to) / 2)
  const halves = [
    ...(await readPiece(node, { from, to: middle, isOpenEnded: false }, search)),
    ...(await readPiece(node, { from: middle + 1, to, isOpenEnded }, search)),
  ]
  // Fewer logs mean truncated answers, or a reorganization between them.
  if (halves.length >= minLogs) return halves
  throw new TransportError('a node found fewer logs in the halves of a range than in the whole')
}

const mayBeTruncated = ({ length }: readonly ChainLog[]): boolean =>
  length > 0 && length % truncationMultiple === 0

/** Returns a node's logs of a range, or its refusal. */
async function queryLogs(
  node: UpstreamNode,
  { from, to, isOpenEnded }: LogRange,
  { filter }: Search,
): Promise<ChainLog[] | RpcError> {
  const blocks = { fromBlock: toQuantity(from), toBlock: isOpenEnded ? 'latest' : toQuantity(to) }
  let nodeLogs: ChainLog[]
  try {
    nodeLogs = (await node.call('eth_getLogs', [toLogQuery(filter, blocks)], logs)).map(shapeLog)
  } catch (error) {
    if (error instanceof OutOfCalls || !(error instanceof RpcError)) throw error
    return error
  }
  if (!isInOrder(nodeLogs, from)) throw new MalformedAnswer('logs came twice or out of order')
  if (!isOpenEnded && nodeLogs.some(({ blockNumber }) => Number(blockNumber) > to)) {
    throw new MalformedAnswer('a node gave logs of later blocks than were asked for')
  }
  const unrequested = nodeLogs.filter((log) => !mayMatchFilter(filter, log))
  return unrequested.length === 0
    ? nodeLogs.filter((log) => matchesFilter(filter, log))
    : await replaceWithProved(node, nodeLogs, unrequested, filter)
}

/** Tells whether a refusal may be about the range's size, so that a smaller range may work. */
function isAboutRange(error: RpcError): boolean {
  const { code } = error
  if (code === codes.methodNotFound || isRefusal(error, 'too_often')) return false
  if (isRefusal(error, 'too_much')) return true
  return code !== codes.limitExceeded && code !== codes.timeout && !isRefusal(error, 'too_late')
}

/** Reads the logs of blocks with unrequested logs again, proved: the node may filter wrongly. */
async function replaceWithProved(
  node: UpstreamNode,
  nodeLogs: readonly ChainLog[],
  unrequested: readonly ChainLog[],
  filter: LogFilter,
): Promise<ChainLog[]> {
  const doubtfulHashes = [...new Set(unrequested.map(({ blockHash }) => blockHash))]
  if (doubtfulHashes.length > maxDoubtfulBlocks) {
    throw new MalformedAnswer('a node gave many logs that were not asked for')
  }
  const proved = await Promise.all(
    doubtfulHashes.map(async (hash) =>
      hash === null ? [] : await readKnownBlockLogs(node, hash, filter),
    ),
  )
  const trustedLogs = nodeLogs.filter(({ blockHash }) => !doubtfulHashes.includes(blockHash))
  return [...trustedLogs, ...proved.flat()]
    .filter((log) => matchesFilter(filter, log))
    .toSorted(comparePositions)
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

/** Finds the first block in which two lists of logs differ. */
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
