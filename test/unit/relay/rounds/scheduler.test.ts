import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../../../../scripts/dev/wait.ts'
import { getResendDelayMs, poolRules } from '../../../../src/chain/chains.ts'
import {
  type DueQueue,
  getNextDelayMs,
  type RoundResult,
} from '../../../../src/relay/ledger/schedule.ts'
import { createRounds, type Rounds, startCron } from '../../../../src/relay/rounds/scheduler.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import type { Log } from '../../../../src/runtime/log.ts'

const roundMs = 20

const aborts: AbortController[] = []
const running: Promise<void>[] = []

afterEach(async () => {
  for (const abort of aborts.splice(0)) abort.abort()
  await Promise.all(running.splice(0))
})

/** Creates a queue in memory that records its calls. */
function createQueue(over: Partial<DueQueue> = {}) {
  const told: string[] = []
  let isDue = false
  const queue: DueQueue = {
    arm: async () => {
      isDue = true
    },
    take: async () => {
      if (!isDue) return undefined
      isDue = false
      return 't'
    },
    renew: async () => {
      told.push('renew')
      return true
    },
    release: async (_, again) => {
      told.push(`done ${again}`)
      isDue = again !== undefined
    },
    ...over,
  }
  return { queue, told }
}

function roundsOf(
  queue: DueQueue,
  runRound: () => Promise<RoundResult>,
  logged: string[] = [],
): Rounds {
  return createRounds({
    ...{ queue, runRound, roundMs, clock: systemClock },
    log: ({ event }) => logged.push(event),
  })
}

function watch(rounds: Rounds): void {
  const abort = new AbortController()
  aborts.push(abort)
  running.push(rounds.watch(abort.signal))
}

describe('rounds', () => {
  test('run within seconds if no node accepted the bytes', () => {
    expect(getNextDelayMs('soon', 20_000)).toBe(5_000)
    expect(getNextDelayMs('soon', 1_000)).toBe(1_000)
    const pauses = [1, 2, 3, 4].map((failures) =>
      getResendDelayMs(poolRules.rootstock, failures, 120_000),
    )
    expect(pauses).toEqual([5_000, 20_000, 80_000, 120_000])
  })

  test.for([
    ['soon', 'done 20'],
    ['open', 'done 20'],
    ['watching', 'done 200'],
    ['idle', 'done undefined'],
  ] as const)('give a task back by what is left: %s', async ([result, said]) => {
    const { queue, told } = createQueue()
    const rounds = roundsOf(queue, async () => result)
    await rounds.wake()
    await rounds.work()
    expect(told).toEqual([said])
  })

  test('run again within seconds if something is due, else at the usual time', async () => {
    const sleeps: { ms: number; end: () => void }[] = []
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((end) => {
          sleeps.push({ ms, end })
          if (signal?.aborted) end()
          signal?.addEventListener('abort', () => end())
        }),
    }
    const { queue } = createQueue()
    const left: RoundResult[] = ['soon', 'idle']
    const runRound = async (): Promise<RoundResult> => left.shift() ?? 'idle'
    const rounds = createRounds({ queue, clock, roundMs: 20_000, log: () => {}, runRound })
    // The first round leaves something for soon.
    watch(rounds)
    const slept = async (count: number) => {
      await until(() => sleeps.length >= count, { everyMs: 1 })
      return sleeps.map(({ ms }) => ms)
    }
    const keeps = 20_000
    expect((await slept(3)).filter((ms) => ms !== keeps)).toEqual([15_000, 5_000])
    // Nothing is due now: a whole round is waited for, until something is.
    sleeps.at(-1)?.end()
    expect((await slept(4)).at(-1)).toBe(15_000)
    rounds.checkSoon()
    expect((await slept(5)).at(-1)).toBe(5_000)
  })

  test('continue when one of them fails', async () => {
    const { queue, told } = createQueue()
    const logged: string[] = []
    let rounds = 0
    const failing = async (): Promise<RoundResult> => {
      rounds += 1
      if (rounds === 1) throw new Error('the node is gone')
      return 'idle'
    }
    watch(roundsOf(queue, failing, logged))
    await expect.poll(() => told).toEqual(['done 20', 'done undefined'])
    expect(logged).toEqual(['tend.failed'])
  })

  test('continue when the queue does not answer', async () => {
    const logged: string[] = []
    let asked = 0
    const { queue, told } = createQueue()
    const { take } = queue
    const failing: DueQueue = {
      ...queue,
      take: (leaseMs) => {
        asked += 1
        if (asked === 1) throw new Error('no answer')
        return take(leaseMs)
      },
    }
    watch(roundsOf(failing, async () => 'idle', logged))
    await expect.poll(() => told).toEqual(['done undefined'])
    expect(logged).toEqual(['rounds.failed'])
  })

  test('report their end once if what was taken cannot be returned', async () => {
    const ends: string[] = []
    const logged: string[] = []
    const { queue } = createQueue({
      take: async () => 't',
      release: async () => {
        throw new Error('no answer')
      },
    })
    const rounds = createRounds({
      ...{ queue, roundMs, clock: systemClock, runRound: async () => 'idle' as const },
      onRoundEnd: (how) => void ends.push(how),
      log: ({ event }) => void logged.push(event),
    })
    await rounds.work()
    expect(ends).toEqual(['done'])
    expect(logged).toEqual(['rounds.failed'])
  })

  test('hold their task as long as they run', async () => {
    const { queue, told } = createQueue()
    const slow = async (): Promise<RoundResult> => {
      await until(() => told.length >= 3, { everyMs: 5 })
      return 'idle'
    }
    const rounds = roundsOf(queue, slow)
    await rounds.wake()
    await rounds.work()
    expect(told).toEqual(['renew', 'renew', 'renew', 'done undefined'])
  })
})

test.for([
  [
    'throws',
    () => {
      throw new Error('cron is not supported here')
    },
  ],
  ['rejects', () => Promise.reject(new Error('the schedule was refused'))],
] as const)('a cron that %s stops nothing, and is told as an error', async ([, define]) => {
  const logged: string[] = []
  const log: Log = ({ level, event }) => void logged.push(`${level} ${event}`)
  expect(await startCron(define, undefined, log)).toBe(false)
  expect(logged).toEqual(['error cron.failed'])
})

test('each run of a cron wakes the rounds and does what is due', async () => {
  const told: string[] = []
  const say = (word: string) => async () => void told.push(word)
  const rounds = { wake: say('wake'), work: say('work') }
  await startCron(
    (run) => run(),
    rounds,
    () => {},
  )
  expect(told).toEqual(['wake', 'work'])
})
