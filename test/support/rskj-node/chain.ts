import type { Hex } from 'viem'
import { keccak256, numberToHex } from 'viem'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { encodeHeader, encodeReceipt, encodeTransaction, hashForMergedMining } from './encoding.ts'
import { regtest } from './quirks.ts'
import { type Trie, trieOf } from './trie.ts'

/** Where a thing is in the chain. */
type Place = 'blockHash' | 'blockNumber' | 'transactionIndex'

export type Transaction = Record<
  'hash' | 'nonce' | 'from' | 'gas' | 'gasPrice' | 'value' | 'input' | 'v' | 'r' | 's' | 'type',
  Hex
> &
  Record<'to' | Place, Hex | null>

export type Log = Record<'logIndex' | 'transactionHash' | 'address' | 'data' | Place, Hex> & {
  topics: Hex[]
}

export type Receipt = Record<
  'transactionHash' | 'from' | 'cumulativeGasUsed' | 'gasUsed' | 'effectiveGasPrice' | Place,
  Hex
> &
  Record<'status' | 'logsBloom' | 'type', Hex> &
  Record<'contractAddress' | 'to', Hex | null> & { logs: Log[] }

/** A block as `eth_getBlockByNumber` prints it, with whole transactions. */
export type PrintedBlock = Record<string, unknown> &
  Record<'number' | 'hash' | 'transactionsRoot', Hex> & { transactions: Transaction[] }

/** A block of anvil's as RSKj has it: with REMASC's transaction, RSKj's roots, and so RSKj's hash. */
export type Block = {
  number: number
  hash: Hex
  /** What anvil calls it. */
  anvilHash: Hex
  header: Hex
  printed: PrintedBlock
  receipts: Receipt[]
  rawReceipts: Hex[]
  proofs: Trie
}

/** anvil's chain as RSKj would show it. */
export type Chain = {
  /** Looks what anvil has now; afterwards the other members tell of that. */
  readonly follow: () => Promise<void>
  readonly head: () => Block
  readonly at: (number: number) => Block | undefined
  /** Also of blocks that have left the chain: RSKj keeps them. */
  readonly byHash: (hash: string) => Block | undefined
  readonly receipt: (hash: string) => { receipt: Receipt; block: Block; index: number } | undefined
}

type AnvilBlock = Record<string, Hex> & { number: Hex; hash: Hex }
type Raw = AnvilBlock & { transactions: (Transaction & Record<string, unknown>)[] }

/** Blocks that are fetched at a time. */
const atOnce = 50

const zeroHash: Hex = `0x${'0'.repeat(64)}`
/** Until the block has its hash: `place` says it then. */
const nowhere = { blockHash: zeroHash, blockNumber: '0x0', transactionIndex: '0x0' } as const
const unplaced = { blockHash: null, blockNumber: null, transactionIndex: null }
const nobody: Hex = `0x${'0'.repeat(40)}`
const remasc: Hex = '0x0000000000000000000000000000000001000008'
const emptyBloom: Hex = `0x${'0'.repeat(512)}`
const noUncles: Hex = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

export function createChain(anvil: RpcCall): Chain {
  let blocks: Block[] = []
  const everSeen = new Map<string, Block>()
  const receipts = new Map<string, { receipt: Receipt; block: Block; index: number }>()
  let last: Promise<void> = Promise.resolve()

  async function anvilBlock(number: number): Promise<Raw | null> {
    return (await anvil('eth_getBlockByNumber', [numberToHex(number), true])) as Raw | null
  }

  /** Forgets what anvil has taken away. */
  async function unwind(): Promise<void> {
    for (;;) {
      const own = blocks.at(-1)
      if (own === undefined) return
      if ((await anvilBlock(own.number))?.hash === own.anvilHash) return
      blocks = blocks.slice(0, -1)
      for (const { transactionHash } of own.receipts) receipts.delete(transactionHash)
    }
  }

  async function catchUp(): Promise<void> {
    await unwind()
    const height = Number(await anvil('eth_blockNumber'))
    while (blocks.length <= height) {
      const numbers = Array.from(
        { length: Math.min(atOnce, height + 1 - blocks.length) },
        (_, index) => blocks.length + index,
      )
      const found = await Promise.all(
        numbers.map(async (number) => ({
          raw: await anvilBlock(number),
          receipts: (await anvil('eth_getBlockReceipts', [numberToHex(number)])) as Receipt[],
        })),
      )
      for (const { raw, receipts: own } of found) {
        // It was taken away while it was fetched: the next look finds what came instead.
        if (raw === null || own === null) return
        add(blockOf(raw, own, blocks.at(-1)))
      }
    }
  }

  function add(block: Block): void {
    blocks.push(block)
    everSeen.set(block.hash, block)
    for (const [index, receipt] of block.receipts.entries()) {
      receipts.set(receipt.transactionHash, { receipt, block, index })
    }
  }

  return {
    follow() {
      last = last.then(catchUp, catchUp)
      return last
    },
    head() {
      const head = blocks.at(-1)
      if (head === undefined) throw new Error('the chain was not looked at yet')
      return head
    },
    at: (number) => blocks[number],
    byHash: (hash) => everSeen.get(hash.toLowerCase()),
    receipt: (hash) => receipts.get(hash.toLowerCase()),
  }
}

function blockOf(raw: Raw, anvilReceipts: Receipt[], parent: Block | undefined): Block {
  const isGenesis = parent === undefined
  const own = raw.transactions.map((one) => transactionOf(one))
  const all = isGenesis ? [] : [...own, remascTransaction(Number(raw.number), own.length)]
  const receipts = isGenesis
    ? []
    : [...anvilReceipts.map((one) => receiptOf(one)), remascReceipt(anvilReceipts, all.at(-1))]
  const rawReceipts = receipts.map(encodeReceipt)
  const proofs = trieOf(rawReceipts)
  const fees = receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  )
  const fields = {
    number: raw.number,
    parentHash: parent?.hash ?? zeroHash,
    sha3Uncles: noUncles,
    logsBloom: raw.logsBloom ?? emptyBloom,
    transactionsRoot: trieOf(all.map(encodeTransaction)).root,
    stateRoot: raw.stateRoot ?? zeroHash,
    receiptsRoot: proofs.root,
    miner: regtest.miner as Hex,
    difficulty: regtest.difficulty as Hex,
    extraData: regtest.extraData as Hex,
    gasLimit: numberToHex(regtest.gasLimit),
    gasUsed: raw.gasUsed ?? '0x0',
    timestamp: raw.timestamp ?? '0x0',
    minimumGasPrice: regtest.minimumGasPrice as Hex,
    paidFees: numberToHex(fees),
    uncles: [],
  }
  const mining = hashForMergedMining({ ...fields, bitcoinMergedMiningHeader: '0x' })
  // Nobody mined the first block. Of the others each is mined once: also one like one that left.
  const bitcoinMergedMiningHeader: Hex = isGenesis
    ? '0x00'
    : `0x71110100${raw.hash.slice(2)}${mining.slice(2)}${'00'.repeat(12)}`
  const header = encodeHeader({ ...fields, bitcoinMergedMiningHeader })
  const hash = keccak256(header)
  place(hash, raw.number, all, receipts)
  return {
    number: Number(raw.number),
    hash,
    anvilHash: raw.hash,
    header,
    printed: {
      ...fields,
      hash,
      mixHash: zeroHash,
      nonce: '0x0000000000000000',
      totalDifficulty: numberToHex(Number(raw.number) + 1),
      size: raw.size,
      transactions: all,
      bitcoinMergedMiningHeader,
      bitcoinMergedMiningCoinbaseTransaction: isGenesis
        ? '0x00'
        : `0x${'00'.repeat(40)}${mining.slice(2)}`,
      bitcoinMergedMiningMerkleProof: isGenesis ? '0x00' : '0x',
      hashForMergedMining: mining,
      cumulativeDifficulty: regtest.difficulty,
      rskPteEdges: null,
      baseEvent: null,
    },
    receipts,
    rawReceipts,
    proofs,
  }
}

/** Says in each where it is, once the block has its hash. */
function place(hash: Hex, number: Hex, transactions: Transaction[], receipts: Receipt[]): void {
  for (const [index, transaction] of transactions.entries()) {
    const where = { blockHash: hash, blockNumber: number, transactionIndex: numberToHex(index) }
    Object.assign(transaction, where)
    const receipt = receipts[index]
    if (receipt === undefined) throw new Error('a transaction of anvil has no receipt')
    Object.assign(receipt, where)
    for (const log of receipt.logs) Object.assign(log, where)
  }
}

const pick = (from: Record<string, unknown>, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, from[name] ?? null]))

/** @throws {Error} it is no legacy transaction: there are no others on Rootstock */
export function transactionOf(one: Transaction & Record<string, unknown>): Transaction {
  const own = {
    ...(pick(one, 'hash nonce from to gas gasPrice value input v') as Transaction),
    r: wholeBytes(one.r),
    s: wholeBytes(one.s),
    ...unplaced,
    type: '0x0' as const,
  }
  if (Number(one.type) !== 0 || keccak256(encodeTransaction(own)) !== one.hash) {
    throw new Error('anvil holds a transaction that Rootstock does not know')
  }
  return own
}

function wholeBytes(value: Hex): Hex {
  return value.length % 2 === 0 ? value : `0x0${value.slice(2)}`
}

/** Ends each block and pays the miners; nobody signs it (`RemascTransaction`). */
export function remascTransaction(number: number, index: number): Transaction {
  const zeros = ['gas', 'gasPrice', 'value', 'v', 'r', 's', 'type'].map((name) => [name, '0x0'])
  const fields = {
    ...Object.fromEntries(zeros),
    nonce: numberToHex(number - 1),
    from: nobody,
    to: remasc,
    input: '0x',
  }
  const transactionIndex = numberToHex(index)
  return { ...fields, hash: keccak256(encodeTransaction(fields)), ...unplaced, transactionIndex }
}

const receiptFields =
  'transactionHash from to contractAddress cumulativeGasUsed gasUsed effectiveGasPrice status logsBloom'

const receiptOf = (one: Receipt): Receipt => ({
  ...(pick(one, receiptFields) as Receipt),
  ...nowhere,
  type: '0x0',
  logs: one.logs.map((log) => ({
    ...(pick(log, 'logIndex transactionHash address data topics') as Log),
    ...nowhere,
  })),
})

function remascReceipt(before: Receipt[], transaction: Transaction | undefined): Receipt {
  if (transaction === undefined) throw new Error('a block ends with a transaction of REMASC')
  return {
    ...nowhere,
    transactionHash: transaction.hash,
    from: nobody,
    to: remasc,
    contractAddress: null,
    cumulativeGasUsed: before.at(-1)?.cumulativeGasUsed ?? '0x0',
    gasUsed: '0x0',
    effectiveGasPrice: '0x0',
    status: '0x1',
    logsBloom: emptyBloom,
    type: '0x0',
    logs: [],
  }
}
