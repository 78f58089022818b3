import { listSignedTransactions } from '../objects/block.ts'
import type { ChainLog } from '../objects/log.ts'
import {
  type HeaderBlock,
  readFollowedBlock,
  readInBatches,
  readMinedBlock,
} from '../reads/mined-block.ts'
import { readProvedLogs, throwBlockReorganized } from '../reads/receipts.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** A block with the notifications about its addition or removal. */
export type FeedBlock = {
  number: number
  hash: string
  /** Unix time in seconds; blocks that older versions stored lack it. */
  timestamp: number
  /** The header of a `newHeads` notification as JSON text. */
  head: string
  /** Is `null` where the header is not proved, and undefined if an older version stored it. */
  bloom?: string | null
  /** Is undefined until they are read. */
  logs?: ChainLog[]
  /** Tells whether subscribers wait for the logs, and for those of all later blocks. */
  areLogsDue?: boolean
  transactions: string[]
}

/** The change of the chain since the last poll. */
export type ChainChange =
  /** Lists removed blocks, newest first, and added blocks, oldest first. */
  | {
      kind: 'moved'
      /** The chain right before, with all logs that were read while the change was. */
      before: readonly FeedBlock[]
      removedBlocks: FeedBlock[]
      addedBlocks: FeedBlock[]
    }
  | { kind: 'unchanged' }
  /** Too much changed to announce it block by block. */
  | { kind: 'lost' }

/** Limits the stored blocks; a deeper reorganization is not announced block by block. */
export const maxStoredBlocks = 128

/** Limits the blocks between two polls; after more, the feed starts again. */
const maxGap = 1_000

/** Limits the heads that are seen while a block below them cannot be read or linked. */
const maxStuckHeads = 10

/** The fields of a `newHeads` notification. */
const headFields = [
  ...['difficulty', 'extraData', 'gasLimit', 'gasUsed', 'logsBloom', 'miner', 'number'],
  ...['parentHash', 'receiptsRoot', 'sha3Uncles', 'stateRoot', 'timestamp', 'transactionsRoot'],
  'hash',
]

export type FeedChain = ReturnType<typeof createFeedChain>

/** Follows the recent chain as it was announced to subscribers. */
export function createFeedChain(source: FeedSource, storedBlocks: readonly FeedBlock[] = []) {
  let chain = [...storedBlocks]
  /** Holds blocks as they were read, for the first reading of their logs. */
  const rawBlocks = new Map<string, HeaderBlock>()
  const stuckHeads = new Set<string>()

  return {
    getBlocks: (): readonly FeedBlock[] => chain,

    /** Starts from the chain as it is now, without announcing its blocks. */
    async restart(): Promise<void> {
      const latest = await source.readLatest()
      const last = chain.at(-1)
      const gap = Number(latest.number) - (last?.number ?? Number.NEGATIVE_INFINITY)
      rawBlocks.clear()
      stuckHeads.clear()
      if (last !== undefined && gap < maxStoredBlocks / 2)
        await followTo(latest, last).catch(() => undefined)
      if (chain.at(-1)?.hash !== latest.hash)
        chain = (await readRecentBlocks(source, latest)).map(addBlock)
      // Clients are told of what comes from now on: they wait for no logs of these blocks.
      if (chain.some(({ areLogsDue }) => areLogsDue))
        chain = chain.map((block) => ({ ...block, areLogsDue: false }))
    },

    /** Advances to the latest block; reads all headers of a change before it applies it. */
    async advance(): Promise<ChainChange> {
      const last = chain.at(-1)
      if (last === undefined) throw new Error('the feed has no chain to follow')
      const latest = await source.readLatest()
      stuckHeads.add(latest.hash)
      const isStuck = stuckHeads.size > maxStuckHeads
      const change = await followTo(latest, last).catch((error: unknown) => {
        if (isStuck) return { kind: 'lost' as const }
        throw error
      })
      if (change.kind === 'moved' || latest.hash === last.hash) stuckHeads.clear()
      else if (isStuck) return { kind: 'lost' }
      return change
    },

    /** Reads a block's logs, the first time without reading the block again. */
    async readLogs({ hash }: FeedBlock): Promise<ChainLog[]> {
      const raw = rawBlocks.get(hash)
      rawBlocks.delete(hash)
      return await source.readLogs(raw ?? hash)
    },

    /** Sets the logs that a block lacks, or gives them up; undefined if it lacks none any more. */
    setLogs(hash: string, logs: ChainLog[] | undefined): FeedBlock | undefined {
      const index = chain.findIndex((block) => block.hash === hash && block.logs === undefined)
      const block = chain[index]
      if (block === undefined) return undefined
      const changed = { ...block, areLogsDue: false, ...(logs && { logs }) }
      chain = chain.with(index, changed)
      return changed
    },
  }

  function addBlock(block: HeaderBlock): FeedBlock {
    const areLogsDue = source.areLogsWanted(block.bloom)
    if (areLogsDue) rawBlocks.set(block.hash, block)
    return toFeedBlock(block, areLogsDue)
  }

  async function followTo(latest: HeaderBlock, last: FeedBlock): Promise<ChainChange> {
    if (latest.hash === last.hash) return { kind: 'unchanged' }
    const missing = await findMissing(source, chain, latest)
    if ('kind' in missing) return missing
    const { forkIndex, blocks } = missing
    const addedBlocks = blocks.map(addBlock)
    const before = chain
    const removedBlocks = before.slice(forkIndex + 1).toReversed()
    chain = dropOldBlocks([...before.slice(0, forkIndex + 1), ...addedBlocks])
    return { kind: 'moved', before, removedBlocks, addedBlocks }
  }
}

/** Finds the blocks after the last common one, which is ours at `forkIndex`, up to the latest. */
async function findMissing(
  source: FeedSource,
  chain: readonly FeedBlock[],
  latest: HeaderBlock,
): Promise<{ forkIndex: number; blocks: HeaderBlock[] } | { kind: 'unchanged' | 'lost' }> {
  const lastNumber = chain.at(-1)?.number ?? 0
  if (Number(latest.number) - lastNumber > maxGap) return { kind: 'lost' }
  const missingBlocks = await readRange(source, lastNumber + 1, Number(latest.number) - 1)
  if (missingBlocks === undefined) return { kind: 'unchanged' }
  let blocks = [...missingBlocks, latest]
  if (takeLinkedBlocks(blocks).length < blocks.length) return { kind: 'unchanged' }
  for (;;) {
    const [oldest] = blocks
    if (oldest === undefined) return { kind: 'unchanged' }
    const commonIndex = chain.findIndex(({ hash }) => hash === oldest.hash)
    if (commonIndex !== -1) return { forkIndex: commonIndex, blocks: blocks.slice(1) }
    const forkIndex = chain.findIndex(({ hash }) => hash === oldest.parentHash)
    if (forkIndex !== -1) return { forkIndex, blocks }
    const isTooOld = Number(oldest.number) <= (chain[0]?.number ?? 0)
    if (isTooOld || blocks.length > maxGap) return { kind: 'lost' }
    const parent = await source.readBlock(oldest.parentHash)
    // The node is reorganizing its chain, so the next poll reads the result.
    if (parent === null) return { kind: 'unchanged' }
    blocks = [parent, ...blocks]
  }
}

/** Drops blocks above the limit, but none whose logs are due, and none after such a block. */
function dropOldBlocks(blocks: readonly FeedBlock[]): FeedBlock[] {
  const excess = Math.max(0, blocks.length - maxStoredBlocks)
  const firstDue = blocks.findIndex(({ areLogsDue }) => areLogsDue)
  return blocks.slice(firstDue === -1 ? excess : Math.min(excess, firstDue))
}

/** Reads the last blocks up to the latest, whose removal can be announced; or the latest alone. */
async function readRecentBlocks(source: FeedSource, latest: HeaderBlock): Promise<HeaderBlock[]> {
  const number = Number(latest.number)
  const first = Math.max(0, number - maxStoredBlocks / 2 + 1)
  const blocks = await readRange(source, first, number - 1).catch(() => undefined)
  return blocks === undefined ? [latest] : takeLinkedBlocks([...blocks, latest])
}

function toFeedBlock(block: HeaderBlock, areLogsDue: boolean): FeedBlock {
  const { hash, bloom } = block
  const fields = headFields.map((name) => [name, block[name] ?? null])
  return {
    number: Number(block.number),
    hash,
    bloom,
    areLogsDue,
    timestamp: Number(block.timestamp),
    head: JSON.stringify(Object.fromEntries(fields)),
    transactions: listSignedTransactions(block),
  }
}

/** Reads blocks by number, both ends included; returns undefined if one is missing. */
async function readRange(source: FeedSource, from: number, to: number) {
  const blocks: HeaderBlock[] = []
  for await (const block of readInBatches({ from, to }, source.readBlock)) {
    if (block === null) return undefined
    blocks.push(block)
  }
  return blocks
}

/** Returns the last blocks of which each is the parent of the next. */
function takeLinkedBlocks(blocks: readonly HeaderBlock[]): HeaderBlock[] {
  const breakIndex = blocks.findLastIndex(
    ({ hash }, index) => index < blocks.length - 1 && blocks[index + 1]?.parentHash !== hash,
  )
  return blocks.slice(breakIndex + 1)
}

export type FeedSource = ReturnType<typeof createFeedSource>

export function createFeedSource(
  ask: <T>(work: (node: UpstreamNode) => Promise<T>) => Promise<T>,
  recordHead: (node: UpstreamNode, number: number) => void,
  areLogsWanted: (bloom: string | null) => boolean,
) {
  return {
    readLatest: () =>
      ask(async (node) => {
        const latest = await readFollowedBlock(node, 'latest')
        if (latest === null) throw new Error('the node has no latest block')
        recordHead(node, Number(latest.number))
        return latest
      }),
    /** Reads a block by hash or number; `null` if it does not exist. */
    readBlock: (selector: string) => ask((node) => readFollowedBlock(node, selector)),
    /** Reads the logs of a block, which is given by its hash if the nodes must show it again. */
    readLogs: (block: HeaderBlock | string): Promise<ChainLog[]> =>
      ask(async (node) => {
        const { hash, toldBy } = typeof block === 'string' ? { hash: block } : block
        // Another node's receipts are not measured by what this one says that the block holds.
        const isOwn = typeof block !== 'string' && toldBy === node.name
        const mined = isOwn ? block : await readMinedBlock(node, hash, false)
        return await readProvedLogs(node, mined ?? throwBlockReorganized())
      }),
    /** Tells whether a client may want a log of such a block, since logs cost the most calls. */
    areLogsWanted,
  }
}
