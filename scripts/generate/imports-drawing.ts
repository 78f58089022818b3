import { readImports } from '../checks/import-rules.ts'

const entries = 'entry points'

/** Draws the folders of `src` and what they import of each other, as a Mermaid flowchart. */
export function drawImports(sources: ReadonlyMap<string, string>): string {
  const uses = new Map<string, Set<string>>()
  for (const [file, source] of sources) {
    const from = nameBox(file)
    const targets = readImports(file, source).filter((target) => target.startsWith('src/'))
    const boxes = targets.map(nameBox).filter((box) => box !== from)
    uses.set(from, new Set([...(uses.get(from) ?? []), ...boxes]))
  }
  // By code units, so that the drawing is the same on every machine.
  const names = [...uses.keys()].sort()
  const arrows = names.flatMap((name) => {
    const used = [...(uses.get(name) ?? [])].sort()
    return used.length > 0 ? [`  ${nameId(name)} --> ${used.map(nameId).join(' & ')}`] : []
  })
  return ['flowchart TD', ...arrows].join('\n')
}

const nameBox = (file: string): string => /^src\/([^/]+)\//.exec(file)?.[1] ?? entries

const nameId = (box: string): string => box.replaceAll(' ', '_')
