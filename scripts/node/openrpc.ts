import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { methods } from '../../src/node/methods/list.ts'
import { openRpcDocument } from '../../src/node/methods/openrpc.ts'

// Writes docs/openrpc.json, or with --check tells whether it is what would be written.
const file = fileURLToPath(new URL('../../docs/openrpc.json', import.meta.url))
const text = `${JSON.stringify(openRpcDocument(methods), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/openrpc.json is stale: npm run openrpc\n')
  process.exitCode = 1
}
