import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { settings } from '../../src/compose/environment.ts'
import { createCommand } from '../stack/command.ts'
import { root } from '../stack/folder.ts'
import { buildWorker, metafile } from '../stack/served/worker-build.ts'
import * as size from './house-size.ts'
import { findImportFaults } from './import-rules.ts'

const usage = `Says how large the house is, and fails where it does not keep its bounds, or a rule of its layers.

  npm run check -- house

A bound is raised only by a commit that says why.`

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const readAll = (pattern: string, leftOut = /^$/): Map<string, string> => {
  const isCounted = (file: string) => !leftOut.test(file) && statSync(join(root, file)).isFile()
  const files = globSync(pattern, { cwd: root }).filter(isCounted)
  return new Map(files.map((file) => [file, read(file)]))
}
const linesOf = (sources: ReadonlyMap<string, string>) =>
  [...sources.values()].reduce((sum, text) => sum + size.countLines(text), 0)

export const house = createCommand({
  usage,
  options: {},
  async run() {
    const src = readAll('src/**/*', /\/(abi|lua|assets|schemas|plans)\.ts$/)
    const scripts = readAll('scripts/**/*')
    const tests = readAll('test/**/*')
    const documents = readAll('{*,{docs,contracts,test}/**/*}.md')
    const data = readAll('docs/**/*', /\.md$|open(rpc|api)\.json$|\.png$|all-figures\.json$/)
    const code = readAll('{src,scripts,test,contracts}/**/*.{ts,tsx,mjs,js,lua,sol}')
    const comments = [...src.values()].join('\n').match(/^\s*(\/\/|\/\*|\*)/gm)?.length ?? 0
    const twice = size.findNamesExportedTwice(src)
    const bundle = await readBundle()

    /** Lists what is counted, its count, and its bound. */
    const rows: readonly (readonly [what: string, count: number, bound: number])[] = [
      ['lines of src, without what is generated', linesOf(src), 39_939],
      ['lines of scripts', linesOf(scripts), 23_510],
      ['lines of test', linesOf(tests), 46_085],
      ["lines of data in docs, without OpenRPC's and OpenAPI's", linesOf(data), 500],
      ['commands of npm run', Object.keys(JSON.parse(read('package.json')).scripts).length, 12],
      ['names that two files of src export', twice.length, 0],
      ['imports in a circle', countCircles(), 0],
      ['lines of comment in src', comments, 3_865],
      ['lines of comment over 100 characters', size.countLongComments(code), 0],
      ['lines of Markdown over 100 characters', size.countLongLines(documents), 0],
      ['lines of README.md', size.countLines(read('README.md')), 120],
      ['bytes of the bundle, gzipped', bundle.gzipped, 330_700],
    ]
    const counts = rows.map(
      ([what, count, bound]) =>
        `${what.padEnd(42)}${count.toFixed().padStart(7)}, at most ${bound}`,
    )
    const faults = [
      ...rows.flatMap(([what, count, bound]) => (count > bound ? [`Too many ${what}`] : [])),
      ...twice,
      ...findImportFaults(readAll('{src,scripts,test}/**/*.{ts,tsx,mjs}')),
      ...faultsIn('docs/configuration.md', (text) => size.tableFaults(settings, text)),
      ...faultsIn('docs/licences.md', (text) => size.licenceFaults(bundle.licences, text)),
    ]
    return { lines: [...counts, ...faults], isBad: faults.length > 0 }
  },
})

function faultsIn(file: string, find: (text: string) => string[]): string[] {
  return find(read(file)).map((fault) => `${file} ${fault}`)
}

function countCircles(): number {
  const rule = 'suspicious/noImportCycles'
  const args = ['lint', `--only=${rule}`, '--max-diagnostics=none', '--colors=off', '.']
  const biome = join(root, 'node_modules/.bin/biome')
  const { stdout, stderr } = spawnSync(biome, args, { cwd: root, encoding: 'utf8' })
  return `${stdout}${stderr}`.match(new RegExp(` lint/${rule} `, 'g'))?.length ?? 0
}

/** Reads the Worker as it is deployed: its bytes, and each package's licence by name. */
async function readBundle(): Promise<{ gzipped: number; licences: Map<string, string> }> {
  const { folder, script } = await buildWorker()
  const folders = size.packagesIn(JSON.parse(readFileSync(join(folder, metafile), 'utf8')))
  const licences = folders.map((path) => {
    const { name, license } = JSON.parse(read(join(path, 'package.json')))
    return [name, license] as [string, string]
  })
  return { gzipped: gzipSync(script).length, licences: new Map(licences.sort()) }
}
