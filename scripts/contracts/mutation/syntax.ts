import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../../stack/folder.ts'

type Text = 'nodeType' | 'kind' | 'name' | 'operator' | 'value' | 'contractKind' | 'memberName'
type Property = 'visibility' | 'mutability' | 'stateMutability' | 'text' | 'type' | 'src'
type Side = 'leftExpression' | 'rightExpression' | 'leftHandSide' | 'rightHandSide'
type Branch = 'condition' | 'trueBody' | 'trueExpression' | 'falseExpression'
type Part = Side | Branch | 'expression' | 'subExpression' | 'functionName' | 'body'

/** Describes a node of solc's syntax tree, with its source; kinds have different fields. */
export type SolidityNode = { readonly [Name in Text | Property]: string } & {
  readonly [Name in Part]: SolidityNode
} & {
  readonly [Name in 'start' | 'end' | 'id' | 'referencedDeclaration']: number
} & {
  readonly [Name in 'arguments' | 'modifiers' | 'statements']: readonly SolidityNode[]
} & {
  readonly parameters: SolidityNode & readonly SolidityNode[]
  readonly linearizedBaseContracts: readonly number[]
}

const output = z.object({
  sources: z.record(z.string(), z.object({ ast: z.custom<SolidityNode>(isNode) })),
})

/**
 * Reads sources and their syntax trees with the types of all expressions; no code is made. `all`
 * are the trees of everything that was read with a source.
 */
export function analyseSolidity(files: readonly string[]) {
  const { compile } = createRequire(import.meta.url)('solc') as {
    compile: (input: string, callbacks: { import: typeof readImport }) => string
  }
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readImport(file).contents }]),
  )
  const settings = { outputSelection: { '*': { '': ['ast'] } } }
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const { sources: printed } = output.parse(JSON.parse(compile(input, { import: readImport })))
  const trees = Object.entries(printed).map(([file, { ast: tree }]) => {
    const source = Buffer.from(readImport(file).contents)
    locate(tree, source)
    return { file, source, tree }
  })
  const all = trees.map(({ tree }) => tree)
  return trees.filter(({ file }) => files.includes(file)).map((each) => ({ ...each, all }))
}

function locate(node: SolidityNode, source: Buffer): void {
  const [start = 0, length = 0] = node.src.split(':').map(Number)
  const end = start + length
  const { typeDescriptions } = node as { typeDescriptions?: { typeString?: string | null } }
  const type = typeDescriptions?.typeString ?? ''
  Object.assign(node, { start, end, type, text: source.toString('utf8', start, end) })
  for (const child of childrenOf(node)) locate(child, source)
}

export const childrenOf = (node: SolidityNode) => Object.values(node).flat().filter(isNode)

export function isNode(value: unknown): value is SolidityNode {
  return typeof value === 'object' && value !== null && 'nodeType' in value
}

/** By the name that an import gives it: packages by their own, the rest by their paths. */
function readImport(name: string): { contents: string } {
  const path = name.startsWith('@') ? join('node_modules', name) : name
  return { contents: readFileSync(join(root, path), 'utf8') }
}
