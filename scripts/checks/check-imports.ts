import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importFaults } from './import-rules.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const files = globSync('{src,scripts,test}/**/*.{ts,mjs}', { cwd: root })
const sources = new Map(
  files.map((file) => [file.replaceAll(sep, '/'), readFileSync(join(root, file), 'utf8')]),
)
const faults = importFaults(sources)
for (const { file, message } of faults) process.stdout.write(`${file} ${message}\n`)
if (faults.length > 0) process.exitCode = 1
else process.stdout.write(`Imports of ${sources.size} files keep the layout's rules.\n`)
