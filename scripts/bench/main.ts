import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { provideRedisServer } from '../debian.mjs'
import { readJson } from '../stack/files.ts'
import { root } from '../stack/folder.ts'
import { collectFigures, type Figure, type Results, type Run, results } from './figures.ts'
import { describeMachine } from './machine.ts'
import { type Measurement, measurements } from './measurements.ts'
import { compareRuns, usualTolerance, wordsOf } from './report/compare.ts'
import { renderCost } from './report/cost.ts'
import { plots } from './report/plots.ts'
import { renderTable, showNumber, withPart } from './report/table.ts'
import { inWorld } from './world.ts'

const folder = join(root, 'docs', 'performance')
const guide = join(root, 'docs', 'deploying-to-cloudflare.md')
const resultsFile = join(folder, 'results.json')

const names = measurements.map(({ name }) => name).join(', ')

const helpText = `Measures the relay and its node service beside baselines, in turn, on this machine.

  npm run bench -- [--full] [--check | --only NAME]
  npm run bench -- --render | --cost

  --full    also what takes minutes: under 20 in all, and under 2 without it
  --check   compares with the committed run in the place of writing, and fails beyond ${usualTolerance * 100} %
  --only    measurements whose name holds NAME, and nothing is written:
            ${names}
  --render  makes table and plots again from the results that are there
  --cost    shows what 1,000 payments cost, by the results that are there`

const { values: flags } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    only: { type: 'string' },
    render: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (flags.help) say(helpText)
else if (flags.cost) say(renderCost(committed()))
else if (flags.render) write(committed())
else process.exitCode = await run()

async function run(): Promise<number> {
  const kind = flags.full ? 'full' : 'quick'
  const before = flags.check ? committed()[kind] : undefined
  if (flags.check && before === undefined) {
    say(`${resultsFile} has no ${kind} run to compare with`)
    return 1
  }
  const chosen = measurements.filter(isChosen)
  if (chosen.length === 0) {
    say(`No measurement's name holds ${flags.only}. They are: ${names}`)
    return 1
  }
  // Known before the first of them, and not after eight minutes of a full run.
  if (chosen.some(({ needsRedis }) => needsRedis) && !provideRedisServer()) {
    say('redis-server is missing: apt-get install redis-server')
    return 1
  }
  const done = await measure(chosen)
  if (before !== undefined) return check(before, done)
  if (flags.only === undefined) write({ ...committed(), [kind]: done })
  return 0
}

function isChosen({ name, isLong = false }: Measurement): boolean {
  return flags.only === undefined ? flags.full || !isLong : name.includes(flags.only)
}

async function measure(chosen: readonly Measurement[]): Promise<Run> {
  const started = performance.now()
  const date = new Date().toISOString()
  const machine = describeMachine()
  const figures = collectFigures((figure) => say(line(figure)))
  await inWorld({ isFull: flags.full, figures, say }, async (world) => {
    for (const { name, measure } of chosen) {
      say(`${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`)
      await measure(world)
    }
  })
  const seconds = (performance.now() - started) / 1000
  say(`${figures.all().length} figures in ${seconds.toFixed(0)} s`)
  const command = `npm run bench${flags.full ? ' -- --full' : ''}`
  return { command, date, seconds, machine, figures: [...figures.all()] }
}

function check(before: Run, done: Run): number {
  const findings = compareRuns(before, done)
  const held = done.figures.filter(({ checked }) => checked).length
  for (const finding of findings) say(`OFF ${wordsOf(finding)}`)
  const [was, is] = [before.machine.calibrationMs, done.machine.calibrationMs]
  if (findings.length > 0 && is > was * 1.5) {
    say(
      `The machine is busy: a calibration loop took ${is.toFixed(0)} ms of CPU, and ${was.toFixed(0)} in the committed run.`,
    )
  }
  say(
    findings.length === 0
      ? `All ${held} held figures are within ${usualTolerance * 100} % of the committed ones.`
      : `${findings.length} held figures are off by more than ${usualTolerance * 100} %, or missing. If that is meant: npm run bench, and commit ${resultsFile.slice(root.length)}.`,
  )
  return findings.length === 0 ? 0 : 1
}

function committed(): Results {
  return results.safeParse(readJson(resultsFile)).data ?? {}
}

function write(all: Results): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(resultsFile, `${JSON.stringify(all, undefined, 2)}\n`)
  const document = join(folder, 'README.md')
  writeFileSync(document, withPart(readFileSync(document, 'utf8'), 'figures', renderTable(all)))
  writeFileSync(guide, withPart(readFileSync(guide, 'utf8'), 'cost', renderCost(all)))
  for (const [name, svg] of Object.entries(plots(all))) writeFileSync(join(folder, name), svg)
}

function line({ title, unit, value, checked }: Figure): string {
  const ends = `(${showNumber(value.low)} to ${showNumber(value.high)})`
  const cells = [showNumber(value.median).padStart(9), unit, value.rounds > 1 ? ends : '']
  return `  ${title.padEnd(64)} ${cells.join(' ')}${checked ? ' *' : ''}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
