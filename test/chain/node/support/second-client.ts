import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../../scripts/dev/ports.ts'
import { rpcTo } from '../../../../scripts/dev/rpc.ts'
import { until } from '../../../../scripts/dev/wait.ts'
import { startProcess } from '../../../support/processes.ts'
import type { MadeChain } from './second-client-chain.ts'

const client = fileURLToPath(
  new URL('../../../../node_modules/@ethereumjs/client/dist/esm/bin/cli.js', import.meta.url),
)

export type SecondClient = { url: string; stop: () => Promise<void> }

/** EthereumJS, a client that shares no code with anvil, on a chain of its own. */
export async function startSecondClient(chain: MadeChain): Promise<SecondClient> {
  const folder = await mkdtemp(join(tmpdir(), 'second-client-'))
  const [genesis, blocks] = [join(folder, 'genesis.json'), join(folder, 'blocks.rlp')]
  await writeFile(genesis, JSON.stringify(chain.genesis))
  await writeFile(blocks, chain.blocks)
  const [port, peers] = [await freePort(), await freePort()]
  const settings = {
    gethGenesis: genesis,
    loadBlocksFromRlp: blocks,
    dataDir: join(folder, 'data'),
    rpcPort: port,
    rpcAddr: '127.0.0.1',
    port: peers,
    extIP: '127.0.0.1',
    sync: 'none',
    logLevel: 'error',
    saveReceipts: true,
    isSingleNode: true,
    rpc: true,
    rpcEngine: false,
    discDns: false,
    discV4: false,
  }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const { child, output, ended } = startProcess(process.execPath, [client, ...args])
  const url = `http://127.0.0.1:${port}`
  const rpc = rpcTo(url)
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`the client ended: ${output()}`)
      const number = await rpc('eth_blockNumber').catch(() => undefined)
      return Number(number) === chain.head
    },
    { everyMs: 50 },
  )
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
