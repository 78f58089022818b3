import { isFunction, isNode, type Node, nameOf, ownNameOf, parse, partsOf } from './syntax.ts'

/**
 * A change of one function, by its syntax: how the source is formatted, commented and typed does not
 * matter, nor where in the function it stands.
 */
export type Patch = {
  /** Its path from the repository's root. */
  file: string
  /**
   * The function, by the name that it is declared with or given to. Where several have that name, names
   * of what is around it come first: `createPay.send`.
   */
  within: string
  /**
   * An expression, or statements that follow each other. It stands once in the function. `$name` is
   * any expression, `$$name` any number of arguments, properties, elements or statements; the same
   * name twice is the same source twice.
   */
  find: string
  /** What comes in its place, where `$name` and `$$name` are the source of what they stood for. */
  replace: string
}

/** A patch whose place is missing or not the only one, so that it says nothing of the source. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

/** Where something stands in the source. */
type Span = { start: number; end: number }

/** What the names of a pattern stand for: source text. */
type Bound = Map<string, string>

/** Fields that say where and how something was written, and not what. */
const layoutFields = new Set(['type', 'start', 'end', 'range', 'loc', 'raw', 'parent'])

/** Fields that only the type checker reads: a pattern without them fits any. */
const typeFields = new Set(['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments'])

/**
 * The source with the patch in it.
 *
 * @throws {PatchError} the function or the place in it is not there, or not the only one
 */
export function patched(source: string, { file, within, find, replace }: Patch): string {
  const fail = (words: string) => new PatchError(`${file}, ${within}: ${words}`)
  const functions = functionsIn(parse(source), []).filter(({ path }) => isAt(path, within))
  const [own, ...others] = functions
  if (own === undefined) throw fail('there is no such function')
  if (others.length > 0) throw fail(`${functions.length} functions have this name`)
  const places = findIn(own.node, statementsOf(find), source)
  const [place, ...more] = places
  if (place === undefined) throw fail(`does not have: ${find}`)
  if (more.length > 0) throw fail(`has ${places.length} times: ${find}`)
  const written = replace.replaceAll(/\$\$?\w+/g, (name) => place.bound.get(name) ?? name)
  return source.slice(0, place.span.start) + written + source.slice(place.span.end)
}

/** The statements of a pattern, which may return and await. */
function statementsOf(pattern: string): Node[] {
  const { body } = parse(`async () => {\n${pattern}\n}`) as unknown as {
    body: { expression: { body: { body: Node[] } } }[]
  }
  return body[0]?.expression.body.body ?? []
}

type Named = { path: readonly string[]; node: Node }

/** The functions of a source that have a name, after the names of what is around them. */
function functionsIn(node: Node, path: readonly string[], isGiven = false): Named[] {
  const own = ownNameOf(node)
  const inner = own === undefined ? path : [...path, own]
  const gives = own !== undefined && !isFunction(node)
  const found = partsOf(node).flatMap((part) => functionsIn(part, inner, gives))
  const isNamed = isFunction(node) && (own !== undefined || isGiven)
  return isNamed ? [{ path: inner, node }, ...found] : found
}

/** Whether a path ends in these names, others between them or not. */
function isAt(path: readonly string[], within: string): boolean {
  const names = within.split('.')
  if (path.at(-1) !== names.at(-1)) return false
  let left = path
  return names.every((name) => {
    const at = left.indexOf(name)
    left = left.slice(at + 1)
    return at >= 0
  })
}

type Place = { span: Span; bound: Bound }

function findIn(root: Node, pattern: readonly Node[], source: string): Place[] {
  const [only] = pattern
  const isExpression = pattern.length === 1 && only?.type === 'ExpressionStatement'
  const found: Place[] = []
  const look = (node: Node): void => {
    if (isExpression) {
      const bound: Bound = new Map()
      if (fits(only.expression, node, source, bound)) found.push({ span: node, bound })
    } else {
      found.push(...runsIn(node, pattern, source))
    }
    for (const part of partsOf(node)) look(part)
  }
  look(root)
  return found
}

/** Where the statements stand in a list of this node. */
function runsIn(node: Node, pattern: readonly Node[], source: string): Place[] {
  const lists = Object.values(node).flatMap((value) => {
    if (Array.isArray(value)) return [value as unknown[]]
    // A branch without braces.
    return isNode(value) && /Statement$/.test(value.type) ? [[value]] : []
  })
  return lists.flatMap((list) =>
    list.flatMap((_, from) => {
      for (let to = list.length; to > from; to -= 1) {
        const bound: Bound = new Map()
        const part = list.slice(from, to)
        if (!fitsList(pattern, part, source, bound)) continue
        const [first, last] = [part[0], part.at(-1)] as [Node, Node]
        return [{ span: { start: first.start, end: last.end }, bound }]
      }
      return []
    }),
  )
}

/** Whether a value of the tree is what the pattern says; `bound` has what its names stand for then. */
function fits(pattern: unknown, value: unknown, source: string, bound: Bound): boolean {
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && fitsList(pattern, value, source, bound)
  }
  if (!isNode(pattern)) return pattern === value || (pattern == null && value == null)
  if (!isNode(value)) return false
  if (pattern.type === 'ParenthesizedExpression') {
    return fits(pattern.expression, value, source, bound)
  }
  if (value.type === 'ParenthesizedExpression')
    return fits(pattern, value.expression, source, bound)
  const name = nameOf(pattern)
  if (name?.startsWith('$')) return bind(name, source.slice(value.start, value.end), bound)
  if (pattern.type !== value.type) return false
  const fields = new Set([...Object.keys(pattern), ...Object.keys(value)])
  return [...fields].every((field) => {
    if (layoutFields.has(field)) return true
    if (typeFields.has(field) && pattern[field] == null) return true
    return fits(pattern[field], value[field], source, bound)
  })
}

/** As `fits`, item by item, with names in the pattern that stand for any number of them. */
function fitsList(
  [first, ...rest]: readonly unknown[],
  items: readonly unknown[],
  source: string,
  bound: Bound,
): boolean {
  if (first === undefined) return items.length === 0
  const many = restNameOf(first)
  if (many === undefined) {
    return (
      items.length > 0 &&
      fits(first, items[0], source, bound) &&
      fitsList(rest, items.slice(1), source, bound)
    )
  }
  for (let count = items.length; count >= 0; count -= 1) {
    const [from, to] = [items[0], items[count - 1]]
    const text = isNode(from) && isNode(to) ? source.slice(from.start, to.end) : ''
    const tried: Bound = new Map(bound)
    if (!bind(many, text, tried) || !fitsList(rest, items.slice(count), source, tried)) continue
    for (const [name, stands] of tried) bound.set(name, stands)
    return true
  }
  return false
}

/** `$$name` as an argument, an element, a property or a statement. */
function restNameOf(pattern: unknown): string | undefined {
  if (!isNode(pattern)) return undefined
  const { type, expression, key, shorthand } = pattern
  const own = type === 'ExpressionStatement' ? expression : shorthand === true ? key : pattern
  const name = nameOf(own)
  return name?.startsWith('$$') ? name : undefined
}

function bind(name: string, text: string, bound: Bound): boolean {
  const stands = bound.get(name)
  bound.set(name, text)
  return stands === undefined || stands === text
}
