import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { provide } from '../debian.ts'
import { replacePart } from '../generate/document.ts'
import { createCommand, type Found, flag, runAsProgram, text } from '../stack/command.ts'
import { readJson } from '../stack/files.ts'
import { root } from '../stack/folder.ts'
import { Misused, StackError, say } from '../stack/report.ts'
import {
  collectFigures,
  compareFigures,
  type Figure,
  type Results,
  results,
  tolerance,
} from './figures.ts'
import { measureColdAndScreens } from './measure/cold.ts'
import { measureCrowd } from './measure/crowd.ts'
import { measureGrowth } from './measure/growth.ts'
import { measureJsonRpc } from './measure/json-rpc.ts'
import { measureMemory } from './measure/memory.ts'
import { measurePayments } from './measure/payments.ts'
import { measurePeer } from './measure/peer.ts'
import { measureProfile } from './measure/profile.ts'
import { measureRootstock } from './measure/rootstock.ts'
import { measureSteady } from './measure/steady.ts'
import { drawPlot } from './plot.ts'
import { writeCost, writeLine, writeTable } from './report.ts'
import { runInWorld, type World } from './world.ts'

const folder = join(root, 'docs', 'performance')

type Measurements = Readonly<Record<string, (world: World) => Promise<void>>>

/** Lists all measurements in their order; Rootstock's are last, since they take over the blocks. */
const measurements: Measurements = {
  cold: measureColdAndScreens,
  payments: measurePayments,
  profile: measureProfile,
  steady: measureSteady,
  'json-rpc': measureJsonRpc,
  growth: measureGrowth,
  memory: measureMemory,
  rootstock: measureRootstock,
  crowd: measureCrowd,
}
const names = Object.keys(measurements)

const usage = `Measures the relay and its node service beside baselines, in turn, on this machine.

  npm run bench -- [--check | --only NAME | --token | --peer URL]

  --check  compares with the committed run in the place of writing, and fails beyond ${tolerance * 100} %
  --only   one measurement alone, and nothing is written: ${names.join(', ')}
  --token  over a token in place of the currency, and nothing is written
  --peer   beside a bundler of ERC-4337 (EntryPoint 0.7), which you start once the run says with
           what; it answers at this URL on this machine, and nothing is written`

export const bench = createCommand({
  usage,
  options: { check: flag, only: text, token: flag, peer: text },
  async run({ check, only, token, peer }) {
    if (peer !== undefined) {
      const isAlone = !check && only === undefined && !token
      if (!isAlone || !URL.canParse(peer))
        throw new Misused('--peer takes a URL, and stands alone.')
      await measure({ peer: (world) => measurePeer(world, peer) }, false)
      return undefined
    }
    if (only !== undefined && !names.includes(only)) {
      throw new StackError(`There is no measurement ${only}. They are: ${names.join(', ')}`)
    }
    if (!provide('redis-server')) {
      throw new StackError('redis-server is missing: apt-get install redis-server')
    }
    const about = { date: new Date().toISOString(), ...describeMachine() }
    const isChosen = ([name]: readonly [string, unknown]) => only === undefined || name === only
    const chosen = Object.fromEntries(Object.entries(measurements).filter(isChosen))
    const figures = await measure(chosen, token)
    if (check) return compare(figures)
    if (only === undefined && !token) write(about, figures)
    return undefined
  },
})
runAsProgram(import.meta, bench)

async function measure(chosen: Measurements, isOverToken: boolean) {
  const started = performance.now()
  const seconds = () => ((performance.now() - started) / 1000).toFixed(0)
  const figures = collectFigures((figure) => say(writeLine(figure)))
  await runInWorld({ figures, say, isOverToken }, async (world) => {
    for (const [name, work] of Object.entries(chosen)) {
      say(`${name} (${seconds()} s)`)
      await work(world)
    }
  })
  say(`${figures.all.length} figures in ${seconds()} s; those with * are held`)
  return figures.all
}

function compare(figures: readonly Figure[]): Found {
  const committed = results.parse(readJson(join(folder, 'results.json')))
  const faults = compareFigures(committed.figures, figures)
  const percent = `${tolerance * 100} %`
  const sum =
    faults.length === 0
      ? `All ${committed.figures.length} held figures are within ${percent} of the committed ones.`
      : `${faults.length} are off by more than ${percent}. If that is meant: npm run bench, and commit.`
  return { lines: [...faults.map((fault) => `OFF ${fault}`), sum], isBad: faults.length > 0 }
}

type About = Omit<Results, 'figures'>

/** Writes the committed figures, and beside them all others. */
function write(about: About, all: readonly Figure[]): void {
  const held = all.filter((figure) => figure.held)
  const round = (value: number) => Number(value.toPrecision(4))
  const figures = held.map(({ name, unit, value }) => ({ name, unit, value: round(value) }))
  const committed = { ...about, figures }
  const lines = figures.map((figure) => `    ${JSON.stringify(figure)}`).join(',\n')
  const head = JSON.stringify(about, undefined, 2).slice(0, -2)
  writeFileSync(join(folder, 'results.json'), `${head},\n  "figures": [\n${lines}\n  ]\n}\n`)
  const everything = JSON.stringify({ ...about, figures: all }, undefined, 2)
  writeFileSync(join(folder, 'all-figures.json'), `${everything}\n`)
  writeFileSync(join(folder, 'payments.svg'), drawPlot(all))
  update(join(folder, 'README.md'), 'figures', writeTable(committed))
  update(join(root, 'docs', 'deploying-to-cloudflare.md'), 'cost', writeCost(committed))
}

function update(file: string, part: string, text: string): void {
  writeFileSync(file, replacePart(readFileSync(file, 'utf8'), part, text))
}

function describeMachine(): Pick<Results, 'machine' | 'versions'> {
  const memory = Math.round(totalmem() / 1024 ** 3)
  const tools = ['workerd', 'miniflare', '@foundry-rs/anvil', 'viem', 'hono', 'deno']
  const read = (name: string) => readJson(join(root, 'node_modules', name, 'package.json'))
  const version = z.object({ name: z.string(), version: z.string() })
  const versions = tools.map((tool) => version.parse(read(tool)))
  return {
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}, ${memory} GiB, ${type()} ${release()})`,
    versions: [{ name: 'node', version: process.versions.node }, ...versions]
      .map((each) => `${each.name} ${each.version}`)
      .join(', '),
  }
}
