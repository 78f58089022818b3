import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { forge, projectRoot } from './forge.ts'

// `npm run gas` measures and writes snapshots/ and the tables of contracts/README.md; `npm run gas:check`
// fails when either is not what the contracts cost now.

const readme = join(projectRoot, 'contracts/README.md')
const begin = '<!-- gas: written by `npm run gas` -->\n'
const end = '<!-- /gas -->'
const isCheck = process.argv.includes('--check')

const match = ['test', '--match-path', 'contracts/test/gas/*']
const environment = isCheck ? { FORGE_SNAPSHOT_CHECK: 'true' } : { FORGE_SNAPSHOT_EMIT: 'true' }
try {
  await forge(match, environment)
  updateReadme()
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${reason}\nIf the new figures are meant: npm run gas\n`)
  process.exitCode = 1
}

function updateReadme(): void {
  const text = readFileSync(readme, 'utf8')
  const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
  const updated = `${text.slice(0, before)}\n${tables()}\n${text.slice(after)}`
  if (!isCheck) writeFileSync(readme, updated)
  else if (updated !== text) throw new Error('the gas tables of contracts/README.md are stale')
}

function tables(): string {
  const relayed = readSnapshot('relayed')
  const direct = readSnapshot('direct')
  const columns = ['least gas to sign', 'of 1', 'of 5', 'of 10', 'of 20']
  const actions = [...new Set(Object.keys(relayed).map((name) => name.replace(/, [^,]*$/, '')))]
  const rows = actions.map((action) => [
    action,
    ...columns.map((column) => grouped(relayed[`${action}, ${column}`])),
  ])
  return [
    ...table(['relayed', 'least gas to sign', 'alone', 'in 5', 'in 10', 'in 20'], rows),
    '',
    ...table(
      ['direct', 'gas'],
      Object.entries(direct).map(([name, gas]) => [name, grouped(gas)]),
    ),
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function grouped(gas: string | undefined): string {
  return gas === undefined ? '' : Number(gas).toLocaleString('en-US')
}

function readSnapshot(name: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(projectRoot, 'snapshots', `${name}.json`), 'utf8'))
}
