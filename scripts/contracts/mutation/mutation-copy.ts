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
import { runCommand } from '../../run-command.ts'
import { foundryTool, projectRoot } from '../forge.ts'
import { type Mutation, mutate } from './mutations.ts'

/** `stillborn`: it does not compile. */
export type Outcome = 'killed' | 'stillborn' | 'survived'

/** A copy of what forge needs of this project, in which contracts are changed and tested. */
export type MutationCopy = {
  /** @throws where the tests fail without any mutation */
  prepare(): Promise<void>
  outcomeOf(mutation: Mutation): Promise<Outcome>
  remove(): void
}

/**
 * The quick tests first: few mutations get past them, and those are asked of optimized code too. Each has a folder
 * of its own for what it builds: of a mutation nothing is compiled there but what has to be.
 */
const stages = [
  { tests: 'unit', profile: 'unoptimized' },
  { tests: '', profile: 'unoptimized' },
  { tests: 'unit', profile: 'default' },
]

/** A look into as many corners as is quick. */
const quickLook = { FOUNDRY_FUZZ_RUNS: '64', FOUNDRY_INVARIANT_RUNS: '16' }

/** A mutation that loops without an end is noticed too. */
const limitSeconds = 300

const copied = [
  'contracts',
  'foundry.toml',
  'remappings.txt',
  'scripts/solc',
  'scripts/contracts/solc.mjs',
]

/** What is compiled with the contracts and tests nothing of them. */
const needless = ['proofs', 'test/proofs']

export function createMutationCopy(): MutationCopy {
  const copy = mkdtempSync(join(tmpdir(), 'ussd-relay-mutation-'))
  mkdirSync(join(copy, 'scripts/contracts'), { recursive: true })
  for (const part of copied) {
    cpSync(join(projectRoot, part), join(copy, part), { recursive: true })
  }
  for (const folder of needless) rmSync(join(copy, 'contracts', folder), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))

  async function test(): Promise<Outcome> {
    for (const [index, { tests, profile }] of stages.entries()) {
      const forge = [foundryTool('forge'), 'test', '--fail-fast', '--root', copy]
      const { code, output } = await runCommand(['timeout', `${limitSeconds}`, ...forge], {
        ...quickLook,
        FOUNDRY_PROFILE: profile,
        FOUNDRY_TEST: `contracts/test/${tests}`,
        FOUNDRY_OUT: `out/${index}`,
        FOUNDRY_CACHE_PATH: `cache/${index}`,
      })
      if (code !== 0) return output.includes('Compiler run failed') ? 'stillborn' : 'killed'
    }
    return 'survived'
  }

  return {
    async prepare() {
      if ((await test()) !== 'survived') throw new Error('the tests fail without any mutation')
    },
    async outcomeOf(mutation) {
      const path = join(copy, mutation.file)
      const original = readFileSync(path)
      writeFileSync(path, mutate(original, mutation))
      try {
        return await test()
      } finally {
        writeFileSync(path, original)
      }
    },
    remove: () => rmSync(copy, { recursive: true, force: true }),
  }
}
