import { encodeFunctionData, numberToHex } from 'viem'
import { z } from 'zod'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { quantity } from '../../stack/chain/node-call.ts'
import { type Answerer, type Asking, askInTurn } from '../asking.ts'
import { apiKey, type BenchChain, recipient } from '../served/chain.ts'
import { bundleBaseline, serveBaseline } from '../served/workerd.ts'
import type { World } from '../world.ts'

type Name = 'service' | 'node' | 'passOn'

/** Of a JSON-RPC request. */
export const headers = { 'content-type': 'application/json' }

/** The node service beside the node itself and a Worker of ten lines that only passes requests on. */
export async function measureJsonRpc(world: World): Promise<void> {
  const { chain } = world
  const relay = await world.serveRelay('plain')
  const baseline = await bundleBaseline('pass-on')
  const passOn = await serveBaseline({ baseline, variables: { NODE_URL: chain.url } })
  world.atEnd(passOn.stop)
  const answerers: Record<Name, Answerer> = {
    service: { url: `${relay.url}/rpc/${apiKey}`, pid: relay.pid, title: 'service' },
    node: { url: chain.url, pid: chain.pid, title: 'node (b)' },
    passOn: { url: passOn.url, pid: passOn.pid, title: 'Worker that passes on (d)' },
  }
  for (const asked of await questionsOf(chain)) {
    for (const pace of asked.load) {
      await askInTurn(world, answerers, {
        ...{ key: `jsonRpc.${asked.key}`, title: asked.title, ...pace },
        ...{ headers, rounds: roundsOf(pace, world), expects: '"result":' },
        body: asked.body,
        // What a node on the loopback address answers in a tenth of a millisecond is no measure.
        against: ['passOn'],
      })
    }
  }
}

/** What is not held is a glance in a quick run. */
const roundsOf = ({ holdsCpu }: { holdsCpu: boolean }, { isFull }: World): number => {
  if (isFull) return 15
  return holdsCpu ? 7 : 2
}

/** Bodies that ask for the logs of so many blocks, never the same twice. */
export function logsOver(blocks: number, head: number): () => string {
  let asked = 0
  return () => {
    asked += 1
    const toBlock = head - (asked % 97)
    const fromBlock = numberToHex(toBlock - blocks + 1)
    const filter = { address: recipient, fromBlock, toBlock: numberToHex(toBlock) }
    return JSON.stringify({ jsonrpc: '2.0', id: asked, method: 'eth_getLogs', params: [filter] })
  }
}

/** A question of the benchmark. */
export type Asked = {
  key: string
  title: string
  /** The next request's, never the same twice where that matters. */
  body: () => string
  load: readonly Pick<Asking<Name>, 'callers' | 'requests' | 'slices' | 'holdsCpu'>[]
}

/** What a service is asked for: what it keeps, what it does not, many at once, and logs. */
export async function questionsOf({ call, loan }: BenchChain): Promise<Asked[]> {
  const head = await call('eth_blockNumber', [], quantity)
  // Deep enough to be kept by the service.
  const block = numberToHex(head - 2_050)
  const withHash = z.object({ hash: z.string() })
  const { hash: deepBlock } = await call('eth_getBlockByNumber', [block, false], withHash)
  let id = 0
  const one = (method: string, params: unknown[]) => {
    id += 1
    return { jsonrpc: '2.0', id, method, params }
  }
  const ethCall = () => {
    // Never the same twice: equal questions that are under way at a time share one answer.
    const account = numberToHex(id, { size: 20 })
    const data = encodeFunctionData({
      abi: microLoanAbi,
      functionName: 'getBalance',
      args: [account],
    })
    return one('eth_call', [{ to: loan, data }, 'latest'])
  }
  const same = JSON.stringify(ethCall())
  const alone = { callers: 1, requests: 20, slices: 3, holdsCpu: true }
  const crowd = { callers: 16, requests: 40, slices: 2, holdsCpu: false }
  return [
    {
      key: 'uncached',
      title: 'eth_call, never kept',
      body: () => JSON.stringify(ethCall()),
      load: [alone, crowd],
    },
    {
      key: 'shared',
      title: 'the same eth_call by all, never kept',
      body: () => same,
      load: [crowd],
    },
    {
      key: 'cached',
      title: 'a block by its hash, kept by the service',
      body: () => JSON.stringify(one('eth_getBlockByHash', [deepBlock, false])),
      // The quickest of all answers, so it takes more of them; and what V8 collects is much of its CPU.
      load: [{ ...alone, requests: 80, holdsCpu: false }, crowd],
    },
    {
      key: 'batch',
      title: 'a batch of 20 eth_call',
      body: () => JSON.stringify(Array.from({ length: 20 }, ethCall)),
      load: [alone],
    },
    {
      key: 'logs2000',
      title: 'eth_getLogs over 2,000 blocks',
      body: logsOver(2_000, head),
      load: [{ ...alone, requests: 14 }],
    },
  ]
}
