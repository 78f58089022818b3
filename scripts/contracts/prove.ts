import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../stack/folder.ts'
import { fail, say } from '../stack/report.ts'

// `npx node scripts/contracts/prove.ts` gives each assertion of contracts/proofs to the compiler's
// SMTChecker and its questions to Debian's z3, and says which of them hold for all inputs.
// `contracts/test/proofs` keeps the models equal to the contracts.

/** Lists assertions by engine: `chc` for any calls in order, `bmc` for functions without loops. */
const models = { GasReserve: 'bmc', Day: 'bmc', Marks: 'bmc', Row: 'chc', Books: 'chc' }

/** Limits one proof to ten times the longest one's time, for a busy machine. */
const timeLimitSeconds = 1_200

/** Matches solc's message about a proven assertion, of either engine. */
const safe = /^(?:CHC|BMC): Assertion violation check is safe!$/

type Answer = { contents: string } | { error: string }

const { compile } = createRequire(import.meta.url)('solc') as {
  compile: (input: string, callbacks: { smtSolver: (query: string) => Answer }) => string
}
const message = z.object({
  message: z.string(),
  formattedMessage: z.string(),
  sourceLocation: z.object({ start: z.number(), end: z.number() }).optional(),
})
const output = z.object({ errors: z.array(message).default([]) })

const hasZ3 = spawnSync('z3', ['--version']).error === undefined
if (!hasZ3) fail('There is no z3: apt-get install z3')
else for (const [name, engine] of Object.entries(models)) prove(name, engine)

function prove(name: string, engine: string): void {
  const began = performance.now()
  const file = `contracts/proofs/${name}.sol`
  const source = readFileSync(join(root, file))
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: source.toString('utf8') } },
    settings: {
      evmVersion: 'cancun',
      modelChecker: {
        engine,
        contracts: { [file]: [name] },
        targets: ['assert'],
        solvers: ['smtlib2'],
        showProvedSafe: true,
        showUnproved: true,
        timeout: timeLimitSeconds * 1_000,
      },
    },
  }
  const { errors } = output.parse(JSON.parse(compile(JSON.stringify(input), { smtSolver })))
  const proven = errors.filter(({ message }) => safe.test(message))
  const others = errors.filter(({ message }) => !safe.test(message))
  for (const { sourceLocation: { start = 0, end = 0 } = {} } of proven) {
    say(`holds    ${name}: ${source.toString('utf8', start, end)}`)
  }
  for (const { formattedMessage } of others) say(`UNPROVEN ${formattedMessage.trimEnd()}`)
  const wanted = source.toString('utf8').match(/\bassert\(/g)?.length ?? 0
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  const words = `${name}: ${proven.length} of ${wanted} assertions hold (${seconds} s)\n`
  if (proven.length === wanted && others.length === 0) say(words)
  else fail(words)
}

/** Asks z3, whose answer counts even when it ends with an error for missing values. */
function smtSolver(query: string): Answer {
  const { stdout } = spawnSync('z3', ['-in', `-T:${timeLimitSeconds}`], {
    input: query,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  const isAnswer = /^(sat|unsat|unknown)\b/.test(stdout)
  return isAnswer ? { contents: stdout } : { error: `z3 failed: ${stdout}` }
}
