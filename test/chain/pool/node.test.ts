import { beforeEach, describe, expect, test } from 'vitest'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { startRootstockPool } from '../../../scripts/dev/rootstock-pool/start.ts'
import { createRpcCall, type RpcCall } from '../../../scripts/dev/rpc.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { opened } from '../../support/opened.ts'
import { minPrice, newSender } from './sender.ts'

const anvil = opened(() => startAnvil())
const rootstock = opened(() => startRootstockPool({ anvilUrl: anvil.url }))
const call: RpcCall = (method, params) => createRpcCall(rootstock.url)(method, params)

beforeEach(() => rootstock.evictAll())

const nobody = '0x00000000000000000000000000000000000000aa'

describe('a Rootstock node', () => {
  test('has blocks with a minimum gas price and no base fee', async () => {
    await rootstock.mine()
    const block = (await call('eth_getBlockByNumber', ['latest', true])) as object
    expect(block).toMatchObject({ minimumGasPrice: `0x${minPrice.toString(16)}` })
    expect(block).toMatchObject({ gasLimit: '0x67c280' })
    for (const name of ['baseFeePerGas', 'withdrawals', 'blobGasUsed']) {
      expect(block).not.toHaveProperty(name)
    }
  })

  test('answers a revert with -32015 and its bytes', async () => {
    // PUSH4 0xdeadbeef, MSTORE, REVERT with these four bytes, as code that a creation returns.
    const code = '0x63deadbeef6000526004601cfd'
    const at = '0x00000000000000000000000000000000000000bb'
    await anvil.ask('anvil_setCode', [at, code])
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const failure = await call(method, [{ to: at }, 'latest']).catch((error) => error)
      expect(failure).toBeInstanceOf(RpcError)
      expect(failure).toMatchObject({ code: -32015, data: '0xdeadbeef' })
    }
  })

  test('gives BASEFEE as the minimum gas price', async () => {
    // BASEFEE, MSTORE, RETURN.
    const at = '0x00000000000000000000000000000000000000cc'
    await anvil.ask('anvil_setCode', [at, '0x4860005260206000f3'])
    await rootstock.mine()
    expect(BigInt(String(await call('eth_call', [{ to: at }, 'latest'])))).toBe(minPrice)
  })

  test.for<[method: string, params: unknown[], code: number]>([
    ['eth_getBlockByNumber', ['safe', false], -32602],
    ['eth_getBalance', [nobody, 'finalized'], -32602],
    ['eth_getLogs', [{ fromBlock: 'finalized' }], -32602],
    ['eth_call', [{ to: nobody }, 'latest', { [nobody]: { code: '0x00' } }], -32602],
    ['eth_feeHistory', [], -32601],
    ['eth_maxPriorityFeePerGas', [], -32601],
    ['anvil_nodeInfo', [], -32601],
  ])('refuses %s of %j with %i', async ([method, params, code]) => {
    expect(await call(method, params).catch((error) => error)).toMatchObject({ code })
  })

  test('shows receipts and logs without fields that RSKj lacks', async () => {
    const sender = await newSender(anvil.url)
    // A creation that emits one log: LOG0 of no bytes.
    const raw = await sender.sign({ nonce: 0, gas: 100_000n, to: undefined, data: '0x5f5fa0' })
    const hash = await call('eth_sendRawTransaction', [raw])
    await rootstock.mine()
    const receipt = (await call('eth_getTransactionReceipt', [hash])) as { logs: object[] }
    expect(receipt.logs).toHaveLength(1)
    expect(receipt.logs[0]).not.toHaveProperty('removed')
    expect(receipt).not.toHaveProperty('blobGasPrice')
  })
})

test('over HTTP answers what it cannot read, and batches, as a real RSKj 9.0.3', async () => {
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(rootstock.url, { method: 'POST', headers, body })
    return [response.status, await response.json()] as const
  }
  const ask = (method: string, params: unknown[]) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  // A refusal of what was asked is a 400, and one of what was sent a 200.
  expect((await post(ask('eth_getBalance', [nobody, 'finalized'])))[0]).toBe(400)
  expect((await post(ask('eth_nonsense', [])))[0]).toBe(200)
  expect((await post(ask('eth_sendRawTransaction', ['0x1234'])))[0]).toBe(200)
  expect(await post('{')).toMatchObject([400, { id: 'null', error: { code: -32700 } }])
  const batch = (size: number) => `[${Array(size).fill(ask('eth_chainId', []))}]`
  const message = expect.stringMatching(/^Cannot dispatch batch requests\. 50/)
  expect((await post(batch(51)))[1]).toEqual({ error: { code: -32600, message } })
  expect((await post(batch(50)))[1]).toHaveLength(50)
})
