import { describe, expect, test } from 'vitest'
import { drawPlan } from '../../../scripts/dev/simulator/draw/draw-plan.ts'
import { coinMoney } from '../../../scripts/dev/simulator/money.ts'
import { judge } from '../../../scripts/dev/simulator/oracle/all.ts'
import { runPlan } from '../../../scripts/dev/simulator/run.ts'

describe('a run', () => {
  // The last ones count a token, by amounts of it and in local money.
  test.for([1, 3, 14, 126, 199, 182])('of seed %i is the same history again', async (seed) => {
    const { transcript, history } = await runPlan(drawPlan(seed), true)
    expect(transcript.length).toBeGreaterThan(5)
    expect((await runPlan(drawPlan(seed), true)).transcript).toEqual(transcript)
    expect(history.deliveries.some(({ actor }) => actor.troubles.size > 0)).toBe(true)
  })

  test('that loses its last minute with four payments breaks no promise', async () => {
    const { history, transcript } = await runPlan(drawPlan(2_670), true)
    expect(transcript.join('\n')).toContain('loses what it wrote in 60 s, 4 payments in it')
    expect(judge(history).violations).toEqual([])
  })

  test('whose transaction reverts as a whole goes on to what its intent was spent by', async () => {
    // The forwarder stops taking the relayer after everything that was paid is forgotten.
    const { history, transcript } = await runPlan(drawPlan(42_999), true)
    expect(transcript.join('\n')).toContain('reverted as a whole')
    expect(judge(history).violations).toEqual([])
  })

  test('whose nonces are given up while the pool has their bytes pays once, whatever the chain reaches later', async () => {
    const { history, transcript } = await runPlan(drawPlan(3_670), true)
    expect(history.givenUp).not.toEqual([])
    expect(transcript.join('\n')).toContain('alreadySpent')
    expect(judge(history).violations).toEqual([])
  })

  test.for([
    [225_095, { undone: 1 }],
    [230_090, {}],
    [210_869, {}],
    [258_074, {}],
    [263_031, {}],
    [263_937, {}],
    [271_552, {}],
    [243_087, {}],
  ] as const)('of seed %i breaks no promise but for %j', async ([seed, excused]) => {
    const { history } = await runPlan(drawPlan(seed, coinMoney))
    expect(judge(history)).toMatchObject({ violations: [], excused })
  })
})
