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

/** The quick tests first: few mutations get past them, and those are asked of optimized code too. */
const stages = [
  { tests: 'unit', profile: 'unoptimized' },
  { tests: '', profile: 'unoptimized' },
  { tests: 'unit', profile: 'default' },
]

const quickLook = { FOUNDRY_FUZZ_RUNS: '64', FOUNDRY_INVARIANT_RUNS: '16' }

/** A mutation that loops without an end is noticed too. */
const limitSeconds = 300

const copied = [
  ...['contracts', 'foundry.toml', 'remappings.txt'],
  ...['scripts/solc', 'scripts/contracts/solc.mjs'],
]

/** What is compiled with the contracts and tests nothing of them. */
const needless = ['proofs', 'test/proofs']

/** Copies what forge needs of this project, to change and test contracts there. */
export function createMutationCopy() {
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
        // Each stage has what it builds in a folder of its own: of a mutation little is compiled there.
        FOUNDRY_OUT: `out/${index}`,
        FOUNDRY_CACHE_PATH: `cache/${index}`,
      })
      if (code !== 0) return output.includes('Compiler run failed') ? 'stillborn' : 'killed'
    }
    return 'survived'
  }

  return {
    /** @throws {Error} the tests fail without any mutation */
    async prepare() {
      if ((await test()) !== 'survived') throw new Error('the tests fail without any mutation')
    },
    async outcomeOf(mutation: Mutation) {
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
