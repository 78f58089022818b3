import { describe, expect, test } from 'vitest'
import { planOf } from '../../../scripts/dev/simulator/draw/plan-of.ts'
import { judge } from '../../../scripts/dev/simulator/oracle/all.ts'
import { runPlan } from '../../../scripts/dev/simulator/run.ts'

describe('a run', () => {
  test.for([1, 3, 14, 126])(
    'of seed %i is the same history again, from the seed and from its faults',
    async (seed) => {
      const plan = planOf(seed)
      const { story, history } = await runPlan({ plan, isTold: true })
      expect(story.length).toBeGreaterThan(5)
      expect((await runPlan({ plan: planOf(seed), isTold: true })).story).toEqual(story)
      const { faults } = history
      expect(faults.size).toBeGreaterThan(0)
      expect((await runPlan({ plan, faults, isTold: true })).story).toEqual(story)
    },
  )

  test('that loses the rows of a payment tells what its transaction did, and not what was asked later', async () => {
    // A loan waits; its session and payment are lost; the session asks for a transfer instead.
    const { history, story } = await runPlan({ plan: planOf(508_984), isTold: true })
    expect(story.join('\n')).toContain('loses the row')
    expect(judge(history).violations).toEqual([])
  })

  test('whose transaction reverts as a whole goes on to what its intent was spent by', async () => {
    // The forwarder stops taking the relayer after everything that was paid is forgotten.
    const { history, story } = await runPlan({ plan: planOf(42_999), isTold: true })
    expect(story.join('\n')).toContain('reverted as a whole')
    expect(judge(history).violations).toEqual([])
  })

  test('whose nonces are given up while the pool has their bytes pays once, whatever the chain reaches later', async () => {
    const { history, story } = await runPlan({ plan: planOf(3_670), isTold: true })
    expect(history.givenUp).not.toEqual([])
    expect(story.join('\n')).toContain('alreadySpent')
    expect(judge(history).violations).toEqual([])
  })

  test('with real signatures keeps every promise', async () => {
    const plan = planOf(500)
    expect(plan.knobs.isSignedForReal).toBe(true)
    const { history } = await runPlan({ plan })
    expect(history.arrivals.length).toBeGreaterThan(0)
    expect(judge(history).violations).toEqual([])
  })
})
