import { type MinedBlock, sentTransactions } from '../objects/block.ts'
import type { ChainLog } from '../objects/log.ts'
import { toQuantity } from '../objects/values.ts'
import { readProvedLogs } from '../reads/block-logs.ts'
import { readMinedBlock } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** Holds what the feed needs to announce a block, and to announce its removal. */
export type FeedBlock = Awaited<ReturnType<typeof toFeedBlock>>

/** Describes how the chain changed since the last poll. */
export type ChainChange =
  /** Lists removed blocks, newest first, and added blocks, oldest first. */
  | { kind: 'moved'; removed: FeedBlock[]; added: FeedBlock[] }
  | { kind: 'still' }
  /** Says that too much changed to announce it block by block. */
  | { kind: 'lost' }

/** Sets how many blocks are kept; a deeper reorganization is not announced block by block. */
export const keptBlocks = 128

const widestGap = 1_000

const blocksAtOnce = 50

/** Limits how many missing blocks are read from child to parent; more are read by number. */
const fewBlocks = 4

/** Lists the fields of a `newHeads` notification. */
const headFields = [
  ...['difficulty', 'extraData', 'gasLimit', 'gasUsed', 'logsBloom', 'miner', 'number'],
  ...['parentHash', 'receiptsRoot', 'sha3Uncles', 'stateRoot', 'timestamp', 'transactionsRoot'],
  'hash',
]

export type FeedChain = ReturnType<typeof createFeedChain>

/** Follows the recent chain as it was announced to subscribers. */
export function createFeedChain(source: FeedSource, kept: readonly FeedBlock[] = []) {
  let chain = [...kept]

  return {
    blocks: (): readonly FeedBlock[] => chain,

    /** Starts from the chain as it is now, without announcing its blocks. */
    async restart(): Promise<void> {
      const latest = await source.latest()
      const last = chain.at(-1)
      const gap = Number(latest.number) - (last?.number ?? Number.NEGATIVE_INFINITY)
      if (last !== undefined && gap < keptBlocks / 2) {
        if ((await follow(latest, last)).kind !== 'lost') return
      }
      // Earlier blocks too, so that a reorganization can announce their removal.
      const first = Math.max(0, Number(latest.number) - keptBlocks / 2 + 1)
      const blocks = await readRange(source, first, Number(latest.number) - 1)
      const linked = blocks === undefined ? [latest] : takeLinked([...blocks, latest])
      chain = await Promise.all(linked.map((block) => toFeedBlock(source, block)))
    },

    /** Advances to the latest block; reads a whole change before it applies it. */
    async advance(): Promise<ChainChange> {
      const last = chain.at(-1)
      if (last === undefined) throw new Error('the feed has no chain to follow')
      return await follow(await source.latest(), last)
    },

    /** Reads wanted logs of blocks that were added without them; returns whether there were any. */
    async readLogs(isWanted: (bloom: string | null) => boolean): Promise<boolean> {
      const isUnread = ({ logs, head }: FeedBlock) =>
        logs === undefined && isWanted(readBloom(head))
      if (!chain.some(isUnread)) return false
      chain = await Promise.all(
        chain.map((block) => (isUnread(block) ? withLogs(source, block) : block)),
      )
      return true
    },
  }

  async function follow(latest: MinedBlock, last: FeedBlock): Promise<ChainChange> {
    if (latest.hash === last.hash) return { kind: 'still' }
    const missing = await findMissing(latest, last)
    if (missing === 'changing') return { kind: 'still' }
    if (missing === 'lost') return { kind: 'lost' }
    const { fork, blocks } = missing
    const added = await Promise.all(blocks.map((block) => toFeedBlock(source, block)))
    const removed = chain.slice(fork + 1).toReversed()
    chain = [...chain.slice(0, fork + 1), ...added].slice(-keptBlocks)
    return { kind: 'moved', removed, added }
  }

  type Missing = { fork: number; blocks: MinedBlock[] } | 'changing' | 'lost'

  /** Finds the blocks after the last common block of both chains, up to the latest. */
  async function findMissing(latest: MinedBlock, last: FeedBlock): Promise<Missing> {
    const gap = Number(latest.number) - last.number
    if (gap > widestGap) return 'lost'
    let blocks = [latest]
    if (gap > fewBlocks) {
      const between = await readRange(source, last.number + 1, Number(latest.number) - 1)
      if (between === undefined) return 'changing'
      blocks = [...between, latest]
      if (takeLinked(blocks).length < blocks.length) return 'changing'
    }
    for (;;) {
      const [oldest] = blocks
      if (oldest === undefined) return 'changing'
      const own = chain.findIndex(({ hash }) => hash === oldest.hash)
      if (own !== -1) return { fork: own, blocks: blocks.slice(1) }
      const fork = chain.findIndex(({ hash }) => hash === oldest.parentHash)
      if (fork !== -1) return { fork, blocks }
      const reachesBeyond = Number(oldest.number) <= (chain[0]?.number ?? 0)
      if (reachesBeyond || blocks.length > widestGap) return 'lost'
      const parent = await source.block(oldest.parentHash)
      // The node is in the middle of a reorganization: the next poll sees its result.
      if (parent === null) return 'changing'
      blocks = [parent, ...blocks]
    }
  }
}

/** Reads blocks by number, both ends included; returns undefined if one is missing. */
async function readRange(
  source: FeedSource,
  from: number,
  to: number,
): Promise<MinedBlock[] | undefined> {
  const blocks: MinedBlock[] = []
  for (let start = from; start <= to; start += blocksAtOnce) {
    const length = Math.min(blocksAtOnce, to - start + 1)
    const found = await Promise.all(
      Array.from({ length }, (_, index) => source.block(toQuantity(start + index))),
    )
    for (const block of found) {
      if (block === null) return undefined
      blocks.push(block)
    }
  }
  return blocks
}

const readBloom = (head: string) => (JSON.parse(head) as { logsBloom: string | null }).logsBloom

async function withLogs(source: FeedSource, kept: FeedBlock): Promise<FeedBlock> {
  const block = await source.block(kept.hash)
  // The block left the chain, so its logs cannot be read any longer.
  return block === null ? { ...kept, logs: [] } : await toFeedBlock(source, block)
}

async function toFeedBlock(source: FeedSource, block: MinedBlock) {
  const fields = headFields.map((name) => [name, block[name] ?? null])
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    /** Holds Unix seconds; blocks stored by older versions lack it. */
    timestamp: Number(block.timestamp),
    /** Holds the header of a `newHeads` notification as JSON text. */
    head: JSON.stringify(Object.fromEntries(fields)),
    logs: await source.logs(block),
    transactions: sentTransactions(block),
  }
}

/** Returns the last blocks that form an unbroken chain of parents. */
function takeLinked(blocks: readonly MinedBlock[]): MinedBlock[] {
  const breaks = blocks.findLastIndex(
    ({ hash }, index) => index < blocks.length - 1 && blocks[index + 1]?.parentHash !== hash,
  )
  return blocks.slice(breaks + 1)
}

export type FeedSource = ReturnType<typeof createFeedSource>

export function createFeedSource(
  ask: <T>(work: (node: UpstreamNode) => Promise<T>) => Promise<T>,
  recordHead: (node: UpstreamNode, number: number) => void,
  areLogsWanted: (bloom: string | null) => boolean,
) {
  return {
    latest: () =>
      ask(async (node) => {
        const latest = await readMinedBlock(node, 'latest', false)
        if (latest === null) throw new Error('a chain has a latest block')
        recordHead(node, Number(latest.number))
        return latest
      }),
    /** Reads a block by hash or number; `null` if it does not exist. */
    block: (selector: string) => ask((node) => readMinedBlock(node, selector, false)),
    /** Reads a block's logs if a client wants them, since they cost the most calls. */
    logs: async (block: MinedBlock): Promise<ChainLog[] | undefined> =>
      areLogsWanted(block.logsBloom) ? await ask((node) => readProvedLogs(node, block)) : undefined,
  }
}
