import type { Hex } from 'viem'

/** Describes a chain's rules and what its nodes lie about: a transaction, its block, an account. */
export type Subject = {
  rules: 'rootstock' | 'ethereum'
  hash: string
  blockHash: string
  blockNumber: string
  account: string
}

/** Adds what a node of Ethereum's kind mixes up: another transaction, and a block of many logs. */
export type MixedSubject = Subject & {
  other: { hash: string; block: { hash: string } }
  floodedBlock: string
}

type Kind = {
  /** Changes results, by method; undefined leaves one as it is. */
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
const none = () => []
const withoutFirst = <One>(all: One[]) => all.slice(1)
const withoutLast = <One>(all: One[]) => all.slice(0, -1)

/** Names a lie about a method, and what is asked to see it, where that is another method. */
const kindOf =
  (isCaughtAlone: boolean) =>
  (
    method: string,
    change: (result: never) => unknown,
    params: unknown[],
    asked = method,
  ): Kind => ({
    ...{ changes: { [method]: change }, question: [asked, ...params], isCaughtAlone },
  })
const [found, counted] = [kindOf(true), kindOf(false)]

/** Names a lie about the logs in receipts, from which those of one block are taken. */
function foundInReceipts(change: (logs: object[]) => object[], params: unknown[]): Kind {
  const spoilLogs = (one: { logs: object[] }) =>
    one.logs.length === 0 ? undefined : { ...one, logs: change(one.logs) }
  const changes = {
    eth_getBlockReceipts: (all: { logs: object[] }[]) => all.map((one) => spoilLogs(one) ?? one),
    eth_getTransactionReceipt: spoilLogs,
  }
  return { changes, question: ['eth_getLogs', ...params], isCaughtAlone: true }
}

/** Lists a node's lies; Rootstock's unknown header forms are believed, also when wrong. */
export const kindsOfLies: Readonly<Record<string, (of: Subject) => Kind>> = {
  "a receipt's status": ({ hash }) => found('eth_getTransactionReceipt', flip, [hash]),
  'a header under the asked hash': ({ blockHash, rules }) =>
    kindOf(rules === 'ethereum')('eth_getBlockByHash', spoil({ gasUsed: '0x1' }), [blockHash]),
  'another hash for a number': ({ blockNumber, rules }) =>
    kindOf(rules === 'ethereum')('eth_getBlockByNumber', spoil({ hash: other }), [blockNumber]),
  'no logs': ({ blockHash }) => foundInReceipts(none, [{ blockHash }]),
  'a log that is missing': ({ blockHash }) => foundInReceipts(withoutFirst, [{ blockHash }]),
  "a log's data": ({ blockHash }) => foundInReceipts(spoilEach({ data: '0x01' }), [{ blockHash }]),
  'a balance': ({ account, blockHash }) =>
    counted('eth_getBalance', instead('0x1'), [account, blockHash]),
  'a call': ({ account }) => {
    const call = { to: account, data: `0x${'11'.repeat(96)}` }
    return counted('eth_call', instead('0x01'), [call, 'latest'])
  },
  'a raw header': ({ blockHash, rules }) => {
    const [asked, params] = ['chain_getRawBlockHeaderByHash', [blockHash]]
    return rules === 'rootstock'
      ? found('rsk_getRawBlockHeaderByHash', instead('0xc0'), params, asked)
      : found('eth_getBlockByHash', spoil({ extraData: other }), params, asked)
  },
  'a raw receipt': ({ hash, rules }) => {
    const asked = 'chain_getRawTransactionReceiptByHash'
    return rules === 'rootstock'
      ? found('rsk_getRawTransactionReceiptByHash', instead('0xc0'), [hash], asked)
      : found('eth_getBlockReceipts', spoilEach({ cumulativeGasUsed: '0x1' }), [hash], asked)
  },
  'a proof': ({ blockHash, hash, rules }) => {
    const [asked, params] = ['chain_getTransactionReceiptNodesByHash', [blockHash, hash]]
    return rules === 'rootstock'
      ? found('rsk_getTransactionReceiptNodesByHash', withoutLast, params, asked)
      : found('eth_getBlockReceipts', withoutFirst, params, asked)
  },
  "a transaction's value": ({ hash }) =>
    found('eth_getTransactionByHash', spoil({ value: '0x1' }), [hash]),
  'a trace': ({ hash }) => counted('trace_transaction', spoilEach({ subtraces: 7 }), [hash]),
  'a nonce': ({ account }) =>
    counted('eth_getTransactionCount', instead('0xff'), [account, 'latest']),
}

const byNumber = 'eth_getBlockByNumber'
const proof = 'chain_getTransactionReceiptNodesByHash'
const elsewhere = ({ other }: MixedSubject) => ({ blockHash: other.block.hash })
const spoilFirst =
  (members: object) =>
  ([first, ...rest]: object[]) => [{ ...first, ...members }, ...rest]
const upTo = (toBlock: string, more: object = {}) => [{ fromBlock: '0x0', toBlock, ...more }]

/** Lists more lies of a node of Ethereum's kind, which are all found. */
export const liesOfEthereum: Readonly<Record<string, (of: MixedSubject) => Kind>> = {
  'a state root': ({ hash, blockHash }) =>
    found('eth_getBlockByHash', spoil({ stateRoot: hash }), [blockHash]),
  'a timestamp, by number': ({ blockNumber }) =>
    found(byNumber, spoil({ timestamp: '0x1' }), [blockNumber]),
  'the hash of a whole block': ({ hash, blockNumber }) =>
    found(byNumber, spoil({ hash }), [blockNumber, true]),
  'a block, which is another': ({ blockHash, other }) =>
    found('eth_getBlockByHash', instead(other.block), [blockHash]),
  'a block, without a hash': ({ blockNumber }) =>
    found(byNumber, spoil({ hash: null }), [blockNumber]),
  'a status in a proof': ({ blockHash, hash }) =>
    found('eth_getBlockReceipts', spoilFirst({ status: '0x0' }), [blockHash, hash], proof),
  'a receipts root': ({ hash }) => {
    const asked = 'chain_getRawTransactionReceiptByHash'
    return found('eth_getBlockByHash', spoil({ receiptsRoot: hash }), [hash], asked)
  },
  "a receipt, which is another's": ({ hash, other }) =>
    found('eth_getTransactionReceipt', spoil({ transactionHash: other.hash }), [hash]),
  'a transaction, which is another': ({ hash, other }) =>
    found('eth_getTransactionByHash', spoil({ hash: other.hash }), [hash]),
  "a transaction's block": (of) => {
    const params = [of.blockHash, '0x0']
    return found('eth_getTransactionByBlockHashAndIndex', spoil(elsewhere(of)), params)
  },
  'the last log': ({ blockHash }) => foundInReceipts(withoutLast, [{ blockHash }]),
  'no logs, by number': ({ blockNumber }) =>
    foundInReceipts(none, upTo(blockNumber, { fromBlock: blockNumber })),
  'all logs but a thousand': ({ blockNumber, floodedBlock }) => {
    const cut = (all: object[]) => (all.length > 1_000 ? all.slice(0, 1_000) : undefined)
    return found('eth_getLogs', cut, upTo(floodedBlock, { fromBlock: blockNumber }))
  },
  "logs' block": (of) => foundInReceipts(spoilEach(elsewhere(of)), [{ blockHash: of.blockHash }]),
  "logs' address": ({ hash, account }) => {
    const params = upTo('latest', { address: account })
    return found('eth_getLogs', spoilEach({ address: hash.slice(0, 42) }), params)
  },
  'logs, each twice': () =>
    found('eth_getLogs', (all: object[]) => [...all, ...all], upTo('latest')),
  "logs' numbers, which are later": ({ blockNumber }) =>
    found('eth_getLogs', spoilEach({ blockNumber: '0xff' }), upTo(blockNumber)),
  "traces' block": (of) => found('trace_block', spoilEach(elsewhere(of)), [of.blockHash]),
  "a transaction's traces": ({ blockHash }) => found('trace_block', withoutFirst, [blockHash]),
  "traces' transaction": ({ hash, other }) =>
    found('trace_transaction', spoilEach({ transactionHash: other.hash }), [hash]),
  'a balance, which is no number': ({ account }) =>
    found('eth_getBalance', instead('lots'), [account]),
  'code, which is no text': ({ account }) => found('eth_getCode', instead({}), [account, 'latest']),
}
