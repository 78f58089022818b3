import { listSignedTransactions, type MinedBlock } from '../objects/block.ts'
import type { ChainLog } from '../objects/log.ts'
import { toQuantity } from '../objects/values.ts'
import { readProvedLogs } from '../reads/block-logs.ts'
import { readMinedBlock } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'

/** A block with the notifications about its addition or removal. */
export type FeedBlock = Awaited<ReturnType<typeof toFeedBlock>>

/** The change of the chain since the last poll. */
export type ChainChange =
  /** Lists removed blocks, newest first, and added blocks, oldest first. */
  | { kind: 'moved'; removedBlocks: FeedBlock[]; addedBlocks: FeedBlock[] }
  | { kind: 'unchanged' }
  /** Too much changed to announce it block by block. */
  | { kind: 'lost' }

/** Limits the stored blocks; a deeper reorganization is not announced block by block. */
export const maxStoredBlocks = 128

/** Limits the blocks between two polls; after more, the feed starts again. */
const maxGap = 1_000

const blocksPerBatch = 50

/** The fields of a `newHeads` notification. */
const headFields = [
  ...['difficulty', 'extraData', 'gasLimit', 'gasUsed', 'logsBloom', 'miner', 'number'],
  ...['parentHash', 'receiptsRoot', 'sha3Uncles', 'stateRoot', 'timestamp', 'transactionsRoot'],
  'hash',
]

export type FeedChain = ReturnType<typeof createFeedChain>

/** The blocks after our block at `forkIndex`; `changing` while the node reorganizes its chain. */
type MissingBlocks = { forkIndex: number; blocks: MinedBlock[] } | 'changing' | 'lost'

/** Follows the recent chain as it was announced to subscribers. */
export function createFeedChain(source: FeedSource, storedBlocks: readonly FeedBlock[] = []) {
  let chain = [...storedBlocks]

  return {
    getBlocks: (): readonly FeedBlock[] => chain,

    /** Starts from the chain as it is now, without announcing its blocks. */
    async restart(): Promise<void> {
      const latest = await source.readLatest()
      const last = chain.at(-1)
      const gap = Number(latest.number) - (last?.number ?? Number.NEGATIVE_INFINITY)
      if (last !== undefined && gap < maxStoredBlocks / 2) {
        if ((await followTo(latest, last)).kind !== 'lost') return
      }
      // Reads earlier blocks too, so that a reorganization can announce their removal.
      const first = Math.max(0, Number(latest.number) - maxStoredBlocks / 2 + 1)
      const blocks = await readRange(source, first, Number(latest.number) - 1)
      const linked = blocks === undefined ? [latest] : takeLinkedBlocks([...blocks, latest])
      chain = await Promise.all(linked.map((block) => toFeedBlock(source, block)))
    },

    /** Advances to the latest block; reads a whole change before it applies it. */
    async advance(): Promise<ChainChange> {
      const last = chain.at(-1)
      if (last === undefined) throw new Error('the feed has no chain to follow')
      return await followTo(await source.readLatest(), last)
    },

    /** Adds the wanted logs that blocks lack; returns whether there were any such blocks. */
    async addMissingLogs(isWanted: (bloom: string | null) => boolean): Promise<boolean> {
      const lacksLogs = ({ logs, head }: FeedBlock) =>
        logs === undefined && isWanted(parseBloom(head))
      if (!chain.some(lacksLogs)) return false
      chain = await Promise.all(
        chain.map((block) => (lacksLogs(block) ? addLogs(source, block) : block)),
      )
      return true
    },
  }

  async function followTo(latest: MinedBlock, last: FeedBlock): Promise<ChainChange> {
    if (latest.hash === last.hash) return { kind: 'unchanged' }
    const missing = await findMissing(latest, last)
    if (missing === 'changing') return { kind: 'unchanged' }
    if (missing === 'lost') return { kind: 'lost' }
    const { forkIndex, blocks } = missing
    const addedBlocks = await Promise.all(blocks.map((block) => toFeedBlock(source, block)))
    const removedBlocks = chain.slice(forkIndex + 1).toReversed()
    chain = [...chain.slice(0, forkIndex + 1), ...addedBlocks].slice(-maxStoredBlocks)
    return { kind: 'moved', removedBlocks, addedBlocks }
  }

  /** Finds the blocks after the last common block of both chains, up to the latest block. */
  async function findMissing(latest: MinedBlock, last: FeedBlock): Promise<MissingBlocks> {
    const gap = Number(latest.number) - last.number
    if (gap > maxGap) return 'lost'
    const missingBlocks = await readRange(source, last.number + 1, Number(latest.number) - 1)
    if (missingBlocks === undefined) return 'changing'
    let blocks = [...missingBlocks, latest]
    if (takeLinkedBlocks(blocks).length < blocks.length) return 'changing'
    for (;;) {
      const [oldest] = blocks
      if (oldest === undefined) return 'changing'
      const commonIndex = chain.findIndex(({ hash }) => hash === oldest.hash)
      if (commonIndex !== -1) return { forkIndex: commonIndex, blocks: blocks.slice(1) }
      const forkIndex = chain.findIndex(({ hash }) => hash === oldest.parentHash)
      if (forkIndex !== -1) return { forkIndex, blocks }
      const isTooOld = Number(oldest.number) <= (chain[0]?.number ?? 0)
      if (isTooOld || blocks.length > maxGap) return 'lost'
      const parent = await source.readBlock(oldest.parentHash)
      // The node is reorganizing its chain, so the next poll reads the result.
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
  for (let start = from; start <= to; start += blocksPerBatch) {
    const length = Math.min(blocksPerBatch, to - start + 1)
    const batch = await Promise.all(
      Array.from({ length }, (_, index) => source.readBlock(toQuantity(start + index))),
    )
    for (const block of batch) {
      if (block === null) return undefined
      blocks.push(block)
    }
  }
  return blocks
}

const parseBloom = (head: string) => (JSON.parse(head) as { logsBloom: string | null }).logsBloom

async function addLogs(source: FeedSource, storedBlock: FeedBlock): Promise<FeedBlock> {
  const block = await source.readBlock(storedBlock.hash)
  // The block left the chain, so its logs cannot be read any longer.
  return block === null ? { ...storedBlock, logs: [] } : await toFeedBlock(source, block)
}

async function toFeedBlock(source: FeedSource, block: MinedBlock) {
  const fields = headFields.map((name) => [name, block[name] ?? null])
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    /** Unix time in seconds; blocks that older versions stored lack it. */
    timestamp: Number(block.timestamp),
    /** The header of a `newHeads` notification as JSON text. */
    head: JSON.stringify(Object.fromEntries(fields)),
    logs: await source.readLogs(block),
    transactions: listSignedTransactions(block),
  }
}

/** Returns the last blocks of which each is the parent of the next. */
function takeLinkedBlocks(blocks: readonly MinedBlock[]): MinedBlock[] {
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
        const latest = await readMinedBlock(node, 'latest', false)
        if (latest === null) throw new Error('the node has no latest block')
        recordHead(node, Number(latest.number))
        return latest
      }),
    /** Reads a block by hash or number; `null` if it does not exist. */
    readBlock: (selector: string) => ask((node) => readMinedBlock(node, selector, false)),
    /** Reads a block's logs if a client wants them, since they cost the most calls. */
    readLogs: async (block: MinedBlock): Promise<ChainLog[] | undefined> =>
      areLogsWanted(block.logsBloom) ? await ask((node) => readProvedLogs(node, block)) : undefined,
  }
}
