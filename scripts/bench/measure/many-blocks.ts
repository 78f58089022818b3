import { askInTurn } from '../asking.ts'
import { apiKey } from '../served/chain.ts'
import { startLongChain } from '../served/long-chain.ts'
import { bundleBaseline, serveBaseline } from '../served/workerd.ts'
import type { World } from '../world.ts'
import { headers, logsOver } from './json-rpc.ts'

/** As an indexer of a contract asks for the first time. */
const manyBlocks = 200_000

/** More than are asked for, so that no question is the same as one before. */
const head = manyBlocks + 200

/** Logs over many blocks, which the service asks the node for in pieces. */
export async function measureManyBlocks(world: World): Promise<void> {
  const anvil = await startLongChain(head, world.atEnd)
  const relay = await world.serveRelay('manyBlocks', { nodeUrl: anvil.url })
  const baseline = await bundleBaseline('pass-on')
  const passOn = await serveBaseline({ baseline, variables: { NODE_URL: anvil.url } })
  world.atEnd(passOn.stop)
  await askInTurn(
    world,
    {
      service: { url: `${relay.url}/rpc/${apiKey}`, pid: relay.pid, title: 'service' },
      node: { url: anvil.url, pid: anvil.process.pid ?? 0, title: 'node (b)' },
      passOn: { url: passOn.url, pid: passOn.pid, title: 'Worker that passes on (d)' },
    },
    {
      ...{ key: `jsonRpc.logs${manyBlocks}`, title: 'eth_getLogs over 200,000 blocks' },
      ...{ callers: 1, requests: 5, slices: 1, rounds: 7, headers, expects: '"result":' },
      ...{ body: logsOver(manyBlocks, head), against: [], holdsCpu: false },
    },
  )
}
