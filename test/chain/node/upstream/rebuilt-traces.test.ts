import type { Address, Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
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
  on.proxy.lie((answer, { method }) =>
    method.startsWith('trace_')
      ? { id: answer.id, error: { code: -32601, message: 'the method does not exist' } }
      : answer,
  )
  served = await serve([on.proxy.url])
  own = await serve([on.url])
})

async function send(call: object): Promise<{ hash: Hex; blockNumber: string }> {
  const hash = (await on.direct('eth_sendTransaction', [{ from: sender, ...call }])) as Hex
  const { blockNumber } = await mined(on.direct, hash)
  return { hash, blockNumber }
}

/** Traces without gas: a tracer counts what the transaction itself costs, a trace module does not. */
function withoutGas(traces: unknown): unknown {
  return (traces as Trace[]).map(({ action, result, ...rest }) => ({
    ...rest,
    action: { ...action, gas: undefined },
    result: result && { ...result, gasUsed: undefined },
  }))
}

async function bothOf(
  method: string,
  param: unknown,
): Promise<{ rebuilt: unknown; real: unknown }> {
  const [rebuilt, real] = await Promise.all(
    [served, own].map(async ({ rpc }) => withoutGas((await rpc(method, [param])).result)),
  )
  return { rebuilt, real }
}

test('a node without a trace module shows the traces that its call tracer makes', async () => {
  const emitted = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  await mined(on.direct, emitted)
  const inner = await send({ to: caller, data: topic(BigInt(on.emitter)), gas: '0x30d40' })
  const first = (await on.direct('eth_getBlockByNumber', ['0x1', false])) as { transactions: Hex[] }
  for (const hash of [emitted, inner.hash, first.transactions[0]]) {
    const { rebuilt, real } = await bothOf('trace_transaction', hash)
    expect(rebuilt, hash).toEqual(real)
  }
  for (const [method, param] of [
    ['trace_block', '0x1'],
    ['trace_block', inner.blockNumber],
    ['trace_filter', { fromBlock: '0x1', toBlock: 'latest' }],
    ['trace_filter', { fromBlock: '0x1', toBlock: 'latest', toAddress: caller }],
  ] as const) {
    const { rebuilt, real } = await bothOf(method, param)
    expect(rebuilt, method).toEqual(real)
    expect(rebuilt, method).not.toEqual([])
  }
  const unknown = `0x${'99'.repeat(32)}`
  expect((await served.rpc('trace_transaction', [unknown])).result).toBeNull()
})
