import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { parseAst } from 'vitest/node'
import { settings } from '../../src/compose/config.ts'
import { buildWorker, metafile } from '../stack/served/worker-build.ts'
import {
  type FunctionSize,
  functionSizes,
  licenceFaults,
  linesOf,
  packagesIn,
  tableFaults,
} from './house-size.ts'

/** What a newcomer reads first is read to its end. */
const maxReadmeLines = 150

/** What fits a screen, comments among it: lines of a function's own. */
const maxFunctionLines = 70

/** Of the gzipped bundle: what an isolate reads before it answers its first request. */
const maxBundleBytes = 250_000

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const sourcesOf = (...patterns: string[]): Map<string, string> =>
  new Map(globSync(patterns, { cwd: root }).map((file) => [file, read(file)]))

const parts = {
  src: sourcesOf('src/**/*.ts'),
  contracts: sourcesOf('contracts/{src,script}/**/*.sol'),
  scripts: sourcesOf('scripts/**/*.{ts,mjs}'),
  tests: sourcesOf('test/**/*.ts', 'contracts/test/**/*.sol'),
}
const typescript = new Map(
  [...parts.src, ...parts.scripts, ...parts.tests].filter(([file]) => !file.endsWith('.sol')),
)
const functions = functionSizes(typescript, (source) => parseAst(source, { lang: 'ts' }))
const longest = functions.slice(0, 5).map(sizeWords)
const readme = linesOf([read('README.md')])
const { scripts: commands } = JSON.parse(read('package.json')) as { scripts: object }
const bundle = await readBundle()

for (const [part, sources] of Object.entries(parts)) {
  print(part, `${linesOf(sources.values())} lines in ${sources.size} files`)
}
print('longest functions', `${longest.join(', ')}; ${maxFunctionLines} at most`)
print('commands', `${Object.keys(commands).length} of npm run`)
print('settings', `${settings.length} of the Worker`)
print('README', `${readme} lines, ${maxReadmeLines} at most`)
print('bundle', `${kb(bundle.raw)}, gzipped ${kb(bundle.gzipped)}, ${kb(maxBundleBytes)} at most`)

const faults = [
  ...tableFaults(settings, read('docs/configuration.md')).map(
    (fault) => `docs/configuration.md ${fault}`,
  ),
  ...licenceFaults(bundle.licences, read('docs/licences.md')).map(
    (fault) => `docs/licences.md ${fault}`,
  ),
]
for (const size of functions.filter(({ lines }) => lines > maxFunctionLines))
  faults.push(`Does not fit a screen: ${sizeWords(size)}`)
if (bundle.gzipped > maxBundleBytes) faults.push('The bundle is too large: its metafile says why')
if (readme > maxReadmeLines) faults.push('README.md is too long: details belong in docs/')
for (const fault of faults) process.stdout.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1

function sizeWords({ lines, name, file, line }: FunctionSize): string {
  return `${lines} ${name || 'a function'} (${file}:${line})`
}

function print(name: string, figures: string): void {
  process.stdout.write(`${`${name}:`.padEnd(20)}${figures}\n`)
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}

/** The Worker as it is deployed: its size in bytes, and the licence of each package in it, by name. */
async function readBundle(): Promise<{
  raw: number
  gzipped: number
  licences: Map<string, string>
}> {
  const { folder, script } = await buildWorker()
  const bytes = Buffer.from(script)
  const folders = packagesIn(JSON.parse(readFileSync(join(folder, metafile), 'utf8')))
  const licences = folders.map((path) => {
    const { name, license } = JSON.parse(read(join(path, 'package.json')))
    return [name, license] as [string, string]
  })
  return { raw: bytes.length, gzipped: gzipSync(bytes).length, licences: new Map(licences.sort()) }
}
