import { type MinedBlock, sentTransactions } from '../objects/block.ts'
import type { ChainLog } from '../objects/log.ts'
import { toQuantity } from '../objects/values.ts'
import { provedLogs } from '../reads/block-logs.ts'
import { minedBlock } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** Holds what the feed keeps of a block, to announce it and to take it back. */
export type FeedBlock = Awaited<ReturnType<typeof toFeedBlock>>

/** Describes how the chain changed since the last look. */
export type ChainChange =
  /** Blocks that left, newest first, and blocks that came, oldest first. */
  | { kind: 'moved'; removed: FeedBlock[]; added: FeedBlock[] }
  | { kind: 'still' }
  /** Starts over, since more happened than can be told in order. */
  | { kind: 'lost' }

/** Blocks that are kept: reorganizations deeper than this are not told block by block. */
export const keptBlocks = 128

const widestGap = 1_000

const blocksAtOnce = 50

/** Limits how many missing blocks are found from child to parent; more are found by number. */
const fewBlocks = 4

/** Lists the fields of a `newHeads` notification. */
const headFields = [
  ...['difficulty', 'extraData', 'gasLimit', 'gasUsed', 'logsBloom', 'miner', 'number'],
  ...['parentHash', 'receiptsRoot', 'sha3Uncles', 'stateRoot', 'timestamp', 'transactionsRoot'],
  'hash',
]

export type FeedChain = ReturnType<typeof createFeedChain>

/** Follows the recent chain as its subscribers were told of it. */
export function createFeedChain(source: FeedSource, kept: readonly FeedBlock[] = []) {
  let chain = [...kept]

  return {
    blocks: (): readonly FeedBlock[] => chain,

    /** Starts from the chain as it is now. Nothing is told of what is there already. */
    async restart(): Promise<void> {
      const latest = await source.latest()
      const last = chain.at(-1)
      const gap = Number(latest.number) - (last?.number ?? Number.NEGATIVE_INFINITY)
      if (last !== undefined && gap < keptBlocks / 2) {
        if ((await follow(latest, last)).kind !== 'lost') return
      }
      // The blocks before it too: what a reorganization takes away must be known before.
      const first = Math.max(0, Number(latest.number) - keptBlocks / 2 + 1)
      const blocks = await range(source, first, Number(latest.number) - 1)
      const linked = blocks === undefined ? [latest] : untilBroken([...blocks, latest])
      chain = await Promise.all(linked.map((block) => toFeedBlock(source, block)))
    },

    /** Moves along with the chain; all of a change is read before any of it counts. */
    async advance(): Promise<ChainChange> {
      const last = chain.at(-1)
      if (last === undefined) throw new Error('the feed has no chain to move along')
      return await follow(await source.latest(), last)
    },

    /** Reads logs of wanted blooms that came while nobody listened; `true`: there were any. */
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
    const missing = await missingBlocks(latest, last)
    if (missing === 'changing') return { kind: 'still' }
    if (missing === 'lost') return { kind: 'lost' }
    const { fork, blocks } = missing
    const added = await Promise.all(blocks.map((block) => toFeedBlock(source, block)))
    const removed = chain.slice(fork + 1).toReversed()
    chain = [...chain.slice(0, fork + 1), ...added].slice(-keptBlocks)
    return { kind: 'moved', removed, added }
  }

  type Missing = { fork: number; blocks: MinedBlock[] } | 'changing' | 'lost'

  /** Returns the blocks after the last common block of both chains, up to the latest. */
  async function missingBlocks(latest: MinedBlock, last: FeedBlock): Promise<Missing> {
    const gap = Number(latest.number) - last.number
    if (gap > widestGap) return 'lost'
    let blocks = [latest]
    if (gap > fewBlocks) {
      const between = await range(source, last.number + 1, Number(latest.number) - 1)
      if (between === undefined) return 'changing'
      blocks = [...between, latest]
      if (untilBroken(blocks).length < blocks.length) return 'changing'
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
      // The node itself is just changing its mind: the next look will find out to what.
      if (parent === null) return 'changing'
      blocks = [parent, ...blocks]
    }
  }
}

/** Blocks by number, inclusively; undefined when one is not there. */
async function range(
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
  // It left the chain: what it held cannot be taken back.
  return block === null ? { ...kept, logs: [] } : await toFeedBlock(source, block)
}

async function toFeedBlock(source: FeedSource, block: MinedBlock) {
  const fields = headFields.map((name) => [name, block[name] ?? null])
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    /** Is in Unix s; blocks that older versions kept have none. */
    timestamp: Number(block.timestamp),
    /** Holds the header of a `newHeads` notification as JSON text. */
    head: JSON.stringify(Object.fromEntries(fields)),
    logs: await source.logs(block),
    transactions: sentTransactions(block),
  }
}

/** Returns the youngest blocks of which each is the parent of the next. */
function untilBroken(blocks: readonly MinedBlock[]): MinedBlock[] {
  const breaks = blocks.findLastIndex(
    ({ hash }, index) => index < blocks.length - 1 && blocks[index + 1]?.parentHash !== hash,
  )
  return blocks.slice(breaks + 1)
}

export type FeedSource = ReturnType<typeof createFeedSource>

export function createFeedSource(
  ask: <T>(work: (node: UpstreamNode) => Promise<T>) => Promise<T>,
  sawHead: (node: UpstreamNode, number: number) => void,
  areLogsWanted: (bloom: string | null) => boolean,
) {
  return {
    latest: () =>
      ask(async (node) => {
        const latest = await minedBlock(node, 'latest', false)
        if (latest === null) throw new Error('a chain has a latest block')
        sawHead(node, Number(latest.number))
        return latest
      }),
    /** Reads a block by hash or number; `null` if it does not exist. */
    block: (selector: string) => ask((node) => minedBlock(node, selector, false)),
    /** Reads a block's logs, which cost the most; undefined where nobody wants them. */
    logs: async (block: MinedBlock): Promise<ChainLog[] | undefined> =>
      areLogsWanted(block.logsBloom) ? await ask((node) => provedLogs(node, block)) : undefined,
  }
}
