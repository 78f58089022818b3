import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot, readArtifact } from './forge.ts'

const artifact = z.looseObject({
  metadata: z.object({
    settings: z.looseObject({ compilationTarget: z.record(z.string(), z.string()) }),
    sources: z.record(z.string(), z.unknown()),
  }),
})

/** Gives the standard JSON input of the last build, which explorers verify a contract by. */
export function sourceJson(name: string): object {
  const { settings, sources } = artifact.parse(readArtifact(name)).metadata
  const { compilationTarget: _, ...rest } = settings
  const read = (path: string) => ({ content: readFileSync(join(projectRoot, path), 'utf8') })
  return {
    language: 'Solidity',
    sources: Object.fromEntries(Object.keys(sources).map((path) => [path, read(path)])),
    settings: {
      ...rest,
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } },
    },
  }
}
