import type { Address, Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { exchange } from '../../../../scripts/dev/rpc.ts'
import { answeringNode, error, type Said } from '../../../support/fake-node.ts'
import { opened } from '../../../support/opened.ts'
import { deployCaller, emit, mined, sender, topic } from '../support/anvil-rpc.ts'
import { openNode } from '../support/open.ts'
import { type Served, serve } from '../support/serve.ts'

type Trace = Record<string, unknown> & { action: object; result: object | null }

const on = opened(() => openNode())
let served: Served
let own: Served
let caller: Address

beforeAll(async () => {
  caller = await deployCaller(on.direct)
  const lesser = answeringNode(async ({ method, params }) =>
    /^trace_|BlockReceipts$|protocolVersion$/.test(method)
      ? error(-32601, 'the method does not exist')
      : ((await exchange(on.url, method, params)).answer as Said),
  )
  served = await serve([on.url], 31, lesser)
  own = await serve([on.url])
})

/** Compares traces without gas: a tracer counts the transaction's own, a trace module does not. */
function withoutGas(traces: unknown): unknown {
  return (traces as Trace[]).map(({ action, result, ...rest }) => ({
    ...rest,
    action: { ...action, gas: undefined },
    result: result && { ...result, gasUsed: undefined },
  }))
}

async function bothOf(method: string, ...params: unknown[]): Promise<unknown[]> {
  const answers = await Promise.all([served, own].map(({ rpc }) => rpc(method, params)))
  expect(answers.map(({ error }) => error)).toEqual([undefined, undefined])
  return answers.map(({ result }) => result)
}

test('a node without a trace module shows the traces that its call tracer makes', async () => {
  const emitted = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  await mined(on.direct, emitted)
  const call = { from: sender, to: caller, data: topic(BigInt(on.emitter)), gas: '0x30d40' }
  const inner = (await on.direct('eth_sendTransaction', [call])) as Hex
  const { blockNumber } = await mined(on.direct, inner)
  const first = (await on.direct('eth_getBlockByNumber', ['0x1', false])) as { transactions: Hex[] }
  for (const [method, param] of [
    ...[emitted, inner, first.transactions[0]].map((hash) => ['trace_transaction', hash] as const),
    ['trace_block', '0x1'],
    ['trace_block', blockNumber],
    ['trace_filter', { fromBlock: '0x1', toBlock: 'latest' }],
    ['trace_filter', { fromBlock: '0x1', toBlock: 'latest', toAddress: caller }],
  ] as const) {
    const [rebuilt, real] = (await bothOf(method, param)).map(withoutGas)
    expect(rebuilt, `${method} ${JSON.stringify(param)}`).toEqual(real)
    expect(rebuilt, method).not.toEqual([])
  }
  expect(await bothOf('trace_transaction', topic(9n))).toEqual([null, null])
})

test('a node without receipts of whole blocks and versions is asked only for what it has', async () => {
  const hash = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  const { blockHash } = await mined(on.direct, hash)
  for (const [method, ...params] of [
    ['eth_getBlockByHash', blockHash],
    ['chain_getTransactionReceiptNodesByHash', blockHash, hash],
  ] as const) {
    const [made, real] = await bothOf(method, ...params)
    expect(made, method).toEqual(real)
  }
  expect(await bothOf('eth_protocolVersion')).toEqual(['0x44', '0x1'])
})
