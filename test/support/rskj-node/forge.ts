import { type Hex, numberToHex, parseTransaction, zeroAddress } from 'viem'
import { buildBinaryProof } from '../../../src/node/objects/binary-trie.ts'
import type { RawReceipt } from '../../../src/node/objects/receipt.ts'
import { computeTrieRoot, listReceiptForms } from '../../../src/node/objects/receipts-trie.ts'
import { answeringNode, error } from '../fake-node.ts'
import { rebuilt } from './mined.ts'
import { type Block, readRecording } from './recording.ts'

type Log = Pick<RawReceipt['logs'][number], 'address' | 'topics' | 'data'>

/** A transaction that a block holds, with what it did. */
export type Sent = { hash: Hex; raw: Hex; from: Hex; status: '0x0' | '0x1'; logs: Log[] }

export type Forged = Block & { receipts: RawReceipt[] }

const [template] = readRecording('main-network').blocks.slice(-1) as [Block]

/** Makes blocks on top of one, each with the difficulty and mined, or with another's work. */
export function forge(
  below: Forged | undefined,
  { sent = [], difficulty = '0x1', mines = true }: Partial<ForgeOptions>,
): Forged {
  const number = numberToHex(Number(below?.number ?? 0) + 1)
  const place = (index: number) => ({ blockNumber: number, transactionIndex: numberToHex(index) })
  const receipts = sent.map(({ hash, status, logs }, index): RawReceipt => {
    const own = { ...place(index), blockHash: '0x', transactionHash: hash, removed: false }
    const type = sent[index]?.raw.startsWith('0x02') ? '0x2' : '0x0'
    return {
      ...{ ...own, status, from: zeroAddress, to: zeroAddress, contractAddress: null, type },
      ...{ cumulativeGasUsed: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1' },
      ...{ logs: logs.map((log) => ({ ...log, ...own, logIndex: '0x0' })), logsBloom: '0x00' },
    } as never
  })
  const block = {
    ...template,
    ...{ number, difficulty, parentHash: below?.hash ?? `0x${'00'.repeat(32)}` },
    // A bloom that may hold anything.
    logsBloom: `0x${(sent.some(({ logs }) => logs.length > 0) ? 'ff' : '00').repeat(256)}`,
    transactionsRoot: computeTrieRoot(
      sent.map(({ raw }) => raw),
      'rootstock',
    ),
  }
  const { hash, ...fields } = rebuilt(block as never, receipts, mines)
  const moved = <One extends object>(one: One) => ({ ...one, blockHash: hash })
  const transactions = sent.map((one, index) => ({ ...transactionOf(one), ...place(index) }))
  return {
    ...{ ...fields, hash, number, transactions: transactions.map(moved) as never },
    receipts: receipts.map((one) => moved({ ...one, logs: one.logs.map(moved) })),
  }
}

export type ForgeOptions = { sent: readonly Sent[]; difficulty: Hex; mines: boolean }

/** Describes a transaction as RSKj does, also one of type 2 (RSKIP-546). */
function transactionOf({ hash, raw, from }: Sent) {
  const { nonce = 0, gas = 0n, value = 0n, ...one } = parseTransaction(raw)
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, yParity = 0, chainId = 0 } = one
  const isTyped = one.type === 'eip1559'
  const [n, v] = [numberToHex(nonce), numberToHex(isTyped ? yParity : (one.v ?? 0n))]
  const fees = [maxFeePerGas, maxPriorityFeePerGas].map((fee) => numberToHex(fee))
  const [yparity, [maxFee, tip]] = [numberToHex(yParity), fees]
  const gasPrice = one.gasPrice ?? maxPriorityFeePerGas
  return {
    ...{ hash, from },
    ...{ nonce: n, gasPrice: numberToHex(gasPrice), gas: numberToHex(gas), v, r: one.r, s: one.s },
    ...{ value: numberToHex(value), input: one.data ?? '0x', to: one.to ?? null },
    ...(isTyped
      ? {
          type: '0x2',
          yparity,
          maxFeePerGas: maxFee,
          maxPriorityFeePerGas: tip,
          accessList: [],
          chainId: numberToHex(chainId),
        }
      : { type: '0x0', yparity: null }),
  }
}

type Answers = Readonly<Record<string, (params: readonly unknown[], host: string) => unknown>>

/** Answers as RSKj nodes that have these blocks, but for methods that are answered otherwise. */
export function showing(
  blocks: (host: string) => readonly Forged[],
  over: Answers = {},
): typeof fetch {
  const shown = (block: Forged | undefined, isFull: unknown) => {
    if (block === undefined) return null
    const { receipts: _, ...rest } = block
    const { transactions } = block
    return { ...rest, transactions: isFull ? transactions : transactions.map(({ hash }) => hash) }
  }
  const numbered = (selector: unknown, host: string) =>
    selector === 'latest'
      ? blocks(host).at(-1)
      : blocks(host).find(({ number }) => Number(number) === Number(selector))
  const byHash = (hash: unknown, host: string) => blocks(host).find((block) => block.hash === hash)
  const answers: Answers = {
    eth_chainId: () => '0x1f',
    web3_clientVersion: () => 'RskJ/9.0.3',
    eth_blockNumber: (_, host) => blocks(host).at(-1)?.number,
    eth_getBlockByNumber: ([selector, isFull], host) => shown(numbered(selector, host), isFull),
    eth_getBlockByHash: ([hash, isFull], host) => shown(byHash(hash, host), isFull),
    eth_getTransactionReceipt([hash], host) {
      const all = blocks(host).flatMap(({ receipts }) => receipts)
      return all.find(({ transactionHash }) => transactionHash === hash) ?? null
    },
    rsk_getTransactionReceiptNodesByHash([blockHash, hash], host) {
      const { receipts = [] } = byHash(blockHash, host) ?? {}
      const encoded = receipts.map((one) => listReceiptForms(one, 'rootstock')[0])
      const index = receipts.findIndex(({ transactionHash }) => transactionHash === hash)
      return index === -1 ? null : buildBinaryProof(encoded, index).toReversed()
    },
    eth_gasPrice: () => '0x1',
    eth_getBalance: () => '0x1',
    eth_getTransactionCount: () => '0x0',
    eth_call: () => numberToHex(0, { size: 64 }),
  }
  return answeringNode(({ method, params }, host) => {
    const result = (over[method] ?? answers[method])?.(params, host)
    if (result !== undefined) return { result }
    return error(-32601, `the method ${method} does not exist/is not available`)
  })
}
