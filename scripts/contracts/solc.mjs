import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// Plain .mjs: forge may call this with the machine's own Node, which does not strip types.
const solc = createRequire(import.meta.url)('solc')
const flags = process.argv.slice(2)

// The other flags (--allow-paths, --base-path) are about imports, and forge sends every source.
if (flags.includes('--version')) {
  process.stdout.write(`solc, npm's build\nVersion: ${solc.version()}\n`)
} else if (flags.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('scripts/solc knows --version and --standard-json\n')
  process.exitCode = 1
}
