import { keccak256 } from 'viem'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { type Fault, startFaultProxy } from '../../../scripts/dev/faults/fault-proxy.ts'
import { createRpcCall, type RpcCall } from '../../../scripts/dev/rpc.ts'
import { opened } from '../../support/opened.ts'
import { newSender, type Sender } from '../pool/sender.ts'

const anvil = opened(() => startAnvil({ args: ['--no-mining', '--block-base-fee-per-gas', '0'] }))
const proxy = opened(() => startFaultProxy({ target: anvil.url }))
let sender: Sender
const ask: RpcCall = (method, params) => createRpcCall(proxy.url)(method, params)

beforeAll(async () => {
  sender = await newSender(anvil.url)
})

afterEach(() => proxy.clear())

/** Transactions of the sender, those that wait for a block included. */
const count = async () => {
  await anvil.ask('evm_mine')
  return Number(await anvil.ask('eth_getTransactionCount', [sender.address, 'latest']))
}

/** Sends the next transaction through the proxy; tells if it was answered and mined. */
async function send(): Promise<{ answered: boolean; mined: boolean }> {
  const before = await count()
  const raw = await sender.sign({ nonce: before })
  const answered = await ask('eth_sendRawTransaction', [raw]).then(
    (hash) => hash === keccak256(raw),
    () => false,
  )
  return { answered, mined: (await count()) === before + 1 }
}

test.for<[fault: Fault, isAnswered: boolean, isMined: boolean]>([
  [{ kind: 'drop_request' }, false, false],
  [{ kind: 'drop_reply' }, false, true],
  [{ kind: 'delay_reply', ms: 20 }, true, true],
  [{ kind: 'status', status: 429 }, false, false],
  [{ kind: 'status', status: 500 }, false, false],
  [{ kind: 'html' }, false, false],
  [{ kind: 'truncated' }, false, true],
  [{ kind: 'lagging', blocks: 1 }, true, true],
])('one fault, %j: answered %s, at the node %s', async ([fault, answered, mined]) => {
  const scripted = proxy.script({ fault, times: 1 })
  expect(await send()).toEqual({ answered, mined })
  expect(scripted.hits()).toBe(1)
  expect(proxy.log.at(-1)).toEqual({ methods: ['eth_sendRawTransaction'], fault: fault.kind })
  expect(await send()).toEqual({ answered: true, mined: true })
})

test('a replica behind shows count, head, receipts and logs of an older block', async () => {
  const before = await count()
  // A creation that emits one log.
  const raw = await sender.sign({ nonce: before, gas: 100_000n, to: undefined, data: '0x5f5fa0' })
  const hash = await anvil.ask('eth_sendRawTransaction', [raw])
  await anvil.ask('evm_mine')
  const head = Number(await anvil.ask('eth_blockNumber'))
  const questions = [
    ['eth_getTransactionCount', [sender.address, 'latest']],
    ['eth_blockNumber', []],
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_getBlockByNumber', [`0x${head.toString(16)}`, false]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getLogs', [{ fromBlock: `0x${head.toString(16)}` }]],
  ] as const
  const askAll = () => Promise.all(questions.map(([method, params]) => ask(method, params)))

  const inFront = await askAll()
  expect(inFront[0]).toBe(`0x${(before + 1).toString(16)}`)
  expect(inFront[4]).toMatchObject({ transactionHash: hash })
  expect(inFront[5]).toHaveLength(1)

  proxy.script({ fault: { kind: 'lagging', blocks: 1 } })
  const behind = await askAll()
  expect(behind[0]).toBe(`0x${before.toString(16)}`)
  expect(Number(behind[1])).toBe(head - 1)
  expect(behind[2]).toMatchObject({ number: `0x${(head - 1).toString(16)}` })
  expect(behind.slice(3)).toEqual([null, null, []])
})
