import type { Hex } from 'viem'

/** Describes a chain's rules and what its nodes lie about: a transaction, its block, an account. */
export type Subject = {
  rules: 'rootstock' | 'ethereum'
  hash: string
  blockHash: string
  blockNumber: string
  account: string
}

type Kind = {
  /** Changes results, by method. */
  changes: Record<string, (result: never) => unknown>
  question: [method: string, ...params: unknown[]]
  /** Tells whether it is found without another node; else it is believed, and counted. */
  isCaughtAlone: boolean
}

const other: Hex = `0x${'ab'.repeat(32)}`
const spoil = (members: object) => (one: object) => ({ ...one, ...members })
const spoilEach = (members: object) => (all: object[]) => all.map(spoil(members))
const flip = (one: { status: string }) => ({ ...one, status: one.status === '0x1' ? '0x0' : '0x1' })
const instead = (value: unknown) => () => value

/** Lists a node's lies; Rootstock's unknown header forms are believed, also when wrong. */
export const kindsOfLies: Readonly<Record<string, (of: Subject) => Kind>> = {
  "a receipt's status": ({ hash }) => ({
    changes: { eth_getTransactionReceipt: flip },
    question: ['eth_getTransactionReceipt', hash],
    isCaughtAlone: true,
  }),
  'a header under the asked hash': ({ blockHash, rules }) => ({
    changes: { eth_getBlockByHash: spoil({ gasUsed: '0x1' }) },
    question: ['eth_getBlockByHash', blockHash],
    isCaughtAlone: rules === 'ethereum',
  }),
  'another hash for a number': ({ blockNumber, rules }) => ({
    changes: { eth_getBlockByNumber: spoil({ hash: other }) },
    question: ['eth_getBlockByNumber', blockNumber],
    isCaughtAlone: rules === 'ethereum',
  }),
  'no logs': ({ blockHash }) => ({
    changes: { eth_getLogs: instead([]) },
    question: ['eth_getLogs', { blockHash }],
    isCaughtAlone: true,
  }),
  'a log that is missing': ({ blockHash }) => ({
    changes: { eth_getLogs: (all: object[]) => all.slice(1) },
    question: ['eth_getLogs', { blockHash }],
    isCaughtAlone: true,
  }),
  "a log's data": ({ blockHash }) => ({
    changes: { eth_getLogs: spoilEach({ data: '0x01' }) },
    question: ['eth_getLogs', { blockHash }],
    isCaughtAlone: true,
  }),
  'a balance': ({ account, blockHash }) => ({
    changes: { eth_getBalance: instead('0x1') },
    question: ['eth_getBalance', account, blockHash],
    isCaughtAlone: false,
  }),
  'a call': ({ account }) => ({
    changes: { eth_call: instead('0x01') },
    question: ['eth_call', { to: account, data: `0x${'11'.repeat(96)}` }, 'latest'],
    isCaughtAlone: false,
  }),
  'a raw header': ({ blockHash, rules }) => ({
    changes:
      rules === 'rootstock'
        ? { rsk_getRawBlockHeaderByHash: instead('0xc0') }
        : { eth_getBlockByHash: spoil({ extraData: other }) },
    question: ['chain_getRawBlockHeaderByHash', blockHash],
    isCaughtAlone: true,
  }),
  'a raw receipt': ({ hash, rules }) => ({
    changes:
      rules === 'rootstock'
        ? { rsk_getRawTransactionReceiptByHash: instead('0xc0') }
        : { eth_getBlockReceipts: spoilEach({ cumulativeGasUsed: '0x1' }) },
    question: ['chain_getRawTransactionReceiptByHash', hash],
    isCaughtAlone: true,
  }),
  'a proof': ({ blockHash, hash, rules }) => ({
    changes:
      rules === 'rootstock'
        ? { rsk_getTransactionReceiptNodesByHash: (nodes: string[]) => nodes.slice(0, -1) }
        : { eth_getBlockReceipts: (receipts: object[]) => receipts.slice(1) },
    question: ['chain_getTransactionReceiptNodesByHash', blockHash, hash],
    isCaughtAlone: true,
  }),
  "a transaction's value": ({ hash }) => ({
    changes: { eth_getTransactionByHash: spoil({ value: '0x1' }) },
    question: ['eth_getTransactionByHash', hash],
    isCaughtAlone: true,
  }),
  'a trace': ({ hash }) => ({
    changes: { trace_transaction: spoilEach({ subtraces: 7 }) },
    question: ['trace_transaction', hash],
    isCaughtAlone: false,
  }),
  'a nonce': ({ account }) => ({
    changes: { eth_getTransactionCount: instead('0xff') },
    question: ['eth_getTransactionCount', account, 'latest'],
    isCaughtAlone: false,
  }),
}
