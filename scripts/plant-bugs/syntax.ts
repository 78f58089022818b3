import { parseAst } from 'vitest/node'

/** A part of an abstract syntax tree, as ESTree describes it. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown }

const functionTypes = /^(FunctionDeclaration|(Arrow)?FunctionExpression)$/

/** Parses TypeScript. @throws {Error} it does not parse */
export function parse(source: string): Node {
  return parseAst(source, { lang: 'ts' }) as unknown as Node
}

/** The nodes right below a node, in the order of their fields. */
export function partsOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

/** The name that an identifier is; undefined for anything else. */
export function nameOf(value: unknown): string | undefined {
  const isIdentifier = isNode(value) && value.type === 'Identifier'
  return isIdentifier && typeof value.name === 'string' ? value.name : undefined
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The name that a node is declared with or given to. */
export const ownNameOf = (node: Node): string | undefined => nameOf(node.id) ?? nameOf(node.key)

export const isFunction = ({ type }: Node): boolean => functionTypes.test(type)

export const isCall = ({ type }: Node): boolean => type === 'CallExpression'
