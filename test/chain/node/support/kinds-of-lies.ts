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
const withoutFirst = (all: unknown[]) => all.slice(1)
const withoutLast = (all: unknown[]) => all.slice(0, -1)

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

/** Lists a node's lies; Rootstock's unknown header forms are believed, also when wrong. */
export const kindsOfLies: Readonly<Record<string, (of: Subject) => Kind>> = {
  "a receipt's status": ({ hash }) => found('eth_getTransactionReceipt', flip, [hash]),
  'a header under the asked hash': ({ blockHash, rules }) =>
    kindOf(rules === 'ethereum')('eth_getBlockByHash', spoil({ gasUsed: '0x1' }), [blockHash]),
  'another hash for a number': ({ blockNumber, rules }) =>
    kindOf(rules === 'ethereum')('eth_getBlockByNumber', spoil({ hash: other }), [blockNumber]),
  'no logs': ({ blockHash }) => found('eth_getLogs', instead([]), [{ blockHash }]),
  'a log that is missing': ({ blockHash }) => found('eth_getLogs', withoutFirst, [{ blockHash }]),
  "a log's data": ({ blockHash }) =>
    found('eth_getLogs', spoilEach({ data: '0x01' }), [{ blockHash }]),
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
