import { startDenoProcess } from '../../dev/deno/deno-process.ts'
import { startRedisBridge } from '../../dev/redis/bridge.ts'
import { startRedisServer } from '../../dev/redis/redis-server.ts'
import { countConfirmations, type Payer, payRound } from '../payer.ts'
import { median, quantile } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import type { World } from '../world.ts'

const callerCount = 16

/**
 * The same relay on Deno with Redis in the object's place, beside the one in workerd. Between Deno and
 * Redis stands a bridge that speaks Upstash's protocol, in this very process: it costs time, and its
 * CPU is nobody's.
 */
export async function measureRedis(world: World): Promise<void> {
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
  const pay = (name: 'deno' | 'relay', payments: number, callers = callerCount) =>
    payRound({ chain, load }, payers[name], { payments, pace: { callers } })
  /** Commands a payment. */
  const commandsOf = async (payments: number, callers: number) => {
    const before = bridge.commands()
    const round = await pay('deno', payments, callers)
    return { round, commands: (bridge.commands() - before) / payments }
  }
  await pay('deno', 100)
  const together: number[] = []
  const taken = await takeTurns(['deno', 'relay'], world.isFull ? 9 : 2, async (name) => {
    if (name === 'relay') return await pay('relay', 64)
    const { round, commands } = await commandsOf(64, callerCount)
    together.push(commands)
    return round
  })
  const { commands: alone } = await commandsOf(30, 1)
  for (const name of ['deno', 'relay'] as const) tell(world, name, taken[name])
  const unit = 'commands/payment'
  // How many steps go in one command depends on how many wait, and so on the machine.
  figures.add(
    'redis.commands.16',
    `commands, ${callerCount} callers: Deno with Redis`,
    unit,
    together,
  )
  figures.hold('redis.commands.1', 'commands, 1 caller: Deno with Redis', unit, [alone])
}

const titles = { deno: 'Deno with Redis', relay: 'workerd with its object' }

/** What rounds of payments come to. */
function tell(
  { figures }: World,
  name: keyof typeof titles,
  rounds: readonly Awaited<ReturnType<typeof payRound>>[],
): void {
  const at = `${callerCount} callers: ${titles[name]}`
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
