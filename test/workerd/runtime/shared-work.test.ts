import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { cached } from '../../../src/runtime/cached.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { createWorkSharing } from '../../../src/runtime/shared-work.ts'
import { sampleOf, times } from '../../support/sample.ts'

/**
 * Runs work in a request of its own: an object's. The runtime lets nobody else read what was opened
 * in it, so what is read after the work tells whose request the work goes on as.
 */
async function inRequest<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
  return await runInDurableObject(env.LEDGER.getByName(name), async () => {
    const opened = new Response(name).body?.getReader()
    const answer = await work()
    await opened?.read()
    return answer
  })
}

/** Returns what several equal requests are given, and how often it was asked. */
async function sideBySide<Answer>(
  sharing: (ask: () => Promise<number>) => () => Promise<Answer>,
): Promise<{ answers: Answer[]; times: number }> {
  const names = ['one', 'two', 'three']
  let arrived = 0
  let times = 0
  const share = sharing(async () => {
    times += 1
    while (arrived < names.length) await systemClock.sleep(1)
    await systemClock.sleep(1)
    return 7
  })
  const answers = names.map((name) =>
    inRequest(name, () => {
      arrived += 1
      return share()
    }),
  )
  return { answers: await Promise.all(answers), times }
}

/**
 * With a shared promise the runtime loses a request only once this code is hot: after several
 * hundred rounds.
 */
const rounds = times({ sampled: 700, full: 1_500 })

const sharings = {
  'an answer that is kept for a moment': () => (ask: () => Promise<number>) =>
    cached(systemClock, 1_000, ask),
  'equal questions of a node service': () => {
    const sharing = createWorkSharing({ clock: systemClock, isSharedError: () => false })
    return (ask: () => Promise<number>) => () =>
      sharing.share('question', ask, systemClock.timeout(5_000))
  },
}

test.for(sampleOf(1, Object.entries(sharings), 'who shares'))(
  "a request that shares another's work continues as itself with %s",
  async ([, begin]) => {
    const sharing = begin()
    for (let round = 0; round < rounds; round++) {
      expect(await sideBySide(sharing)).toEqual({ answers: [7, 7, 7], times: 1 })
    }
  },
)
