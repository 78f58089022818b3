import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { projectRoot } from './forge.ts'

/** A part of solc's syntax tree: what an ABI leaves out stands in it. */
export type SolidityNode = { nodeType: string; [field: string]: unknown }

const compiler = fileURLToPath(new URL('solc.mjs', import.meta.url))

const output = z.object({
  sources: z.record(z.string(), z.object({ ast: z.looseObject({ nodeType: z.string() }) })),
})

/** The syntax trees of sources, by their paths from the repository's root. Nothing is compiled. */
export function parseSolidity(files: readonly string[]): SolidityNode[] {
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(join(projectRoot, file), 'utf8') }]),
  )
  const settings = { stopAfter: 'parsing', outputSelection: { '*': { '': ['ast'] } } }
  const printed = compile({ language: 'Solidity', sources, settings })
  return Object.values(output.parse(printed).sources).map(({ ast }) => ast)
}

/** A source, its syntax tree, and the trees of all that was read with it, itself included. */
export type Analysis = {
  file: string
  source: Buffer
  tree: SolidityNode
  all: readonly SolidityNode[]
}

/**
 * Sources and their syntax trees with the types of all expressions; what they import is read, and no
 * code is made. Places in the trees (`src`) are bytes.
 */
export function analyseSolidity(files: readonly string[]): Analysis[] {
  const found = new Map<string, string>()
  for (const file of files) sourcesOf(file, found)
  const sources = Object.fromEntries([...found].map(([name, content]) => [name, { content }]))
  const settings = { outputSelection: { '*': { '': ['ast'] } } }
  const printed = output.parse(compile({ language: 'Solidity', sources, settings })).sources
  const all = Object.values(printed).map(({ ast }) => ast)
  return files.map((file) => {
    const tree = printed[file]?.ast
    if (tree === undefined) throw new Error(`${file} does not compile`)
    return { file, source: readFileSync(join(projectRoot, file)), tree, all }
  })
}

/** A source and all that it imports, by the names that imports give them: packages by their own, the rest by their paths. */
function sourcesOf(file: string, found = new Map<string, string>()): Map<string, string> {
  const path = file.startsWith('@') ? join('node_modules', file) : file
  const content = readFileSync(join(projectRoot, path), 'utf8')
  found.set(file, content)
  for (const [, imported = ''] of content.matchAll(/^import .*?"([^"]+)";/gms)) {
    const name = imported.startsWith('.') ? join(dirname(file), imported) : imported
    if (!found.has(name)) sourcesOf(name, found)
  }
  return found
}

function compile(input: object): unknown {
  const printed = execFileSync(process.execPath, [compiler, '--standard-json'], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(printed)
}

/** The names of an enum's members, in their order. */
export function enumMembers(trees: readonly SolidityNode[], name: string): string[] {
  const { members } = the(trees, 'EnumDefinition', name)
  return z
    .array(named)
    .parse(members)
    .map(({ name }) => name)
}

/** A constant time, in seconds. */
export function constantSeconds(trees: readonly SolidityNode[], name: string): number {
  const time = z.object({ value: z.string(), subdenomination: z.enum(['hours', 'days']) })
  const { value, subdenomination } = time.parse(the(trees, 'VariableDeclaration', name).value)
  return Number(value) * { hours: 3_600, days: 86_400 }[subdenomination]
}

/** The text that a constant is the hash of. */
export function hashedText(trees: readonly SolidityNode[], name: string): string {
  const call = z.object({ arguments: z.tuple([z.object({ value: z.string() })]) })
  return call.parse(the(trees, 'VariableDeclaration', name).value).arguments[0].value
}

/** The texts that a constructor gives to a base contract. */
export function baseArguments(trees: readonly SolidityNode[], base: string): string[] {
  const modifier = z.object({
    modifierName: z.object({ name: z.literal(base) }),
    arguments: z.array(z.object({ value: z.string() })),
  })
  const [found] = nodes(trees).flatMap((node) => modifier.safeParse(node).data ?? [])
  if (found === undefined) throw new Error(`no constructor of the contracts calls ${base}`)
  return found.arguments.map(({ value }) => value)
}

const named = z.object({ name: z.string() })

function the(trees: readonly SolidityNode[], nodeType: string, name: string): SolidityNode {
  const found = nodes(trees).filter((node) => node.nodeType === nodeType && node.name === name)
  const [only] = found
  if (only === undefined || found.length > 1) {
    throw new Error(`the contracts have ${found.length} times: ${nodeType} ${name}`)
  }
  return only
}

/** All nodes of a tree, or of several. */
export function nodes(part: unknown): SolidityNode[] {
  if (typeof part !== 'object' || part === null) return []
  const inner = Object.values(part).flatMap(nodes)
  return 'nodeType' in part ? [part as SolidityNode, ...inner] : inner
}
