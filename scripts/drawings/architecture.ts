import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dependencyDrawing } from './dependency-drawing.ts'

// Writes the drawing of ARCHITECTURE.md, or with --check tells whether it is what the imports say.
const root = fileURLToPath(new URL('../..', import.meta.url))
const file = join(root, 'ARCHITECTURE.md')
const begin = '<!-- imports: written by `npm run architecture` -->\n'
const end = '<!-- /imports -->'

const sources = new Map(
  globSync('src/**/*.ts', { cwd: root }).map((name) => [
    name.replaceAll(sep, '/'),
    readFileSync(join(root, name), 'utf8'),
  ]),
)
const text = readFileSync(file, 'utf8')
const [from, to] = [text.indexOf(begin), text.indexOf(end)]
if (from < 0 || to < from) {
  process.stderr.write(`ARCHITECTURE.md has no place for its drawing: ${begin}${end}\n`)
  process.exitCode = 1
} else {
  const drawing = `\n\`\`\`mermaid\n${dependencyDrawing(sources)}\`\`\`\n\n`
  const updated = `${text.slice(0, from + begin.length)}${drawing}${text.slice(to)}`
  if (!process.argv.includes('--check')) {
    writeFileSync(file, updated)
  } else if (updated !== text) {
    process.stderr.write('The drawing of ARCHITECTURE.md is stale: npm run architecture\n')
    process.exitCode = 1
  }
}
