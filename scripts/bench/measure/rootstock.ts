import { startRootstockPool } from '../../dev/rootstock-pool/start.ts'
import { payRound } from '../payer.ts'
import { startNodeProxy } from '../served/node-proxy.ts'
import { quantile } from '../statistics.ts'
import type { World } from '../world.ts'
import { countDuring, tellBilled, tellNodeCalls } from './billed.ts'
import { cloudflareUsd, gasPriceGwei, gasUsd, transferGas } from './prices.ts'

/** One key's places in Rootstock's pool are 15; a little less leaves nobody waiting. */
const perBlock = 10

/** Deliveries of a session that pays: the menu, the choice, the recipient, the amount. */
const deliveriesEach = 4

/**
 * Payments before Rootstock's pool, at the pace that one key carries, until 12 blocks have confirmed
 * the last. Blocks come faster than on Rootstock, and the relay's times with them. From here on the
 * chain is the pool's: this is measured last.
 */
export async function measureRootstock(world: World): Promise<void> {
  const { chain, figures, load, atEnd } = world
  const blockMs = world.isFull ? 2_000 : 300
  const payments = world.isFull ? 300 : 60
  const pool = await startRootstockPool({ anvilUrl: chain.url, blockMs, devMethods: 'passed' })
  atEnd(pool.stop)
  const proxy = await startNodeProxy(pool.url)
  atEnd(proxy.stop)
  const relay = await world.serveRelay('rootstock', {
    how: 'counting',
    nodeUrl: proxy.url,
    variables: { POOL_RULES: 'rootstock', BLOCK_SECONDS: `${blockMs / 1000}` },
  })
  const how = `Rootstock's pool, ${perBlock} payments a block`
  const pace = { perSecond: (perBlock * 1000) / blockMs }
  await payRound({ chain, load }, relay, { payments: perBlock, pace })
  const counted = await countDuring({ relay, proxy, payments }, async () => {
    const { replyMs, cpuMs } = await payRound({ chain, load }, relay, { payments, pace })
    figures.add('payments.p95.relay.rootstock', `reply p95, ${how}`, 'ms', [
      quantile(replyMs, 0.95),
    ])
    figures.add('cpu.relay.rootstock', `Worker's process, ${how}`, 'ms/payment', [cpuMs.payer])
  })
  tellBilled(figures, 'rootstock', how, counted)
  tellNodeCalls(figures, 'rootstock', how, counted)

  const cpuMs = figures.all().find(({ key }) => key === 'cpu.relay.rootstock')?.value.median ?? 0
  const usd = cloudflareUsd({
    ...counted,
    workerRequests: payments * deliveriesEach,
    workerCpuMs: payments * cpuMs,
    rowsWritten: counted.rowsWritten + counted.alarmsSet,
  })
  figures.hold(
    'bill.usd.cloudflare',
    `1,000 payments of ${deliveriesEach} deliveries each: Cloudflare's list prices`,
    'US$',
    [(usd * 1000) / payments],
  )
  figures.add(
    'bill.usd.gas',
    `1,000 payments: gas, ${transferGas} each at ${gasPriceGwei} gwei (assumed)`,
    'US$',
    [gasUsd() * 1000],
  )
}
