import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

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
  process.stdout.write(once(readFileSync(0, 'utf8'), compile))
} else {
  process.stderr.write('scripts/solc knows --version and --standard-json\n')
  process.exitCode = 1
}

/**
 * Compiles each file with what it imports and no other where code is made through the IR. The
 * compiler makes other code of a file when more is compiled with it
 * (https://github.com/argotorg/solidity/issues/14541): forge sends whatever has changed, and
 * explorers get a contract and its imports.
 */
function compile(input) {
  if (!input.settings.viaIR) return run(input)
  const output = { errors: [], contracts: {}, sources: {} }
  for (const [id, path] of Object.keys(input.sources).entries()) {
    const own = JSON.parse(once(JSON.stringify(narrowed(input, path)), run))
    output.contracts[path] = own.contracts?.[path] ?? {}
    output.sources[path] = { ...own.sources?.[path], id }
    const told = output.errors.map((error) => error.formattedMessage)
    output.errors.push(
      ...(own.errors ?? []).filter((error) => !told.includes(error.formattedMessage)),
    )
  }
  return output
}

/** Narrows what forge sent to one file and what it imports, as the compiler asks for it. */
function narrowed(input, path) {
  const sources = { [path]: input.sources[path] }
  const settings = (outputSelection) => ({ ...input.settings, outputSelection })
  run({ ...input, sources, settings: settings({}) }, (imported) => {
    if (!(imported in input.sources)) return { error: 'forge did not send it' }
    sources[imported] = input.sources[imported]
    return { contents: sources[imported].content }
  })
  return { ...input, sources, settings: settings({ [path]: input.settings.outputSelection[path] }) }
}

function run(input, readImport) {
  return JSON.parse(require('solc').compile(JSON.stringify(input), { import: readImport }))
}

/**
 * Keeps what is made of an input in the folder `SOLC_KEPT`: `npm test` builds the same often, in
 * each clone. A file's name is a digest of the input, the compiler's version and this script.
 */
function once(text, make) {
  const { SOLC_KEPT: folder = '' } = process.env
  const { version } = require('solc/package.json')
  const made = `${readFileSync(new URL(import.meta.url))} ${version} ${make.name} ${text}`
  const name = createHash('sha256').update(made).digest('hex')
  const file = join(folder, name)
  if (folder !== '' && existsSync(file)) return readFileSync(file, 'utf8')
  const output = JSON.stringify(make(JSON.parse(text)))
  if (folder === '') return output
  // Another process may read it, or make the same.
  writeFileSync(`${file}.${process.pid}`, output)
  renameSync(`${file}.${process.pid}`, file)
  return output
}
