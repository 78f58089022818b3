import { run } from './bootstrap.mjs'
import { provideRedisServer } from './debian.mjs'

const partHelp = `  npx vitest run --project unit          or chain, deno, workerd, workerd-paying, workerd-crash-points
  npx vitest run test/unit/bootstrap.test.ts
                                         one file
  npm run check                          format, lint, types, layers, generated files
  npx forge test                         the contracts`

const helpText = `Runs everything: format, lint, types, import rules, contracts, and all tests. It takes no options.

  npm test
  SEED=N npm test                        the sample that a run said it had drawn from N

A part of it:

${partHelp}

All repetitions, of which this makes a sample: npm run test:full`

const args = process.argv.slice(2)
if (args.length === 0) await runTests()
else if (args.join() === '--help') process.stdout.write(`${helpText}\n`)
else {
  process.stderr.write(
    `npm test takes no "${args.join(' ')}": it runs everything. A part of it:\n\n${partHelp}\n`,
  )
  process.exitCode = 1
}

async function runTests() {
  if (!provideRedisServer()) {
    process.stdout.write(
      'redis-server is missing: what needs it is skipped. Install it: apt-get install redis-server\n',
    )
    if (process.env.CI === 'true') process.exit(1)
  }
  await run('scripts/testing/test.ts', [])
}
