import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { version } from '../src/operator/version.ts'
import { buildContracts, readArtifact } from './contracts/forge.ts'
import { createCommand, runAsProgram } from './stack/command.ts'
import { root } from './stack/folder.ts'
import { Misused, StackError } from './stack/report.ts'
import { buildWorker, listWasm } from './stack/served/worker-build.ts'

const usage = `Usage: node scripts/bootstrap.mjs scripts/release.ts FOLDER

Writes into FOLDER what a release publishes: the Worker as it is uploaded (with its WebAssembly), each contract's ABI and bytecode,
their checksums (SHA256SUMS), and in NOTES.md this version's part of CHANGELOG.md.`

const contracts = ['MicroLoan', 'RelayForwarder']

export const release = createCommand({
  usage,
  options: {},
  async run(_, [given, ...more]) {
    if (given === undefined || more.length > 0) throw new Misused()
    const folder = resolve(given)
    const notes = readNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
    const [{ folder: built, script }] = await Promise.all([buildWorker(), buildContracts()])
    const wasm = listWasm(built).map((path) => [basename(path), readFileSync(path)] as const)
    const files = [['worker.js', script] as const, ...wasm, ...contracts.map(writeContract)]
    const sums = files.map(([name, content]) => `${sha256(content)}  ${name}\n`).join('')
    mkdirSync(folder, { recursive: true })
    for (const [name, content] of [...files, ['SHA256SUMS', sums], ['NOTES.md', notes]] as const) {
      writeFileSync(join(folder, name), content)
    }
    return { lines: [`${version} is in ${folder}:`, sums.trimEnd()] }
  },
})
runAsProgram(import.meta, release)

function writeContract(name: string) {
  const { abi, ...code } = readArtifact(name)
  const [bytecode, deployedBytecode] = [code.bytecode.object, code.deployedBytecode.object]
  return [`${name}.json`, `${JSON.stringify({ abi, bytecode, deployedBytecode })}\n`] as const
}

/** Finds this version's part of a changelog. @throws {StackError} it has none */
export function readNotes(changelog: string): string {
  const [, notes] = changelog.split(`\n## [${version}]`)
  if (notes === undefined) throw new StackError(`CHANGELOG.md says nothing of ${version}.`)
  return `${notes
    .replace(/^.*\n/, '')
    .split(/\n(?:## |\[\S+\]: )/)[0]
    ?.trim()}\n`
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
