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

/**
 * What explorers verify a contract of the last build by: the compiler's standard JSON input, with the
 * settings that the deployed code was made with and all sources that it is made of.
 */
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
