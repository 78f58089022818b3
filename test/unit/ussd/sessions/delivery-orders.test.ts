import { describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../../scripts/dev/random.ts'
import { seed, times } from '../../../support/sample.ts'
import { friend, openWorld } from '../world.ts'

const holdsMs = 180_000
const redeliveredMs = 600_000
/** The clock of a test goes on while it runs. */
const slackMs = 10_000

const orders = times({ sampled: 60, full: 1_500 })

/** How much later a delivery comes than the one before: mostly in time, else far from a limit. */
const drawPauseMs = (random: Random): number =>
  random.weighted([
    [random.int(0, 20_000), 8],
    [holdsMs - random.int(1, 2) * slackMs, 1],
    [holdsMs + random.int(1, 2) * slackMs, 2],
    [redeliveredMs - slackMs, 1],
    [redeliveredMs + random.int(1, 8) * slackMs, 2],
    [random.int(1, 70) * 3_600_000, 0.3],
  ])

/** Draws what is delivered next: the next answer, an answer again, or one after the end. */
function drawText(random: Random, last: string | undefined): string {
  const send = `2*${friend}*0.00${random.int(1, 2)}`
  const fresh = ['', '2', send, `${send}*1`, `${send}*1*1`, `${send}*1*2`, '3', '3*1', '3*1*1', '5']
  const next = last === undefined ? [] : [`${last}*1`, `${last}*2`, `${last}*7`]
  return random.weighted([
    [random.pick(next.length === 0 ? fresh : next), 6],
    [random.pick(fresh), 2],
    [last ?? send, 3],
  ])
}

/** What a caller's session has shown and done. */
type Session = {
  shownAt: Map<string, number>
  arrivedAt: Map<string, number>
  shown: Map<string, string>
  paid?: { text: string; at: number }
}

const parentOf = (text: string): string => text.slice(0, Math.max(0, text.lastIndexOf('*')))

/**
 * Judges by one rule: an answer pays only while its question holds, and a session pays once. The
 * text that paid shows its reply as long as it may be delivered again, then what was paid; any
 * other text has ended.
 */
function judge(session: Session, text: string, at: number, screen: string, count: number): void {
  const { shownAt, arrivedAt, shown, paid } = session
  if (paid !== undefined) {
    expect(count, 'a session pays once').toBe(0)
    const since = at - paid.at
    if (text !== paid.text) expect(screen).toBe('END This session has ended. Please dial again.')
    else if (since < redeliveredMs - slackMs / 2) expect(screen).toBe(shown.get(text))
    else if (since > redeliveredMs + slackMs / 2) expect(screen).toMatch(/ ago\. Nothing more was /)
    return
  }
  const since = Math.min(shownAt.get(parentOf(text)) ?? at, arrivedAt.get(text) ?? at)
  if (count > 0) {
    expect(count).toBe(1)
    expect(at - since, 'a question holds for a time').toBeLessThan(holdsMs + slackMs / 2)
    expect(screen).toMatch(/^END (Transfer Submitted|Loan Requested)/)
    session.paid = { text, at }
  }
  if (at - since < holdsMs - slackMs / 2) expect(screen).not.toContain('Not sent yet.')
}

describe(`deliveries in any order (SEED=${seed})`, () => {
  test.for(Array.from({ length: orders }, (_, order) => order))('order %i', async (order) => {
    const random = createRandom(seed, `order ${order}`)
    const { clock, deliver, paid, settle } = openWorld()
    const sessions = Array.from({ length: random.int(1, 3) }, (): Session => {
      return { shownAt: new Map(), arrivedAt: new Map(), shown: new Map() }
    })
    const told: string[] = []
    for (let index = 0; index < 14; index++) {
      clock.forward(drawPauseMs(random))
      if (random.chance(0.3)) await settle()
      const number = random.int(0, sessions.length - 1)
      const session = sessions[number] as Session
      const text = drawText(random, [...session.shown.keys()].at(-1))
      const [at, before] = [clock.now(), await paid(0)]
      const screen = await deliver(0, `${number}`, text)
      told.push(`${at} ${number}: ${text} -> ${screen}`)
      try {
        judge(session, text, at, screen, (await paid(0)) - before)
      } catch (error) {
        throw new Error(told.join('\n'), { cause: error })
      }
      session.arrivedAt.set(text, session.arrivedAt.get(text) ?? at)
      if (screen.startsWith('CON')) session.shownAt.set(text, session.shownAt.get(text) ?? at)
      // The newest text is the last one.
      session.shown.delete(text)
      session.shown.set(text, screen)
    }
  })
})
