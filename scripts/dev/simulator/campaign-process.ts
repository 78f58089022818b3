import { writeSync } from 'node:fs'
import type { Message } from './campaign.ts'
import { simulate } from './simulate.ts'
import { newTally } from './tally.ts'

// Started by the campaign with its first seed, the step to the next one, the end, and seeds before those.
const [first = 1, step = 1, end = 1, ...early] = process.argv.slice(2).map(Number)
const tally = newTally()
const say = (message: Message) => writeSync(1, `${JSON.stringify(message)}\n`)

const seeds = [...early]
for (let seed = first; seed < end; seed += step) if (!early.includes(seed)) seeds.push(seed)

for (const seed of seeds) {
  try {
    const { violations } = await simulate(seed, tally)
    const [violation] = violations
    if (violation !== undefined) say({ kind: 'broken', seed, violation })
  } catch (error) {
    say({ kind: 'failed', seed, message: error instanceof Error ? `${error.stack}` : `${error}` })
  }
}
say({ kind: 'done', tally })
