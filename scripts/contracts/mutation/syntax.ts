import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../forge.ts'

/** A part of solc's syntax tree: what an ABI leaves out stands in it. */
export type SolidityNode = {
  nodeType: string
  start: number
  end: number
  text: string
  type: string
  [field: string]: unknown
}

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

/** Reads sources and their syntax trees with the types of all expressions; no code is made. */
export function analyseSolidity(files: readonly string[]): Analysis[] {
  const { compile } = createRequire(import.meta.url)('solc') as {
    compile: (input: string, callbacks: { import: typeof readImport }) => string
  }
  const read = (file: string) => ({ content: readImport(file).contents })
  const sources = Object.fromEntries(files.map((file) => [file, read(file)]))
  const settings = { outputSelection: { '*': { '': ['ast'] } } }
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const { sources: printed } = output.parse(JSON.parse(compile(input, { import: readImport })))
  const trees = new Map(
    Object.entries(printed).map(([file, { ast }]) => {
      const source = Buffer.from(readImport(file).contents)
      return [file, { file, source, tree: located(ast as SolidityNode, source) }] as const
    }),
  )
  const all = [...trees.values()].map(({ tree }) => tree)
  return files.map((file) => {
    const found = trees.get(file)
    if (found === undefined) throw new Error(`${file} does not compile`)
    return { ...found, all }
  })
}

function located(node: SolidityNode, source: Buffer): SolidityNode {
  const [start = 0, length = 0] = String(node.src).split(':').map(Number)
  const end = start + length
  const { typeString = '' } = (node.typeDescriptions ?? {}) as { typeString?: string | null }
  Object.assign(node, { start, end, type: typeString ?? '' })
  Object.assign(node, { text: source.toString('utf8', start, end) })
  for (const child of childrenOf(node)) located(child, source)
  return node
}

export function childrenOf(node: SolidityNode): SolidityNode[] {
  return Object.values(node).flat().filter(isNode)
}

export function isNode(value: unknown): value is SolidityNode {
  return typeof value === 'object' && value !== null && 'nodeType' in value
}

/** By the name that an import gives it: packages by their own, the rest by their paths. */
function readImport(name: string): { contents: string } {
  const path = name.startsWith('@') ? join('node_modules', name) : name
  return { contents: readFileSync(join(projectRoot, path), 'utf8') }
}
