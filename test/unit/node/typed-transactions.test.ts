import fc from 'fast-check'
import { concatHex, fromRlp, type Hex, keccak256, toHex, toRlp, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { UntrueAnswer } from '../../../src/chain/rpc.ts'
import { rawTransaction, splitType } from '../../../src/node/objects/block.ts'
import * as encoded from '../../../src/node/objects/encoded-transaction.ts'
import { proveHeader } from '../../../src/node/objects/header.ts'
import { type RawReceipt, rawReceipt } from '../../../src/node/objects/receipt.ts'
import * as trie from '../../../src/node/objects/receipts-trie.ts'
import { parseSignedTransaction } from '../../../src/node/objects/signed-transaction.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { scriptedNode } from '../../support/fake-node.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { holds } from '../../support/properties.ts'
import { type Forged, forge, showing } from '../../support/rskj-node/forge.ts'
import { type Block, readPairs } from '../../support/rskj-node/recording.ts'
import { connectTo, followNodes } from './feed/listener.ts'

type Pair = { method: string; params: readonly Hex[]; result?: object | Hex }

/** Holds what a node with RSKIP-543 and RSKIP-546 answered about transactions of each type. */
const pairs = readPairs<Pair>('rskip546-typed-transactions')
const answered = (method: string) => pairs.filter((pair) => pair.method === method)
const mining = { minDifficulty: 1n, from: 1 }

const laterType = fc.integer({ min: 5, max: 0x7f }).map((each) => toHex(each))

const receiptsOf = (blockHash: string) =>
  answered('eth_getTransactionReceipt')
    .map(({ result }) => rawReceipt.parse(result))
    .filter((receipt) => receipt.blockHash === blockHash)
const blocks = answered('eth_getBlockByHash').map(({ result }) => result as Block)

test.for(blocks)('a block $number with a typed transaction is proved', async (block) => {
  const [typed] = block.transactions
  expect(proveHeader(block, mining)?.trieKind).toBe('rootstock')
  const [raw] = encoded.encodeProvedTransactions(block as never, 'rootstock') ?? []
  expect(parseSignedTransaction(raw ?? '0x')).toMatchObject({ hash: typed?.hash })
  const verified = encoded.verifyTransaction(rawTransaction.parse(typed), 'rootstock')
  expect(await verified).toBe('verified')
  const [receipts, root] = [receiptsOf(block.hash), `${block.receiptsRoot}`]
  const encode = (all: RawReceipt[]) => trie.encodeReceipts(all, root, 'rootstock')
  expect(encode(receipts)).toHaveLength(receipts.length)
  expect(() => encode(receipts.map((one) => ({ ...one, logsBloom: '0x' })))).toThrow(UntrueAnswer)
})

/** Finds where RSKj keeps zeros in front: at the nonce, and at the gas limit. */
const paddedAt = (type: string) => (type === '0x1' ? [1, 3] : type === '0x2' ? [1, 4] : [0, 2])

/** Writes a block's first transaction as another sender may, under its own hash and root. */
function rewrite(block: Block, change: (fields: Hex[], type: string) => Hex[]) {
  const [first, ...others] = encoded.encodeProvedTransactions(block as never, 'rootstock') ?? []
  const { type, rlp } = splitType(first ?? '0x')
  const list = toRlp(change(fromRlp(rlp, 'hex') as Hex[], type))
  const prefix = first?.slice(0, first.length - rlp.length + 2) as Hex
  const bytes = concatHex([prefix, list])
  const [typed, ...rest] = block.transactions
  return {
    ...block,
    transactionsRoot: trie.computeTrieRoot([bytes, ...others], 'rootstock'),
    transactions: [{ ...typed, hash: keccak256(bytes) }, ...rest],
  }
}

const proveTransactions = (block: object) =>
  encoded.encodeProvedTransactions(block as never, 'rootstock')

describe.for(blocks)('in a block $number with a typed transaction', (block) => {
  test('zeros that its sender wrote before nonce and gas limit are found', async () => {
    const written = rewrite(block, (fields, type) =>
      fields.map((field, at) =>
        paddedAt(type).includes(at) ? (`0x0000${field.slice(2)}` as Hex) : field,
      ),
    )
    expect(proveTransactions(written)).toHaveLength(block.transactions.length)
    const [typed] = written.transactions
    const verified = encoded.verifyTransaction(rawTransaction.parse(typed), 'rootstock')
    expect(await verified).toBe('unusual')
  })
})

const listed = blocks.flatMap((block) => {
  const list = { '0x1': 7, '0x2': 8 }[`${(block.transactions[0] as { type?: string }).type}`]
  return list === undefined ? [] : [{ ...block, list }]
})

test.for(listed)('an access list in another RLP is unknown, and no lie', async (block) => {
  const written = rewrite(block, (fields) => fields.with(block.list, '0x05'))
  expect(proveTransactions(written)).toBeUndefined()
  const typed = rawTransaction.parse(written.transactions[0])
  expect(await encoded.verifyTransaction(typed, 'rootstock')).toBe('unknown')
})

function serveChanged(change: (pair: Pair) => unknown) {
  const node = scriptedNode(({ method, params }) => {
    const found = pairs.find((one) => one.method === method && `${one.params}` === `${params}`)
    return found && { result: change(found) }
  })
  return serve(['http://rskj.test/'], 31, node, undefined, { mining })
}

test('receipts and transactions of each type are passed on as the node has them', async () => {
  const { rpc, logged } = await serveChanged(({ result }) => result)
  for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash'])
    for (const { params, result = {} } of answered(method))
      expect((await rpc(method, params)).result, `${params}`).toMatchObject(result as object)
  expect(logged).toEqual([])
})

test('a receipt of an unknown type is a lie, if its transaction has a known one', async () => {
  const { rpc, logged } = await serveChanged((pair) =>
    'status' in Object(pair.result) ? { ...(pair.result as object), type: '0x5' } : pair.result,
  )
  for (const { method, params } of answered('eth_getTransactionReceipt'))
    expect((await rpc(method, params)).error, `${params}`).toBeDefined()
  expect(logged.map(({ event }) => event)).toContain('node.distrusted')
})

test('receipts of a type that is not known yet are proved by either form, or by none', () => {
  const receipts = blocks.flatMap(({ hash }) => receiptsOf(hash).slice(0, 1))
  const property = fc.property(
    laterType,
    fc.nat(receipts.length - 1),
    fc.nat(1),
    (of, index, form) => {
      const all = [{ ...(receipts[index] as RawReceipt), type: of }, receipts[0] as RawReceipt]
      const forms = all.map((one) => trie.listReceiptForms(one, 'rootstock'))
      const bytes = forms.map((each) => each[form] ?? each[0])
      const root = trie.computeTrieRoot(bytes, 'rootstock')
      expect(trie.encodeReceipts(all, root, 'rootstock')).toEqual(bytes)
      expect(trie.encodeReceipts(all, toHex(0, { size: 32 }), 'rootstock')).toBeUndefined()
    },
  )
  fc.assert(property)
})

const sender = privateKeyToAccount(`0x${'05'.repeat(32)}`)
const signed = [1, 2, 3].map(async (nonce) => {
  const fields = { nonce, chainId: 31, gas: 21_000n, gasPrice: 1n, to: zeroAddress }
  const raw = await sender.signTransaction({ ...fields, type: 'legacy' })
  const logs = [{ address: zeroAddress, topics: [], data: toHex(nonce, { size: 32 }) }]
  return { hash: keccak256(raw), raw, from: sender.address.toLowerCase() as Hex, logs }
})

const hosts = ['first.test', 'second.test', 'third.test']

test('a block of a type that is not known yet is told as nodes agree, and makes no liar', async () => {
  const sent = await Promise.all(signed)
  const known: Forged[] = []
  for (const one of sent) known.push(forge(known.at(-1), { sent: [{ ...one, status: '0x1' }] }))
  const property = fc.asyncProperty(laterType, fc.constantFrom(0, 1, 2, 3), async (type, liar) => {
    const retype = <One extends object>(one: One) => ({ ...one, type })
    const show = (place: number): Forged[] =>
      known.map((block, index) => {
        const receipts = block.receipts.map((one) =>
          place === liar ? { ...one, status: '0x0' } : one,
        )
        const transactions = block.transactions.map(retype)
        return index === 1 ? { ...block, transactions, receipts: receipts.map(retype) } : block
      })
    const chains = new Map(hosts.map((host, place) => [host, show(place)]))
    const showTo = (host: string) => chains.get(host) ?? []
    const nodes = showing(showTo, {
      eth_getLogs([filter], host) {
        const { blockHash, fromBlock } = Object(filter)
        const isIn = (one: RawReceipt) =>
          fromBlock ? one.blockNumber >= fromBlock : one.blockHash === blockHash
        const all = showTo(host).flatMap(({ receipts }) => receipts)
        return all.filter(isIn).flatMap(({ logs }) => logs)
      },
    })
    for (const count of [1, 3]) {
      const urls = hosts.slice(0, count).map((host) => `http://${host}/`)
      const { rpc, logged } = await serve(urls, 31, nodes, createHandClock(), { mining })
      for (const [index, { hash }] of sent.entries()) {
        const status = index === 1 && count === 1 && liar === 0 ? '0x0' : '0x1'
        const { result } = await rpc('eth_getTransactionReceipt', [hash])
        expect(result).toMatchObject({ status, type: index === 1 ? type : '0x0' })
        expect((await rpc('eth_getLogs', [{ blockHash: known[index]?.hash }])).result).toHaveLength(
          1,
        )
      }
      const range = { fromBlock: '0x1', toBlock: '0x3' }
      expect((await rpc('eth_getLogs', [range])).result).toHaveLength(3)
      expect(new Set(logged.map(({ event }) => event))).toEqual(new Set(['node.unproved']))
    }
  })
  await holds(property, { sampled: 8, full: 200 })
})

test('500 listeners get each head and log while one block in three is typed, or of an unknown type', async () => {
  const [types, fees] = [['0x0', '0x2', '0x7'], { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }]
  const blocks: Forged[] = [forge(undefined, {})]
  const log = { address: zeroAddress, topics: [], data: toHex(1, { size: 32 }) }
  const node = showing(() => blocks)
  const { service } = await serve(['http://a.test/'], 31, node, undefined, { mining })
  const feed = followNodes({ service, clock: createHandClock(0.001) })
  const listeners = Array.from({ length: 500 }, (_, index) =>
    connectTo(feed, { keyHash: `${index}` }),
  )
  await Promise.all(
    listeners.map(({ subscribe }, index) => subscribe(index % 2 === 0 ? 'newHeads' : 'logs')),
  )
  feed.follow()
  for (let nonce = 1; nonce <= 9; nonce += 1) {
    const type = `${types[nonce % 3]}`
    const fields = { nonce, chainId: 31, gas: 21_000n, to: zeroAddress }
    const raw = await sender.signTransaction(
      type === '0x2' ? { ...fields, ...fees } : { ...fields, gasPrice: 1n },
    )
    const from = sender.address.toLowerCase() as Hex
    const sent = [{ hash: keccak256(raw), raw, from, logs: [log], status: '0x1' as const }]
    const block = forge(blocks.at(-1), { sent })
    const retype = <One extends object>(one: One) => ({ ...one, type })
    const [transactions, receipts] = [block.transactions.map(retype), block.receipts.map(retype)]
    blocks.push({ ...block, transactions, receipts })
    await until(() => listeners.every(({ sent }) => sent.length === 1 + nonce), { everyMs: 2 })
  }
  const numbers = blocks.slice(1).map(({ number }) => number)
  for (const { told, closings } of listeners) {
    const places = told().map(({ number, blockNumber }) => number ?? blockNumber)
    expect([places, closings]).toEqual([numbers, []])
  }
})
