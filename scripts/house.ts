import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { parseAst } from 'vitest/node'
import { settings } from '../src/compose/config.ts'
import { linesOf, longestFunction, tableFaults } from './house-size.ts'
import { buildWorker } from './stack/worker-build.ts'

/** What a newcomer reads first is read to its end. */
const MAX_README_LINES = 150

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const sourcesOf = (...patterns: string[]): Map<string, string> =>
  new Map(globSync(patterns, { cwd: root }).map((file) => [file, read(file)]))

const parts = {
  src: sourcesOf('src/**/*.ts'),
  contracts: sourcesOf('contracts/{src,script}/**/*.sol'),
  scripts: sourcesOf('scripts/**/*.{ts,mjs}'),
  tests: sourcesOf('test/**/*.ts', 'contracts/test/**/*.sol'),
}
const longest = longestFunction(new Map([...parts.src, ...parts.scripts]), (source) =>
  parseAst(source, { lang: 'ts' }),
)
const readme = linesOf([read('README.md')])
const { scripts: commands } = JSON.parse(read('package.json')) as { scripts: object }
const bundle = await bundleSize()

for (const [part, sources] of Object.entries(parts)) {
  print(part, `${linesOf(sources.values())} lines in ${sources.size} files`)
}
print(
  'longest function',
  `${longest?.lines} lines of its own: ${longest?.name} (${longest?.file}:${longest?.line})`,
)
print('commands', `${Object.keys(commands).length} of npm run`)
print('settings', `${settings.length} of the Worker`)
print('README', `${readme} lines, ${MAX_README_LINES} at most`)
print('bundle', `${kib(bundle.raw)}, gzipped ${kib(bundle.gzipped)}`)

const faults = tableFaults(settings, read('docs/configuration.md')).map(
  (fault) => `docs/configuration.md ${fault}`,
)
if (readme > MAX_README_LINES) faults.push('README.md is too long: details belong in docs/')
for (const fault of faults) process.stdout.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1

function print(name: string, figures: string): void {
  process.stdout.write(`${`${name}:`.padEnd(18)}${figures}\n`)
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}

/** Bytes of the Worker as it is deployed. */
async function bundleSize(): Promise<{ raw: number; gzipped: number }> {
  const script = Buffer.from((await buildWorker()).script)
  return { raw: script.length, gzipped: gzipSync(script).length }
}
