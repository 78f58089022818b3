import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// Plain .mjs: forge may call this with the machine's own Node, which does not strip types.
const require = createRequire(import.meta.url)
const flags = process.argv.slice(2)

// The other flags (--allow-paths, --base-path) are about imports, and forge sends every source.
if (flags.includes('--version')) {
  // Asked whenever forge starts, and the compiler itself takes half a second to load. Only the
  // compiler knows which commit it is of, and nothing depends on that.
  const { version } = require('solc/package.json')
  process.stdout.write(`solc, npm's build\nVersion: ${version}+npm\n`)
} else if (flags.includes('--standard-json')) {
  process.stdout.write(require('solc').compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('scripts/solc knows --version and --standard-json\n')
  process.exitCode = 1
}
