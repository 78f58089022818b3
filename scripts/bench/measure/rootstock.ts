import { quantile } from '../../dev/count.ts'
import { startRootstockPool } from '../../dev/rootstock-pool/start.ts'
import { payRound } from '../payer.ts'
import type { World } from '../world.ts'
import { addBilledFigures, addQuestionFigure, countRound } from './billed.ts'
import { cloudflareUsd, gasPriceGwei, gasUsd, transferGas } from './prices.ts'

/** Stays below the 15 nonces of a key in Rootstock's pool, so that no payment waits. */
const perBlock = 10

/** Blocks come faster than on Rootstock, and the relay's times with them. */
const blockMs = 300

const payments = 60

/** Ends the names of figures about a payment's cost. */
export const onRootstock = `Rootstock's pool, ${perBlock} payments a block`

/** Deliveries of a session that pays: the menu, the choice, the recipient, the amount. */
const deliveriesEach = 4

export const usdFigure = `1,000 payments of ${deliveriesEach} deliveries: Cloudflare's list prices`

/** Measures payments before Rootstock's pool until 12 blocks have confirmed the last one. */
export async function measureRootstock(world: World): Promise<void> {
  const { chain, figures, onEnd } = world
  const pool = await startRootstockPool({ anvilUrl: chain.url, blockMs, devMethods: 'passed' })
  onEnd(pool.stop)
  const proxy = await world.serveProxy(pool.url)
  const payer = await world.serveRelay('rootstock', {
    how: 'counting',
    nodeUrl: proxy.url,
    variables: { POOL_RULES: 'rootstock', BLOCK_SECONDS: `${blockMs / 1000}` },
  })
  const pace = { perSecond: (perBlock * 1000) / blockMs }
  await payRound(chain, payer, perBlock, pace)
  const { result, each } = await countRound({ chain, payer, proxy }, payments, pace)
  const { replyMs, cpuMs } = result
  figures.add(`reply p95, ${onRootstock}`, 'ms', quantile(replyMs, 0.95))
  figures.add(`CPU of the server, ${onRootstock}`, 'ms/payment', cpuMs)
  addBilledFigures(figures, onRootstock, each)
  addQuestionFigure(figures, onRootstock, each.questions)
  const usd = cloudflareUsd({
    ...each,
    workerRequests: deliveriesEach,
    workerCpuMs: cpuMs,
    rowsWritten: each.rowsWritten + each.alarmsSet,
  })
  figures.hold(usdFigure, 'US$', usd * 1000)
  const gas = `1,000 payments: gas, ${transferGas} each at ${gasPriceGwei} gwei (assumed)`
  figures.add(gas, 'US$', gasUsd * 1000)
  pool.setBlockTime(undefined)
}
