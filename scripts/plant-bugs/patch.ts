import { isCall, isFunction, type Node, ownNameOf, parse, partsOf } from './syntax.ts'

/** A change of one function, wherever it stands and however it is formatted. */
export type Patch = {
  file: string
  /** Names the function; if several have its name, by what is around it: `createPay.send`. */
  within: string
  find: string
  replace: string
}

/** A patch whose place is missing or not the only one, so that it says nothing of the source. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

/** Returns the source with the patch. @throws {PatchError} its place is missing or not alone */
export function patched(source: string, { file, within, find, replace }: Patch): string {
  const fail = (words: string) => new PatchError(`${file}, ${within}: ${words}`)
  const [own, ...others] = functionsIn(parse(source), []).filter(({ path }) => isAt(path, within))
  if (own === undefined) throw fail('there is no such function')
  if (others.length > 0) throw fail('several functions have this name')
  const { start, end } = own.node
  const words = find.trim().split(/\s+/)
  const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('\\s+')
  const places = [...source.slice(start, end).matchAll(new RegExp(pattern, 'g'))]
  const [place, ...more] = places
  if (place === undefined) throw fail(`does not have: ${find}`)
  if (more.length > 0) throw fail(`has ${places.length} times: ${find}`)
  const from = start + place.index
  return source.slice(0, from) + replace + source.slice(from + place[0].length)
}

type Named = { path: readonly string[]; node: Node }

/** The functions of a source that have a name, after the names of what is around them. */
function functionsIn(node: Node, path: readonly string[], isGiven = false): Named[] {
  const own = ownNameOf(node)
  const inner = own === undefined ? path : [...path, own]
  // A step is given its name around a call: `recordMined: writes((step) => ...)`.
  const gives = !isFunction(node) && (own !== undefined || (isGiven && isCall(node)))
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
