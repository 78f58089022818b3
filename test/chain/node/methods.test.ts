import { createMPTFromProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { type Address, type Hex, hexToBytes, keccak256 } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { exchange } from '../../../scripts/dev/rpc.ts'
import { methods } from '../../../src/node/methods/list.ts'
import { opened } from '../../support/opened.ts'
import {
  beforeABlock,
  deployCaller,
  emit,
  emitterCode,
  mined,
  sender,
  signTransfer,
  topic,
} from './support/anvil-rpc.ts'
import { openWorker } from './support/open.ts'
import type { Answer } from './support/serve.ts'
import { connectSocket } from './support/socket-client.ts'

const nowhere = `0x${'99'.repeat(32)}`
type Json = Record<string, unknown>
type Rpc = (method: string, params?: readonly unknown[]) => Promise<Answer>

const on = opened(() => openWorker())
let caller: Address
/** A transaction with one log; the block that holds it and nothing else of ours. */
let logged: { hash: Hex; block: Json }

beforeAll(async () => {
  caller = await deployCaller(on.direct)
  const hash = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  const { blockHash } = await mined(on.direct, hash)
  const block = (await on.direct('eth_getBlockByHash', [blockHash, false])) as Json
  logged = { hash, block }
})

const blockAt = async (selector: unknown): Promise<Json> =>
  (await on.direct('eth_getBlockByNumber', [selector, false])) as Json

/** The transaction that deployed the emitter. */
const readDeployment = async () => ((await blockAt('0x1')).transactions as Hex[])[0]

const overHttp: Rpc = async (method, params) =>
  (await exchange(on.worker.rpcUrl, method, params)).answer as Answer

describe.each(['HTTP', 'WebSocket'])('over %s', (line) => {
  let rpc = overHttp

  beforeAll(async () => {
    if (line === 'WebSocket') rpc = (await connectSocket(on.worker.wsUrl)).rpc
  })

  /** The result, which is what the method's own schema says, to the last field. */
  async function result<T = Json>(method: string, ...params: unknown[]): Promise<T> {
    const answer = await rpc(method, params)
    expect(answer.error, `${method} ${JSON.stringify(params)}`).toBeUndefined()
    const { result: schema } = methods.find(({ name }) => name === method) ?? {}
    expect(schema?.parse(answer.result), method).toEqual(answer.result)
    return answer.result as T
  }

  async function refusal(method: string, ...params: unknown[]) {
    const { error } = await rpc(method, params)
    return error ?? { code: 0, message: 'no error' }
  }

  describe('eth', () => {
    test('methods without parameters describe the network, its node and the service', async () => {
      for (const [method, answer] of [
        ['eth_accounts', []],
        ['eth_chainId', '0x1f'],
        ['net_version', '31'],
        ['eth_blockNumber', await on.direct('eth_blockNumber')],
        ['eth_gasPrice', await on.direct('eth_gasPrice')],
        ['eth_protocolVersion', '0x1'],
        ['chain_protocolVersion', '0x1'],
        ['web3_clientVersion', expect.stringMatching(/^anvil/)],
      ] as const) {
        expect(await result(method), method).toEqual(answer)
      }
      const hashed = '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad'
      expect(await result('web3_sha3', '0x68656c6c6f20776f726c64')).toBe(hashed)
    })

    test('eth_call gives the output and makes no transaction', async () => {
      const before = await on.direct('eth_blockNumber')
      const data = `0x${topic(1n).slice(2)}${topic(2n).slice(2)}${topic(7n).slice(2)}`
      for (const given of [{ data }, { input: data }, { data, input: data }]) {
        expect(await result('eth_call', { to: on.emitter, ...given }, 'latest')).toBe(topic(7n))
      }
      expect(await on.direct('eth_blockNumber')).toBe(before)
    })

    test('eth_call passes the revert of a contract on', async () => {
      const reverted = await refusal('eth_call', { to: on.emitter }, 'latest')
      expect(reverted).toMatchObject({ code: 3, data: '0x' })
    })

    test('eth_estimateGas simulates and does not send', async () => {
      const call = { from: sender, to: `0x${'ab'.repeat(20)}`, value: '0x1' }
      for (const block of [[], ['latest']]) {
        expect(await result('eth_estimateGas', call, ...block)).toBe('0x5208')
      }
      expect(await on.direct('eth_getBalance', [call.to, 'latest'])).toBe('0x0')
    })

    test('eth_estimateGas without a receiver estimates a deployment', async () => {
      const [data, input] = [emitterCode, emitterCode]
      const estimate = await on.direct('eth_estimateGas', [{ from: sender, data }])
      for (const call of [{ data }, { input }, { data, input }, { data, input: null }]) {
        expect(await result('eth_estimateGas', { from: sender, ...call })).toBe(estimate)
        expect(await result('eth_estimateGas', { from: sender, ...call, to: null })).toBe(estimate)
      }
    })

    test('eth_estimateGas refuses a sender that cannot pay, even if the node does not check', async () => {
      const poor = `0x${'cd'.repeat(20)}`
      const call = { from: poor, to: sender, value: '0x1' }
      await on.direct('anvil_setBalance', [poor, '0x0'])
      expect(await on.direct('eth_estimateGas', [call])).toBe('0x5208')
      const refused = { code: -32000, message: 'insufficient funds for transfer' }
      expect(await refusal('eth_estimateGas', call)).toEqual(refused)
      await on.direct('anvil_setBalance', [poor, '0x1'])
      expect(await result('eth_estimateGas', call)).toBe('0x5208')
      const dear = await refusal('eth_estimateGas', { ...call, gasPrice: '0x77359400' })
      const message = expect.stringMatching(/insufficient funds/i)
      expect(dear).toMatchObject({ code: -32000, message })
    })

    test('eth_getBalance and eth_getTransactionCount read at a number, a hash and a tag, by default the latest', async () => {
      const account = `0x${'a1'.repeat(20)}`
      await on.direct('anvil_setBalance', [account, '0xde'])
      await on.direct('evm_mine')
      const { number, hash } = await blockAt('latest')
      const selectors = [[], [null], ['latest'], ['pending'], [number], [hash]]
      const canonical = [{}, { requireCanonical: false }, { requireCanonical: true }]
      const byHash = canonical.map((more) => ({ blockHash: hash, ...more }))
      const objects = [...byHash, { blockNumber: number }]
      for (const selector of [...selectors, ...objects.map((one) => [one])]) {
        const words = JSON.stringify(selector)
        expect(await result('eth_getBalance', account, ...selector), words).toBe('0xde')
      }
      expect(await result('eth_getBalance', account, 'earliest')).toBe('0x0')
      expect(await result('eth_getBalance', account, '0x0')).toBe('0x0')
      expect((await refusal('eth_getBalance', account, '0xffffff')).code).not.toBe(0)

      const count = await on.direct('eth_getTransactionCount', [sender, 'latest'])
      for (const selector of selectors.filter(([one]) => one !== null)) {
        expect(await result('eth_getTransactionCount', sender, ...selector)).toBe(count)
      }
      expect(await result('eth_getTransactionCount', sender, 'earliest')).toBe('0x0')
    })

    test('eth_getCode and eth_getStorageAt read at a number, a hash and a tag', async () => {
      const { number, hash } = logged.block
      for (const block of ['latest', number, hash, { blockHash: hash, requireCanonical: true }]) {
        expect(await result('eth_getCode', on.emitter, block)).toMatch(/^0x3615/)
        expect(await result('eth_getStorageAt', on.emitter, '0x0', block)).toBe(topic(0n))
      }
      expect(await result('eth_getCode', `0x${'00'.repeat(19)}99`, 'latest')).toBe('0x')
      await on.direct('anvil_setStorageAt', [on.emitter, topic(5n), topic(6n)])
      expect(await result('eth_getStorageAt', on.emitter, '0x5', 'latest')).toBe(topic(6n))
    })

    test('a block has every field, by number, hash and tag', async () => {
      const { number, hash } = logged.block
      const byNumber = await result('eth_getBlockByNumber', number)
      expect(byNumber).toMatchObject(logged.block)
      expect(await result('eth_getBlockByHash', hash)).toEqual(byNumber)
      const receipt = (await on.direct('eth_getTransactionReceipt', [logged.hash])) as Json
      const fees = BigInt(receipt.gasUsed as Hex) * BigInt(receipt.effectiveGasPrice as Hex)
      expect(byNumber).toMatchObject({
        transactions: logged.block.transactions,
        paidFees: `0x${fees.toString(16)}`,
        minimumGasPrice: logged.block.baseFeePerGas,
        cumulativeDifficulty: '0x0',
        totalDifficulty: '0x0',
        hashForMergedMining: null,
        bitcoinMergedMiningHeader: null,
        bitcoinMergedMiningCoinbaseTransaction: null,
        bitcoinMergedMiningMerkleProof: null,
      })
      const genesis = await result('eth_getBlockByNumber', 'earliest', false)
      expect(genesis).toMatchObject({ number: '0x0', paidFees: '0x0' })
      const latest = await result('eth_getBlockByNumber', 'latest')
      expect(latest.hash).toBe((await blockAt('latest')).hash)
    })

    test('a block holds whole transactions when it is asked to', async () => {
      const block = await result('eth_getBlockByHash', logged.block.hash, true)
      const [transaction] = block.transactions as Json[]
      expect(transaction).toEqual(await result('eth_getTransactionByHash', logged.hash))
    })

    test('a missing block, transaction, receipt or count is null', async () => {
      const byHash = [
        ...['eth_getBlockByHash', 'eth_getTransactionByHash', 'eth_getTransactionReceipt'],
        ...['eth_getBlockTransactionCountByHash', 'eth_getUncleCountByBlockHash', 'trace_block'],
        ...['chain_getRawBlockHeaderByHash', 'chain_getRawTransactionReceiptByHash'],
        'trace_transaction',
      ]
      const byNumber = [
        ...['eth_getBlockByNumber', 'eth_getBlockTransactionCountByNumber', 'trace_block'],
        ...['eth_getUncleCountByBlockNumber', 'chain_getRawBlockHeaderByNumber'],
      ]
      for (const [method, ...params] of [
        ...byHash.map((method) => [method, nowhere] as const),
        ...byNumber.map((method) => [method, '0xffffff'] as const),
        ['eth_getTransactionByBlockHashAndIndex', nowhere, '0x0'],
        ['eth_getTransactionByBlockHashAndIndex', logged.block.hash, '0x2'],
        ['eth_getTransactionByBlockNumberAndIndex', '0xffffff', '0x0'],
        ['chain_getTransactionReceiptNodesByHash', nowhere, logged.hash],
        ['chain_getTransactionReceiptNodesByHash', logged.block.hash, nowhere],
      ] as const) {
        expect(await result(method, ...params), method).toBeNull()
      }
    })

    test('counts and positions of transactions and uncles', async () => {
      const { number, hash } = logged.block
      expect(await result('eth_getBlockTransactionCountByHash', hash)).toBe('0x1')
      expect(await result('eth_getBlockTransactionCountByNumber', number)).toBe('0x1')
      expect(await result('eth_getBlockTransactionCountByNumber', 'earliest')).toBe('0x0')
      expect(await result('eth_getUncleCountByBlockHash', hash)).toBe('0x0')
      expect(await result('eth_getUncleCountByBlockNumber', number)).toBe('0x0')
      const transaction = await result('eth_getTransactionByHash', logged.hash)
      for (const [by, block] of [
        ['Hash', hash],
        ['Number', number],
      ]) {
        const found = await result(`eth_getTransactionByBlock${by}AndIndex`, block, '0x0')
        expect(found).toEqual(transaction)
      }
    })

    test('a receipt has every field, and exactly one of status and root', async () => {
      const receipt = await result('eth_getTransactionReceipt', logged.hash)
      expect(receipt).toMatchObject({ status: '0x1', to: on.emitter, contractAddress: null })
      expect(receipt).not.toHaveProperty('root')
      const [log] = receipt.logs as Json[]
      expect(log).not.toHaveProperty('removed')
    })

    test('the receipts of a block are those of its transactions', async () => {
      const receipt = await result('eth_getTransactionReceipt', logged.hash)
      const { blockHash, blockNumber } = receipt as Record<string, string>
      const all = (await result('eth_getBlockReceipts', blockHash)) as unknown as Json[]
      expect(all).toContainEqual(receipt)
      expect(await result('eth_getBlockReceipts', blockNumber)).toEqual(all)
      expect(await result('eth_getBlockReceipts', '0xffffff')).toBe(null)
    })

    test('the receipt of a deployment names the contract and no receiver', async () => {
      const hash = await readDeployment()
      const receipt = await result('eth_getTransactionReceipt', hash)
      expect(receipt).toMatchObject({ contractAddress: on.emitter, to: null })
      expect(await result('eth_getTransactionByHash', hash)).toMatchObject({ to: null })
    })

    test('eth_sendRawTransaction answers the hash of the bytes, also the second time', async () => {
      const raw = await signTransfer(on.direct, sender)
      await beforeABlock(on.direct, async () => {
        for (const _ of ['once', 'again'])
          expect(await result('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
      })
      const receipt = await result('eth_getTransactionReceipt', keccak256(raw))
      expect(receipt.status).toBe('0x1')
      expect((await refusal('eth_sendRawTransaction', raw)).message).toMatch(/nonce too low/i)
      expect((await refusal('eth_sendRawTransaction', '0x1234')).code).toBe(-32602)
    })

    test('what is pending has no block, and a pending block no number, hash or bloom', async () => {
      await beforeABlock(on.direct, async () => {
        const hash = await emit(on.direct, on.emitter, 4n, 5n, 6n)
        const nothing = { blockHash: null, blockNumber: null, transactionIndex: null }
        expect(await result('eth_getTransactionByHash', hash)).toMatchObject(nothing)
        expect(await result('eth_getTransactionReceipt', hash)).toBeNull()
        const pending = await result('eth_getBlockByNumber', 'pending', true)
        expect(pending).toMatchObject({ number: null, hash: null, logsBloom: null })
        expect(pending.transactions).toMatchObject([{ hash, ...nothing }])
        expect(await result('chain_getRawBlockHeaderByNumber', 'pending')).toBeNull()
      })
    })
  })

  describe('logs', () => {
    test('are selected by block, address and topics', async () => {
      const { number, hash } = logged.block
      const [log, ...rest] = await result<Json[]>('eth_getLogs', { blockHash: hash })
      expect(rest).toEqual([])
      expect(log).toMatchObject({
        ...{ address: on.emitter, topics: [topic(1n), topic(2n)], data: topic(3n) },
        ...{ blockHash: hash, blockNumber: number, logIndex: '0x0' },
        ...{ transactionHash: logged.hash, transactionIndex: '0x0' },
      })
      expect(log).not.toHaveProperty('removed')
      const selected = (selecting: object, where: object) =>
        result('eth_getLogs', { ...where, ...selecting })
      const ranges = ['earliest', number].map((fromBlock) => ({ fromBlock, toBlock: number }))
      const upper = on.emitter.replace(/[a-f]/g, (digit) => digit.toUpperCase())
      const addresses = [on.emitter, upper, [sender, on.emitter], []]
      const [first, second] = [topic(1n), topic(2n)]
      const found = [[], [first], [null, second], [[topic(9n), first], null], [[], [second]]]
      for (const selecting of [
        ...addresses.map((address) => ({ address })),
        ...found.map((topics) => ({ topics })),
        { topics: null, address: null },
      ]) {
        for (const where of [...ranges, { blockHash: hash }]) {
          expect(await selected(selecting, where), JSON.stringify(selecting)).toEqual([log])
        }
      }
      const absent = [[second], [first, second, null], [null, first]]
      for (const selecting of [{ address: sender }, ...absent.map((topics) => ({ topics }))]) {
        for (const where of ranges) {
          expect(await selected(selecting, where), JSON.stringify(selecting)).toEqual([])
        }
      }
    })

    test('without a block are those of the latest', async () => {
      const hash = await emit(on.direct, on.emitter, 7n, 8n, 9n)
      await mined(on.direct, hash)
      expect(await result('eth_getLogs', {})).toMatchObject([{ transactionHash: hash }])
      expect(await result('eth_getLogs', { address: on.emitter })).toHaveLength(1)
      await on.direct('evm_mine')
      expect(await result('eth_getLogs', {})).toEqual([])
      expect(await result('eth_getLogs', { fromBlock: 'latest', toBlock: 'latest' })).toEqual([])
    })

    test('are empty if nothing matches', async () => {
      for (const range of [
        { fromBlock: '0xfffff0', toBlock: '0xfffff1' },
        { fromBlock: '0xfffff0' },
        { fromBlock: '0x2', toBlock: '0x1' },
        { fromBlock: 'pending', toBlock: 'pending' },
      ]) {
        expect(await result('eth_getLogs', range), JSON.stringify(range)).toEqual([])
      }
    })
  })

  describe('raw data and proofs', () => {
    test('the raw header hashes to the block', async () => {
      const { number, hash } = logged.block
      const raw = await result<Hex>('chain_getRawBlockHeaderByHash', hash)
      expect(keccak256(raw)).toBe(hash)
      expect(await result('chain_getRawBlockHeaderByNumber', number)).toBe(raw)
      const alias = await rpc('rsk_getRawBlockHeaderByHash', [hash])
      expect(alias.result).toBe(raw)
      const genesis = await result<Hex>('chain_getRawBlockHeaderByNumber', 'earliest')
      const { hash: first } = await result('eth_getBlockByNumber', 'earliest')
      expect(keccak256(genesis)).toBe(first)
    })

    test('the proof leads from the receipts root to the raw receipt', async () => {
      await beforeABlock(on.direct, async () => {
        for (const word of [1n, 2n, 3n]) await emit(on.direct, on.emitter, word, word, word)
      })
      const { number, hash, receiptsRoot } = await blockAt('latest')
      for (const index of [0, 1, 2]) {
        const place = [number, `0x${index}`]
        const one = await result('eth_getTransactionByBlockNumberAndIndex', ...place)
        const raw = await result<Hex>('chain_getRawTransactionReceiptByHash', one.hash)
        const proof = [hash, one.hash]
        const nodes = await result<Hex[]>('chain_getTransactionReceiptNodesByHash', ...proof)
        expect(keccak256(nodes[0] ?? '0x')).toBe(receiptsRoot)
        const trie = await createMPTFromProof(nodes.map((node) => hexToBytes(node)))
        expect(await trie.get(RLP.encode(index))).toEqual(hexToBytes(raw))
      }
    })
  })

  describe('traces', () => {
    test('of a transaction, a block by number and hash, and a filter agree', async () => {
      const { number, hash } = logged.block
      const traces = await result<Json[]>('trace_transaction', logged.hash)
      const [gas, input] = [/^0x[1-9a-f]/, /^0x/].map((form) => expect.stringMatching(form))
      expect(traces).toMatchObject([
        {
          action: { callType: 'call', from: sender, to: on.emitter, gas, input, value: '0x0' },
          ...{ blockHash: hash, blockNumber: Number(number) },
          ...{ transactionHash: logged.hash, transactionPosition: 0 },
          ...{ type: 'call', subtraces: 0, traceAddress: [] },
          result: { gasUsed: gas, output: topic(3n) },
        },
      ])
      expect(traces[0]).not.toHaveProperty('error')
      const all = await result<Json[]>('trace_block', number)
      expect(all).toEqual(traces)
      expect(await result('trace_block', hash)).toEqual(all)
      const filter = { fromBlock: number, toBlock: number }
      expect(await result('trace_filter', filter)).toEqual(all)
      expect(await result('trace_filter', { fromBlock: '0x0', toBlock: '0x7d0' })).not.toEqual([])
      expect(await result('trace_block', 'earliest')).toEqual([])
      expect((await refusal('trace_block', 'pending')).message).toContain('"block"')
    })

    test('of a call that failed have no result', async () => {
      const hash = await callEmitter()
      const action = { callType: 'call', from: caller, to: on.emitter }
      expect(await result('trace_transaction', hash)).toMatchObject([
        { traceAddress: [], subtraces: 1, result: { output: '0x' } },
        { action, traceAddress: [0], subtraces: 0, result: null, error: 'Reverted' },
      ])
    })

    test('of a deployment have the type create and no receiver', async () => {
      const [trace] = await result<Json[]>('trace_transaction', await readDeployment())
      expect(trace).toMatchObject({
        action: { value: '0x0', init: expect.stringMatching(/^0x/) },
        result: { address: on.emitter, code: await result('eth_getCode', on.emitter, 'latest') },
        type: 'create',
        traceAddress: [],
      })
      expect(trace?.action).not.toHaveProperty('to')
    })

    test('are filtered by the sender and receiver of their transaction', async () => {
      const first = await callEmitter()
      const { blockNumber: from } = await mined(on.direct, first)
      await mined(on.direct, await emit(on.direct, on.emitter, 1n, 1n, 1n))
      const second = await callEmitter()
      const range = { fromBlock: from, toBlock: 'latest' }
      const filtered = async (more: object): Promise<unknown[]> => {
        const traces = await result<Json[]>('trace_filter', { ...range, ...more })
        return traces.map(({ transactionHash, traceAddress }) => [transactionHash, traceAddress])
      }
      // The inner calls to the emitter belong to transactions that were sent to the caller.
      const both = [first, second].flatMap(
        (hash) =>
          [
            [hash, []],
            [hash, [0]],
          ] as const,
      )
      expect(await filtered({ toAddress: caller })).toEqual(both)
      expect(await filtered({ toAddress: [on.emitter] })).toHaveLength(1)
      expect(await filtered({ fromAddress: caller })).toEqual([])
      expect(await filtered({ fromAddress: [caller, sender] })).toHaveLength(5)
      expect(await filtered({ fromAddress: sender, toAddress: [caller] })).toHaveLength(4)
      const part = { toAddress: caller, after: 1, count: 2 }
      expect(await filtered(part)).toEqual(both.slice(1, 3))
      expect(await filtered({ count: 0 })).toEqual([])
      expect(await filtered({ toAddress: caller, after: 9 })).toEqual([])
      expect(await filtered({ toAddress: caller, after: 10_001 })).toEqual([])
    })
  })

  /** Calls the emitter by the caller, in vain; gives the hash of the mined transaction. */
  async function callEmitter(): Promise<Hex> {
    const data = topic(BigInt(on.emitter))
    const call = { from: sender, to: caller, data, gas: '0x30d40' }
    const hash = (await on.direct('eth_sendTransaction', [call])) as Hex
    await mined(on.direct, hash)
    return hash
  }
})
