import { forge } from './forge.ts'

// Lines, statements, branches and functions of contracts/src, all of them, or this fails. The invariants are
// left out, for they are slow here and reach nothing that the others don't. So is the sum of a gas limit,
// which holds for optimised code alone: coverage is measured without the optimiser.
const report = await forge([
  'coverage',
  '--report',
  'summary',
  '--no-match-path',
  'contracts/test/invariant/*',
  '--no-match-test',
  'test_GivenTheGasLimitThatIsSummedUp',
])
const rows = report.split('\n').filter((line) => /^\| (contracts\/src|Total)/.test(line))
process.stdout.write(`${rows.join('\n')}\n`)
const figures = rows.flatMap((row) => row.match(/\d+\.\d+%/g) ?? [])
if (figures.length < 16 || figures.some((figure) => figure !== '100.00%')) {
  process.stderr.write('contracts/src is not covered as a whole.\n')
  process.exitCode = 1
}
