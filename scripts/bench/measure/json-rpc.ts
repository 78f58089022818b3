import { encodeFunctionData, numberToHex } from 'viem'
import { z } from 'zod'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { quantity } from '../../stack/chain/node-call.ts'
import { compareAnswers } from '../asking.ts'
import { apiKey, type BenchChain, recipient } from '../served/chain.ts'
import { serveBaseline } from '../served/workerd.ts'
import type { World } from '../world.ts'

/** The headers of a JSON-RPC request. */
export const headers = { 'content-type': 'application/json' }

/** Measures the node service beside a Worker that only passes requests on. */
export async function measureJsonRpc(world: World): Promise<void> {
  const { chain } = world
  const relay = await world.serveRelay('plain')
  const passOn = await serveBaseline('pass-on', { NODE_URL: chain.url })
  world.atEnd(passOn.stop)
  const answerers = {
    own: { url: `${relay.url}/rpc/${apiKey}`, pid: relay.pid, title: 'service' },
    baseline: { url: passOn.url, pid: passOn.pid, title: 'Worker that passes on (d)' },
  }
  for (const question of await makeQuestions(chain)) {
    await compareAnswers(world, answerers, { ...question, headers, expects: '"result":' })
  }
}

/** Makes what a service is asked for: what it keeps, what it does not, many at once, and logs. */
export async function makeQuestions({ call, loan }: BenchChain) {
  const head = await call('eth_blockNumber', [], quantity)
  // Deep enough to be kept by the service.
  const block = numberToHex(head - 2_050)
  const withHash = z.object({ hash: z.string() })
  const { hash: deepBlock } = await call('eth_getBlockByNumber', [block, false], withHash)
  let id = 0
  const ask = (method: string, params: unknown[]) => {
    id += 1
    return { jsonrpc: '2.0', id, method, params }
  }
  const askBalance = () => {
    // Never the same twice: equal questions that are under way at a time share one answer.
    const call = { functionName: 'getBalance', args: [numberToHex(id, { size: 20 })] } as const
    const data = encodeFunctionData({ abi: microLoanAbi, ...call })
    return ask('eth_call', [{ to: loan, data }, 'latest'])
  }
  const askLogs = () => {
    const toBlock = head - (id % 97)
    const range = { fromBlock: numberToHex(toBlock - 1_999), toBlock: numberToHex(toBlock) }
    return ask('eth_getLogs', [{ address: recipient, ...range }])
  }
  return [
    {
      title: 'eth_call, never kept',
      body: () => JSON.stringify(askBalance()),
      requests: 20,
    },
    {
      title: 'a block by its hash, kept by the service',
      body: () => JSON.stringify(ask('eth_getBlockByHash', [deepBlock, false])),
      // The quickest of all answers, so it takes more of them; and what V8 collects is much of its CPU.
      ...{ requests: 80, holdsCpu: false },
    },
    {
      title: 'a batch of 20 eth_call',
      body: () => JSON.stringify(Array.from({ length: 20 }, askBalance)),
      requests: 20,
    },
    {
      title: 'eth_getLogs over 2,000 blocks',
      body: () => JSON.stringify(askLogs()),
      requests: 14,
    },
  ]
}
