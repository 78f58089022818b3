import { importsOf } from '../checks/import-rules.ts'

/** One box of the drawing, and the boxes whose files its own files import. */
type Box = { name: string; uses: Set<string> }

/** Files beside the folders that nobody imports: the programs. */
const programs = 'entry points'
/** Files beside the folders that use folders, and those that use none. */
const above = 'assembly'
const below = 'shared'

/**
 * The folders of `src` and what they import of each other, as a Mermaid flowchart. Files are named
 * by their path from the repository's root. A box is a folder; files beside the folders are in one of
 * three boxes, by what imports them and what they import. Imports of types count.
 */
export function dependencyDrawing(sources: ReadonlyMap<string, string>): string {
  const imports = new Map(
    [...sources].map(([file, source]) => [
      file,
      importsOf(file, source).filter((target) => sources.has(target)),
    ]),
  )
  const boxOf = boxes(imports)
  const drawn = new Map<string, Box>()
  for (const [file, targets] of imports) {
    const name = boxOf(file)
    const box = drawn.get(name) ?? { name, uses: new Set() }
    drawn.set(name, box)
    for (const target of targets.map(boxOf)) if (target !== name) box.uses.add(target)
  }
  const inOrder = [...drawn.values()].sort((a, b) => compare(a.name, b.name))
  const labels = inOrder.map(({ name }) => `  ${idOf(name)}["${labelOf(name, imports, boxOf)}"]`)
  const arrows = inOrder.flatMap(({ name, uses }) =>
    [...uses].sort(compare).map((target) => `  ${idOf(name)} --> ${idOf(target)}`),
  )
  return `${['flowchart TD', ...labels, ...arrows].join('\n')}\n`
}

/** Which box a file is in. */
function boxes(imports: ReadonlyMap<string, readonly string[]>): (file: string) => string {
  const imported = new Set([...imports.values()].flat())
  return (file) => {
    const folder = folderOf(file)
    if (folder !== undefined) return folder
    if (!imported.has(file)) return programs
    return usesFolders(file, imports) ? above : below
  }
}

/** Whether a file beside the folders imports one of them, itself or through files beside them. */
function usesFolders(
  file: string,
  imports: ReadonlyMap<string, readonly string[]>,
  asked: ReadonlySet<string> = new Set(),
): boolean {
  if (folderOf(file) !== undefined) return true
  if (asked.has(file)) return false
  const targets = imports.get(file) ?? []
  return targets.some((target) => usesFolders(target, imports, new Set([...asked, file])))
}

/** The folder of `src` that a file is in; undefined for files beside the folders. */
function folderOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(file)?.[1]
}

/** A folder's path, or the names of the files that a box is made of. */
function labelOf(
  name: string,
  imports: ReadonlyMap<string, unknown>,
  boxOf: (file: string) => string,
): string {
  const files = [...imports.keys()].filter((file) => boxOf(file) === name)
  if (files.some((file) => folderOf(file) === name)) return `src/${name}`
  const names = files.map((file) => file.replace(/^src\//, '').replace(/\.ts$/, ''))
  return names.sort(compare).join(', ')
}

function idOf(name: string): string {
  return name.replaceAll(/[^a-z0-9]+/gi, '_')
}

/** By code units, so that the drawing is the same on every machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
