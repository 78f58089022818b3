import { fail, say } from '../stack/report.ts'
import { forge } from './forge.ts'

// Lines, statements, branches and functions of contracts/src, all of them, by the unit tests alone,
// or this fails: nothing that only a random sequence reaches counts. What need not be compiled is
// left out.
const others = ['attacks', 'fuzz', 'invariant', 'proofs', 'walks', 'gas']
const skipped = [...others.map((folder) => `contracts/test/${folder}/**`), 'contracts/proofs/**']
const measured = ['--report', 'summary', '--match-path', 'contracts/test/unit/**']

const report = await forge(
  ['coverage', ...measured, ...skipped.flatMap((folder) => ['--skip', folder])],
  { FOUNDRY_PROFILE: 'unoptimized' },
)
const rows = report.split('\n').filter((line) => /^\| (contracts\/src|Total)/.test(line))
say(rows.join('\n'))
const figures = rows.flatMap((row) => row.match(/\d+\.\d+%/g) ?? [])
if (figures.length < 16 || figures.some((figure) => figure !== '100.00%')) {
  fail('The unit tests do not cover contracts/src as a whole.')
}
