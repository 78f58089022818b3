import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Abi, Hex } from 'viem'
import { foundryTool } from '../dev/foundry-binary.ts'
import { runCommand } from '../run-command.ts'
import { root } from '../stack/folder.ts'
import { lockFile } from '../stack/processes.ts'

type Artifact = {
  readonly abi: Abi
  readonly metadata: Readonly<Record<'settings' | 'sources', Readonly<Record<string, unknown>>>>
  readonly bytecode: { readonly object: Hex }
  readonly deployedBytecode: {
    readonly object: Hex
    /** Lists where the constructor writes immutables, by declaration; offsets in bytes. */
    readonly immutableReferences: Readonly<Record<string, { start: number; length: number }[]>>
  }
}

/** Runs forge in the project's root and gives what it printed. @throws {Error} it fails */
export async function forge(args: readonly string[], environment: Record<string, string> = {}) {
  const { code, output } = await runCommand([foundryTool('forge'), ...args], environment)
  if (code !== 0) throw new Error(`forge ${args[0] ?? ''} failed:\n${output.trim()}`)
  return output
}

const built = new Map<string, Promise<void>>()

/** Compiles once a process what is deployed, and more if named; several may ask at once. */
export function buildContracts(more: readonly string[] = []): Promise<void> {
  // Tests are not among it, so a first start needs no long build.
  const sources = ['contracts/src', ...more]
  const building = built.get(`${sources}`) ?? build(sources)
  built.set(`${sources}`, building)
  return building
}

async function build(sources: readonly string[]): Promise<void> {
  // forge writes `out/` and `cache/` without a lock, so two builds at once can leave torn files.
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16)
  using _ = await lockFile(join(tmpdir(), `ussd-relay-build-${name}.db`))
  await forge(['build', '--quiet', ...sources])
}

/** Reads a contract of forge's last build; `file` is given where its name differs. */
export function readArtifact(name: string, file = name): Artifact {
  const out = join(root, process.env.FOUNDRY_OUT ?? 'out')
  return JSON.parse(readFileSync(join(out, `${file}.sol`, `${name}.json`), 'utf8'))
}
