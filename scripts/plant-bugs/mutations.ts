import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAst } from 'vitest/node'
import { createRandom } from '../dev/random.ts'
import { root } from '../stack/folder.ts'
import { equivalent, type Place } from './changes.ts'

/** A part of an abstract syntax tree, as ESTree describes it. */
type Node = { type: string; start: number; end: number; [field: string]: unknown }

/** Parses TypeScript. @throws {Error} it does not parse */
function parse(source: string): Node {
  return parseAst(source, { lang: 'ts' }) as unknown as Node
}

/** The nodes right below a node, in the order of their fields. */
function partsOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

/** The name that an identifier is; undefined for anything else. */
function nameOf(value: unknown): string | undefined {
  const isIdentifier = isNode(value) && value.type === 'Identifier'
  return isIdentifier && typeof value.name === 'string' ? value.name : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The name that a node is declared with or given to. */
const ownNameOf = (node: Node): string | undefined => nameOf(node.id) ?? nameOf(node.key)

/** One small change of a source; `text`: the whole file as it is then. */
export type Mutation = Place & { line: number; text: string }

type Change = { words: string; start: number; end: number; text: string; was?: string }

/** What a careless hand writes for an operator. */
const operators: Readonly<Record<string, { words: string; text: string }>> = {
  '===': { words: 'an equal is a different', text: '!==' },
  '!==': { words: 'a different is an equal', text: '===' },
  '&&': { words: 'an and is an or', text: '||' },
  '||': { words: 'an or is an and', text: '&&' },
  '<': { words: 'a less is at most', text: '<=' },
  '<=': { words: 'at most is less', text: '<' },
  '>': { words: 'more is at least', text: '>=' },
  '>=': { words: 'at least is more', text: '>' },
}

const stateTables = new Set(['transitions', 'phases'])

type Rule = (node: Node, source: string) => Change[]

/** By the kind of a node, what a careless hand makes of it. */
const rules: Readonly<Record<string, Rule>> = {
  BinaryExpression: (node, source) => [...operatorChanges(node, source), ...countChanges(node)],
  LogicalExpression: operatorChanges,
  MemberExpression: ({ object, property }) => {
    const other = { max: 'min', min: 'max' }[nameOf(property) ?? '']
    if (nameOf(object) !== 'Math' || !isNode(property) || other === undefined) return []
    const words = other === 'min' ? 'the highest is the lowest' : 'the lowest is the highest'
    return [{ words, start: property.start, end: property.end, text: other }]
  },
  // A statement that only calls: it writes a row, keeps a sum, or adds to a list.
  ExpressionStatement: ({ expression, start, end }) => {
    const isCall = isNode(expression) && expression.type === 'CallExpression'
    return isCall ? [{ words: 'it is not done', start, end, text: ';' }] : []
  },
  // What ends a function or a turn of a loop early.
  IfStatement: ({ consequent, alternate, start, end }) => {
    const isGuard = isNode(consequent) && /^(Return|Continue|Break)/.test(consequent.type)
    if (!isGuard || alternate != null) return []
    return [{ words: 'a guard is gone', start, end, text: ';' }]
  },
  // A list that is put together of several.
  ArrayExpression: ({ elements }, source) => {
    const parts = (elements as unknown[]).filter(isNode)
    const spread = parts.filter(({ type }) => type === 'SpreadElement')
    return (parts.length < 2 ? [] : spread).map(({ start, end }) => {
      const comma = /^\s*,/.exec(source.slice(end))?.[0].length ?? 0
      const was = source.slice(start, end)
      return { words: 'a part is missing', start, end: end + comma, text: '', was }
    })
  },
  VariableDeclarator: (node, source) => {
    const name = nameOf(node.id) ?? ''
    return stateTables.has(name) ? tableChanges(node, source) : []
  },
}

function operatorChanges({ left, right, operator }: Node, source: string): Change[] {
  const other = operators[`${operator}`]
  if (other === undefined || !isNode(left) || !isNode(right)) return []
  const start = source.indexOf(`${operator}`, left.end)
  return [{ ...other, start, end: start + `${operator}`.length }]
}

function countChanges({ right, operator }: Node): Change[] {
  if (!isNode(right) || right.value !== 1 || (operator !== '+' && operator !== '-')) return []
  const words = operator === '+' ? 'one more is not one more' : 'one less is not one less'
  return [{ words, start: right.start, end: right.end, text: '0' }]
}

/** Each entry gone, and each leading to another state. */
function tableChanges(table: Node, source: string): Change[] {
  const entries = entriesIn(table)
  const values = [...new Set(entries.map(({ value }) => value))]
  return entries.flatMap(({ key, value, node }) => {
    const other = values[(values.indexOf(value) + 1) % values.length]
    const { start, end } = node
    const place = { start, end, was: source.slice(start, end) }
    const changed = { ...place, words: `${key} > ${other}`, text: `${key}: '${other}'` }
    // What a type asks for cannot be left out.
    if (nameOf(table.id) === 'phases') return [changed]
    return [changed, { ...place, words: `${key} does nothing`, text: '...{}' }]
  })
}

function entriesIn(node: Node): { key: string; value: string; node: Node }[] {
  const { key, value } = node
  if (node.type === 'Property' && isNode(value) && typeof value.value === 'string') {
    return [{ key: nameOf(key) ?? '', value: value.value, node }]
  }
  return partsOf(node).flatMap(entriesIn)
}

export function mutationsOf(file: string, source: string): Mutation[] {
  return mutationsIn(parse(source), '', file, source)
}

function mutationsIn(node: Node, around: string, file: string, source: string): Mutation[] {
  const within = ownNameOf(node) ?? around
  const whole = source.slice(node.start, node.end)
  const changes = rules[node.type]?.(node, source) ?? []
  const own = changes.map(({ words, start, end, text, was = whole }) => ({
    file,
    within,
    words,
    was: was.replaceAll(/\s+/g, ' '),
    line: source.slice(0, start).split('\n').length,
    text: source.slice(0, start) + text + source.slice(end),
  }))
  return [...own, ...partsOf(node).flatMap((part) => mutationsIn(part, within, file, source))]
}

/** Whether nothing can notice a mutation, by `equivalent.md`. */
export const isEquivalent = (mutation: Place): boolean =>
  equivalent.some((one) =>
    (['file', 'within', 'was', 'words'] as const).every((name) => one[name] === mutation[name]),
  )

const machine = [
  ...['transitions', 'acceptance', 'carrying', 'observations'].map((name) => `ledger/${name}.ts`),
  ...['outcomes', 'pruning', 'sessions', 'work'].map((name) => `ledger/${name}.ts`),
  ...['standing', 'vitals'].map((name) => `ledger/records/${name}.ts`),
  ...['nonces', 'payment-states', 'totals'].map((name) => `ledger/payments/${name}.ts`),
  ...['follow', 'settle', 'resend', 'carry', 'facts'].map((name) => `rounds/${name}.ts`),
].map((path) => `src/relay/${path}`)

/** The mutations that something could notice; so many of them, drawn by the seed. */
export async function drawMutations(seed: number, sample: number | undefined) {
  const found = await Promise.all(
    machine.map(async (file) => mutationsOf(file, await readFile(join(root, file), 'utf8'))),
  )
  const left = found.flat().filter((mutation) => !isEquivalent(mutation))
  if (sample === undefined) return left
  const random = createRandom(seed, 'mutations')
  const count = Math.min(sample, left.length)
  return Array.from({ length: count }, () => left.splice(random.int(0, left.length - 1), 1)).flat()
}
