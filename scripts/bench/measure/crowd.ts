import { toHex } from 'viem'
import { z } from 'zod'
import { startRootstockPool } from '../../dev/rootstock-pool/start.ts'
import { until } from '../../dev/wait.ts'
import { now, runLoad } from '../load.ts'
import { form, writePayment } from '../payer.ts'
import type { World } from '../world.ts'

const callerCount = 400
const blockMs = 5_000
const how = `${callerCount} new callers at once, blocks of ${blockMs / 1000} s, Rootstock's pool`

const logs = z.array(z.object({ blockNumber: z.coerce.number() }))

/** Measures which blocks carry the payments of a crowd: none may be left unused meanwhile. */
export async function measureCrowd({ chain, figures, onEnd, serveRelay }: World): Promise<void> {
  const pool = await startRootstockPool({ anvilUrl: chain.url, blockMs, devMethods: 'passed' })
  onEnd(pool.stop)
  const variables = { POOL_RULES: 'rootstock', BLOCK_SECONDS: `${blockMs / 1000}` }
  const { url } = await serveRelay('crowd', { nodeUrl: pool.url, variables })
  const callers = await chain.makeCallers(callerCount)
  const bodies = callers.map(({ phone }) => writePayment({ ...chain, nextPhone: () => phone }))
  const from = Number(await chain.call('eth_blockNumber', []))
  const startedAt = now()
  const readBlocks = async () => {
    const filter = { address: chain.forwarder, fromBlock: toHex(from), toBlock: 'latest' }
    const paid = logs.parse(await chain.call('eth_getLogs', [filter]))
    return paid.map(({ blockNumber }) => blockNumber).filter((number) => number > from)
  }
  const pace = { callers: callerCount }
  await runLoad({
    url: `${url}/ussd`,
    headers: form,
    bodies,
    pace,
    expects: 'END Transfer Submitted',
  })
  const late = () => new Error('not all payments of the crowd are in blocks')
  const areIn = async () => (await readBlocks()).length >= callerCount
  await until(areIn, { everyMs: 500, withinMs: 180_000, late })
  const seconds = (now() - startedAt) / 1000
  const blocks = await readBlocks()
  const [first, last] = [Math.min(...blocks), Math.max(...blocks)]
  const used = new Set(blocks).size
  figures.add(`until all are in blocks, ${how}`, 's', seconds)
  figures.add(`blocks that carry them, ${how}`, 'blocks', used)
  figures.add(`blocks left unused meanwhile, ${how}`, 'blocks', last - first + 1 - used)
}
