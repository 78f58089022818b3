import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../forge.ts'

/** A part of solc's syntax tree: what an ABI leaves out stands in it. */
export type SolidityNode = { nodeType: string; [field: string]: unknown }

/** A source, its syntax tree, and the trees of all that was read with it, itself included. */
export type Analysis = {
  file: string
  source: Buffer
  tree: SolidityNode
  all: readonly SolidityNode[]
}

const output = z.object({
  sources: z.record(z.string(), z.object({ ast: z.looseObject({ nodeType: z.string() }) })),
})

/**
 * Sources and their syntax trees with the types of all expressions; what they import is read, and no
 * code is made. Places in the trees (`src`) are bytes.
 */
export function analyseSolidity(files: readonly string[]): Analysis[] {
  const { compile } = createRequire(import.meta.url)('solc') as {
    compile: (input: string, callbacks: { import: typeof readImport }) => string
  }
  const read = (file: string) => ({ content: readImport(file).contents })
  const sources = Object.fromEntries(files.map((file) => [file, read(file)]))
  const settings = { outputSelection: { '*': { '': ['ast'] } } }
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const { sources: printed } = output.parse(JSON.parse(compile(input, { import: readImport })))
  const all = Object.values(printed).map(({ ast }) => ast)
  return files.map((file) => {
    const tree = printed[file]?.ast
    if (tree === undefined) throw new Error(`${file} does not compile`)
    return { file, source: readFileSync(join(projectRoot, file)), tree, all }
  })
}

/** By the name that an import gives it: packages by their own, the rest by their paths. */
function readImport(name: string): { contents: string } {
  const path = name.startsWith('@') ? join('node_modules', name) : name
  return { contents: readFileSync(join(projectRoot, path), 'utf8') }
}
