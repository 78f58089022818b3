import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { foundryTool, projectRoot } from '../forge.ts'
import { sourcesOf } from '../solidity.ts'
import {
  type Compiler,
  type Optimizer,
  openCompiler,
  type Replaced,
  sourceFile,
} from './compiler.ts'
import { type Mutation, mutate } from './mutations.ts'

/** `stillborn`: it does not compile. */
export type Outcome = 'killed' | 'stillborn' | 'survived'

/** A copy of what forge needs of this project, in which contracts are changed and tested. */
export type MutationCopy = {
  /** @throws where the tests fail without any mutation */
  prepare(): Promise<void>
  outcomeOf(mutation: Mutation): Promise<Outcome>
  remove(): Promise<void>
}

/** What is deployed, by name. */
const deployed = ['MicroLoan', 'RelayForwarder']

type Stage = { tests: string; profile: string; optimizer: Optimizer }

/**
 * The quick tests first: few mutations get past them, and those are asked of optimized code too. The tests
 * take the contracts from the build (contracts/test/support/Deployments.sol), so nothing but a contract's own
 * code has to be compiled for a mutation, and a stage that has a folder of its own compiles no tests again.
 */
const stages: readonly Stage[] = [
  { tests: 'unit', profile: 'unoptimized', optimizer: 'unoptimized' },
  { tests: '', profile: 'unoptimized', optimizer: 'unoptimized' },
  { tests: 'unit', profile: 'default', optimizer: 'optimized' },
]

/** A look into as many corners as is quick. */
const quickLook = { FOUNDRY_FUZZ_RUNS: '64', FOUNDRY_INVARIANT_RUNS: '16' }

/** A mutation that loops without an end is noticed too. */
const timeLimitMs = 300_000

/** What is compiled with the contracts and tests nothing of them. */
const needless = ['proofs', 'test/proofs']

export function createMutationCopy(): MutationCopy {
  const copy = copyProject()
  const compiler = openCompiler()

  return {
    async prepare() {
      // What this compiles is laid out otherwise than what forge does, and the tests have to pass on both.
      const unchanged = Object.fromEntries(
        deployed
          .map(sourceFile)
          .map((file) => [file, readFileSync(join(projectRoot, file), 'utf8')]),
      )
      for (const index of stages.keys()) {
        const outcomes = [
          await forgeTest(copy, environmentOf(index)),
          await outcomeIn(copy, compiler, index, unchanged),
        ]
        if (outcomes.some((outcome) => outcome !== 'survived')) {
          throw new Error('the tests fail without any mutation')
        }
      }
    },
    async outcomeOf(mutation) {
      const source = mutate(readFileSync(join(projectRoot, mutation.file)), mutation).toString()
      const replaced = { [mutation.file]: source }
      for (const index of stages.keys()) {
        const outcome = await outcomeIn(copy, compiler, index, replaced)
        if (outcome !== 'survived') return outcome
      }
      return outcomeOfSource(copy, mutation.file, source)
    },
    async remove() {
      await compiler.close()
      rmSync(copy, { recursive: true, force: true })
    },
  }
}

function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'ussd-relay-mutation-'))
  mkdirSync(join(copy, 'scripts/contracts'), { recursive: true })
  for (const part of [
    'contracts',
    'foundry.toml',
    'remappings.txt',
    'scripts/solc',
    'scripts/contracts/solc.mjs',
  ]) {
    cpSync(join(projectRoot, part), join(copy, part), { recursive: true })
  }
  for (const folder of needless) rmSync(join(copy, 'contracts', folder), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

function environmentOf(index: number): Record<string, string> {
  const { tests, profile } = stages[index] as Stage
  return {
    ...quickLook,
    FOUNDRY_PROFILE: profile,
    FOUNDRY_TEST: `contracts/test/${tests}`,
    FOUNDRY_OUT: `out/${index}`,
    FOUNDRY_CACHE_PATH: `cache/${index}`,
  }
}

function artifactPath(copy: string, index: number, name: string): string {
  return join(copy, 'out', String(index), `${name}.sol`, `${name}.json`)
}

/** Puts the code of changed contracts in the place of what forge has built, and takes it away again. */
async function outcomeIn(
  copy: string,
  compiler: Compiler,
  index: number,
  replaced: Replaced,
): Promise<Outcome> {
  const { optimizer } = stages[index] as Stage
  const changed = deployed.filter((name) =>
    Object.keys(replaced).some((file) => sourcesOf(sourceFile(name)).has(file)),
  )
  const kept: { path: string; text: string }[] = []
  try {
    for (const name of changed) {
      const object = await compiler.compile(name, optimizer, replaced)
      if (object === undefined) return 'stillborn'
      const path = artifactPath(copy, index, name)
      const text = readFileSync(path, 'utf8')
      kept.push({ path, text })
      writeFileSync(path, withCode(text, object))
    }
    return await forgeTest(copy, environmentOf(index))
  } finally {
    for (const { path, text } of kept) writeFileSync(path, text)
  }
}

const artifact = z.looseObject({ bytecode: z.looseObject({ object: z.string() }) })

function withCode(text: string, object: string): string {
  const { bytecode, ...rest } = artifact.parse(JSON.parse(text))
  return JSON.stringify({ ...rest, bytecode: { ...bytecode, object } })
}

/** Some tests inherit from a contract or use a library: those see a change of the source alone. */
async function outcomeOfSource(copy: string, file: string, source: string): Promise<Outcome> {
  const path = join(copy, file)
  const original = readFileSync(path)
  writeFileSync(path, source)
  try {
    // What it builds stands apart: elsewhere forge would build again what is put in its place.
    const apart = { FOUNDRY_OUT: 'out/source', FOUNDRY_CACHE_PATH: 'cache/source' }
    return await forgeTest(copy, { ...environmentOf(1), ...apart })
  } finally {
    writeFileSync(path, original)
  }
}

async function forgeTest(
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const child = spawn(foundryTool('forge'), ['test', '--fail-fast'], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: timeLimitMs,
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return 'survived'
  return errors.includes('Compiler run failed') ? 'stillborn' : 'killed'
}
