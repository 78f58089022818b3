import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from './forge.ts'

// `npx node scripts/contracts/prove.ts` gives each assertion of contracts/proofs to the compiler's SMTChecker and its questions to
// Debian's z3, and says which of them hold for all inputs. `contracts/test/proofs` keeps the models equal to
// the contracts.

type Model = {
  name: string
  /** `chc`: after any calls in any order. `bmc`: for any arguments, of functions without loops. */
  engine: 'chc' | 'bmc'
}

type SmtSolver = (query: string) => { contents: string } | { error: string }

const models: readonly Model[] = [
  { name: 'GasReserve', engine: 'bmc' },
  { name: 'Day', engine: 'bmc' },
  { name: 'Marks', engine: 'bmc' },
  { name: 'Row', engine: 'chc' },
  { name: 'Books', engine: 'chc' },
]
/** Of one question, in seconds: ten times what the longest takes, for a machine that is busy. */
const timeLimitSeconds = 1_200
/** Of solc's messages: an assertion that was proven, by either engine. */
const safe = /^(?:CHC|BMC): Assertion violation check is safe!$/

const { compile } = createRequire(import.meta.url)('solc') as {
  compile: (input: string, callbacks: { smtSolver: SmtSolver }) => string
}
const output = z.object({
  errors: z
    .array(
      z.object({
        message: z.string(),
        formattedMessage: z.string(),
        sourceLocation: z.object({ start: z.number(), end: z.number() }).optional(),
      }),
    )
    .default([]),
})

if (!hasSolver()) {
  process.stderr.write('There is no z3: apt-get install z3\n')
  process.exitCode = 1
} else {
  for (const model of models) if (!prove(model)) process.exitCode = 1
}

function prove({ name, engine }: Model): boolean {
  const began = performance.now()
  const file = `contracts/proofs/${name}.sol`
  const source = readFileSync(join(projectRoot, file))
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: source.toString('utf8') } },
    settings: {
      evmVersion: 'cancun',
      modelChecker: {
        ...{ engine, contracts: { [file]: [name] }, targets: ['assert'], solvers: ['smtlib2'] },
        ...{ showProvedSafe: true, showUnproved: true, timeout: timeLimitSeconds * 1_000 },
      },
    },
  }
  const { errors } = output.parse(JSON.parse(compile(JSON.stringify(input), { smtSolver })))
  const proven = errors.filter(({ message }) => safe.test(message))
  const others = errors.filter(({ message }) => !safe.test(message))
  for (const { sourceLocation } of proven) {
    const { start = 0, end = 0 } = sourceLocation ?? {}
    process.stdout.write(`holds    ${name}: ${source.toString('utf8', start, end)}\n`)
  }
  for (const { formattedMessage } of others) process.stdout.write(`UNPROVEN ${formattedMessage}\n`)
  const wanted = source.toString('utf8').match(/\bassert\(/g)?.length ?? 0
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  process.stdout.write(`${name}: ${proven.length} of ${wanted} assertions hold (${seconds} s)\n\n`)
  return proven.length === wanted && others.length === 0
}

/** z3 ends with an error where it is asked for the values of what cannot be; its answer is good all the same. */
function smtSolver(query: string): { contents: string } | { error: string } {
  try {
    return { contents: askSolver(query) }
  } catch (cause) {
    const printed = z.object({ stdout: z.string() }).safeParse(cause).data?.stdout ?? ''
    return /^(sat|unsat|unknown)\b/.test(printed)
      ? { contents: printed }
      : { error: `z3 failed: ${printed}` }
  }
}

function askSolver(query: string): string {
  return execFileSync('z3', ['-in', `-T:${timeLimitSeconds}`], {
    input: query,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

function hasSolver(): boolean {
  try {
    execFileSync('z3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
