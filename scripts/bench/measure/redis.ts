import { startDenoProcess } from '../../dev/deno/deno-process.ts'
import { startRedisBridge } from '../../dev/redis/bridge.ts'
import { hasRedisServer, startRedisServer } from '../../dev/redis/redis-server.ts'
import { countConfirmations, type Payer, payRound } from '../payer.ts'
import { median, quantile } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import type { World } from '../world.ts'

const CALLERS = 16

/**
 * The same relay on Deno with Redis in the object's place, beside the one in workerd. Between Deno and
 * Redis stands a bridge that speaks Upstash's protocol, in this very process: it costs time, and its
 * CPU is nobody's.
 */
export async function measureRedis(world: World): Promise<void> {
  if (!hasRedisServer()) throw new Error('redis-server is missing: apt-get install redis-server')
  const { chain, load, figures, atEnd } = world
  const redis = await startRedisServer({ mode: 'cluster' })
  atEnd(redis.stop)
  const bridge = await startRedisBridge({ redisPort: redis.port })
  atEnd(bridge.stop)
  const confirmed = countConfirmations()
  const deno = await startDenoProcess({
    variables: {
      ...chain.variables('deno'),
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: bridge.token,
    },
    onLine: confirmed.onLine,
  })
  atEnd(deno.kill)
  const payers: Record<'deno' | 'relay', Payer> = {
    deno: { url: deno.url, pid: deno.pid, confirmed },
    relay: await world.serveRelay('plain'),
  }
  const titles = { deno: 'Deno with Redis', relay: 'workerd with its object' }
  const pay = (name: 'deno' | 'relay', payments: number) =>
    payRound({ chain, load }, payers[name], { payments, pace: { callers: CALLERS } })
  await pay('deno', 120)
  await pay('relay', 64)
  let commands = 0
  const payments = 80
  const taken = await takeTurns(['deno', 'relay'], world.isFull ? 9 : 3, async (name) => {
    const before = bridge.commands()
    const round = await pay(name, payments)
    if (name === 'deno') commands = (bridge.commands() - before) / payments
    return round
  })
  for (const name of ['deno', 'relay'] as const) {
    const rounds = taken[name]
    const at = `${CALLERS} callers: ${titles[name]}`
    const key = (what: string) => `redis.${what}.${name}`
    figures.add(
      key('accepted'),
      `accepted, ${at}`,
      'payments/s',
      rounds.map((round) => round.acceptedPerSecond),
    )
    figures.add(
      key('p50'),
      `reply p50, ${at}`,
      'ms',
      rounds.map(({ replyMs }) => median(replyMs)),
    )
    figures.add(
      key('p99'),
      `reply p99, ${at}`,
      'ms',
      rounds.map(({ replyMs }) => quantile(replyMs, 0.99)),
    )
    figures.add(
      key('cpu'),
      `server's process, ${at}`,
      'ms/payment',
      rounds.map(({ cpuMs }) => cpuMs.payer),
    )
  }
  figures.hold(
    'redis.commands',
    `commands, ${CALLERS} callers: Deno with Redis`,
    'commands/payment',
    [commands],
  )
}
