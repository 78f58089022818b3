import { fromRlp, type Hex, keccak256, toRlp } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Transaction } from '../../../src/node/objects/block.ts'
import { encodeProvedTransactions } from '../../../src/node/objects/encoded-transaction.ts'
import {
  decodeHeader,
  encodeQuantity,
  encodeRootstockForms,
  proveHeader,
} from '../../../src/node/objects/header.ts'
import type { RawReceipt } from '../../../src/node/objects/receipt.ts'
import { computeTrieRoot } from '../../../src/node/objects/receipts-trie.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { answeringNode, type Call, changeResult } from '../../support/fake-node.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { rebuilt } from '../../support/rskj-node/mined.ts'
import {
  type Block,
  type Rules,
  readFullBlock,
  readRecording,
} from '../../support/rskj-node/recording.ts'
import { replay } from '../../support/rskj-node/replay.ts'

type Lie = (result: never, call: Call) => unknown

/** Are a chain on which any work is enough, and one with blocks far above it. */
const anyWork = { minDifficulty: 1n, from: 1 }

const recordings = (['main-network', 'regtest'] as const).map((rules): [Rules, Block[]] => [
  rules,
  readRecording(rules).blocks.filter(({ number }) => number !== '0x0'),
])

describe.each(recordings)("a block under %s's rules proves itself", (rules, blocks) => {
  test('by its hash, its raw header, the work in it, and its transactions', () => {
    const { pairs } = readRecording(rules)
    expect(blocks.length).toBeGreaterThan(11)
    for (const block of blocks) {
      const method = 'rsk_getRawBlockHeaderByNumber'
      const raw = pairs.find((pair) => pair.method === method && pair.params[0] === block.number)
      expect(proveHeader(block, anyWork)).toEqual({ raw: raw?.result, trieKind: 'rootstock' })
      const { length } = block.transactions
      expect(encodeProvedTransactions(block as never, 'rootstock')).toHaveLength(length)
    }
  })

  test('and its raw header is read again, whatever its version and parts are', () => {
    for (const parts of [{}, { rskPteEdges: [1, 300] }, { baseEvent: '0x1234', uncles: ['0x'] }]) {
      for (const block of blocks.map((one) => ({ ...one, ...parts }))) {
        for (const { raw, hashed } of encodeRootstockForms(block)) {
          const header = decodeHeader(raw)
          expect(header?.hash).toBe(keccak256(hashed))
          expect(Number(header?.number)).toBe(Number(block.number))
          const longer = raw.replace(/^0xf9/, '0xfa00') as Hex
          expect(decodeHeader(longer)).toBeUndefined()
        }
      }
    }
    expect(decodeHeader('0xc0')).toBeUndefined()
    expect(decodeHeader('0x80')).toBeUndefined()
  })

  test('and version 2 hashes event and edges in the place of the bloom (RSKIP535)', () => {
    const [block] = blocks as [Block]
    const forms = encodeRootstockForms({ ...block, rskPteEdges: [1, 300], baseEvent: '0x1234' })
    const extended = toRlp([keccak256(block.logsBloom as Hex), '0x1234', '0x01002c01'])
    const summary = toRlp(['0x02', keccak256(extended)])
    expect(forms.map(({ hashed }) => fromRlp(hashed)[6])).toContain(summary)
  })

  test('and does not if any part of its header is changed', () => {
    const [block] = blocks as [Block]
    const proved = [
      ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot'],
      ...['logsBloom', 'difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'extraData'],
      ...['paidFees', 'minimumGasPrice', 'bitcoinMergedMiningHeader', 'hash'],
    ]
    for (const name of proved) {
      const value = `${block[name]}`
      const other = `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}`
      expect(proveHeader({ ...block, [name]: other }, undefined), name).toBe(undefined)
    }
    expect(proveHeader({ ...block, uncles: ['0x'] }, undefined)).toBe(undefined)
  })

  test('and was not mined if the Bitcoin block belongs to another', () => {
    const [block, other] = blocks as [Block, Block]
    const proving = (changed: object, rules = anyWork) =>
      proveHeader({ ...block, ...changed }, rules)
    const coinbase = `${block.bitcoinMergedMiningCoinbaseTransaction}00`
    const merkle = `${block.bitcoinMergedMiningMerkleProof}`
    const { bitcoinMergedMiningCoinbaseTransaction } = other
    for (const changed of [
      { bitcoinMergedMiningCoinbaseTransaction: coinbase },
      { bitcoinMergedMiningCoinbaseTransaction: undefined },
      { bitcoinMergedMiningCoinbaseTransaction },
      { bitcoinMergedMiningMerkleProof: `${merkle}00` },
      { bitcoinMergedMiningMerkleProof: `${merkle}${'00'.repeat(32)}` },
    ])
      expect(() => proving(changed)).toThrow('nobody mined')
    const dearer = { ...anyWork, minDifficulty: 2n }
    expect(() => proving({}, dearer)).toThrow('below that of its network')
    expect(proving({}, { ...anyWork, from: 10 ** 6 })).toBe(undefined)
  })
})

const recording = readRecording('main-network')
const [block] = recording.blocks.filter(({ number }) => number === '0x2a') as [Block]

describe('a transaction whose sender wrote zeros before its nonce and gas limit, as RSKj keeps them', () => {
  const [usual] = block.transactions as unknown as [Transaction]
  const zeros = (count: number, number: Hex): Hex => `0x${'00'.repeat(count)}${number.slice(2)}`
  const written = (ofNonce: number, ofGas: number, more: object = {}) => {
    const one = { ...usual, transactionIndex: '0x0', blockHash: block.hash, ...more }
    const part = (name: string) => (one as Record<string, Hex | undefined>)[name] ?? '0x'
    const quantity = (name: string) => encodeQuantity(part(name))
    const [nonce, gas] = [zeros(ofNonce, quantity('nonce')), zeros(ofGas, quantity('gas'))]
    const fields = [nonce, quantity('gasPrice'), gas, part('to'), quantity('value'), part('input')]
    const bytes = toRlp([...fields, ...['v', 'r', 's'].map(quantity)])
    const transactionsRoot = computeTrieRoot([bytes], 'rootstock')
    return { ...block, transactionsRoot, transactions: [{ ...one, hash: keccak256(bytes) }] }
  }
  const proveWith = (changed: object) => () =>
    encodeProvedTransactions(changed as never, 'rootstock')

  const zerosOf = ['0 and 0', '0 and 1', '1 and 0', '7 and 29', '31 and 29']
  test.for(zerosOf)('%s of them, is found, and a lie about it too', (zeros) => {
    const [ofNonce = 0, ofGas = 0] = zeros.split(' and ').map(Number)
    const own = written(ofNonce, ofGas)
    expect(proveWith(own)()).toHaveLength(1)
    const [lied] = own.transactions
    expect(proveWith({ ...own, transactions: [{ ...lied, value: '0x7' }] })).toThrow('does not fit')
  })

  test('is not called a lie if the search would take too long', () => {
    const long = written(9, 9, { input: `0x${'11'.repeat(60_000)}` })
    expect(proveWith(long)()).toBe(undefined)
  })
})

const hash = readFullBlock().transactions[0]?.hash ?? ''
const names = ['node-1', 'node-2', 'node-3']

/** Creates three nodes of the recorded chain, of which some lie. */
function nodesOf(liars: readonly number[], said: ReadonlyMap<string, Lie>): typeof fetch {
  const honest = replay(recording)
  return answeringNode((call, host) => {
    const lie = liars.includes(names.indexOf(host)) ? said.get(call.method) : undefined
    return changeResult(honest.say(call), (result) => (lie ? lie(result, call) : result))
  })
}

const urlsOf = (count: number) => names.slice(0, count).map((name) => `http://${name}/`)
const believed = { code: -32011, message: 'no node gave an answer that can be believed' }

describe.each([
  ['without any work', false],
  ['with work of a lower difficulty', true],
])('a block whose receipts, root, header and hash fit each other, %s', (_, mines) => {
  const answers = recording.pairs.filter(({ method }) => method === 'eth_getTransactionReceipt')
  const receiptOf = (hash: unknown) => answers.find(({ params }) => params[0] === hash)?.result
  const receipts = block.transactions.map((one) => receiptOf(one.hash) as RawReceipt)
  const [{ status }] = receipts as [RawReceipt]
  const other = status === '0x1' ? '0x0' : '0x1'
  const forgedReceipts = receipts.map((one) => ({ ...one, status: other }))
  const lower = mines ? { ...block, difficulty: '0x0' } : block
  const forged = rebuilt(lower, forgedReceipts, mines)
  const moved = <One extends object>(one: One) => ({ ...one, blockHash: forged.hash })
  const full = { ...forged, transactions: forged.transactions.map(moved) }
  const forgedOne: Lie = (_, { params }) => {
    const own = forgedReceipts.find(({ transactionHash }) => transactionHash === params[0])
    return own && moved({ ...own, logs: own.logs.map(moved) })
  }
  const said = new Map<string, Lie>([
    ['eth_getTransactionReceipt', forgedOne],
    ['eth_getBlockByNumber', () => full],
    ['eth_getBlockByHash', () => full],
    ['rsk_getTransactionReceiptNodesByHash', () => null],
  ])
  /** Serves a lying node's block under its new hash only. */
  const nodes = (liars: number[]): typeof fetch => {
    const inner = nodesOf(liars, said)
    return (input, init) =>
      inner(input, { ...init, body: `${init?.body}`.replaceAll(forged.hash, block.hash) })
  }
  const open = (count: number, liars: number[], mining?: typeof anyWork) =>
    serve(urlsOf(count), 31, nodes(liars), createHandClock(), { mining })

  test('is trusted on a chain without mining', async () => {
    const served = await open(1, [0])
    const { result } = await served.rpc('eth_getTransactionReceipt', [hash])
    expect(result).toMatchObject({ status: other, blockHash: forged.hash })
  })

  test('shows no receipt if it is the only node', async () => {
    const served = await open(1, [0], anyWork)
    expect((await served.rpc('eth_getTransactionReceipt', [hash])).error).toEqual(believed)
    expect((await served.rpc('eth_getBlockByNumber', ['0x2a'])).error).toEqual(believed)
  })

  test.for([0, 1, 2])('is never the answer from node %i of three', async (place) => {
    const served = await open(3, [place], anyWork)
    const receipt = await served.rpc('eth_getTransactionReceipt', [hash])
    expect(receipt.result).toMatchObject({ status, blockHash: block.hash })
    const distrusted = served.logged.filter(({ event }) => event === 'node.distrusted')
    expect(distrusted.every(({ node }) => node === `node ${place + 1}`)).toBe(true)
  })
})
