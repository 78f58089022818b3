import { writeSync } from 'node:fs'
import type { Message } from './campaign.ts'
import { simulate } from './simulate.ts'
import { add, newTally } from './tally.ts'

// Started by the campaign with its first seed, the step to the next one, and the end.
const [first = 1, step = 1, end = 1] = process.argv.slice(2).map(Number)
const tally = newTally()
const say = (message: Message) => writeSync(1, `${JSON.stringify(message)}\n`)

for (let seed = first; seed < end; seed += step) {
  try {
    const { violations, tally: own } = await simulate(seed)
    add(tally, own)
    const [violation] = violations
    if (violation !== undefined) say({ kind: 'broken', seed, violation })
  } catch (error) {
    say({ kind: 'failed', seed, message: error instanceof Error ? `${error.stack}` : `${error}` })
  }
}
say({ kind: 'done', tally })
