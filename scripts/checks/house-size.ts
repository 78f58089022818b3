/** Counts the lines of a text, with one that has no line break at its end. */
export function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length
}

/** Counts lines of Markdown with over 100 characters, without tables and code blocks. */
export function countLongLines(documents: ReadonlyMap<string, string>): number {
  const prose = [...documents.values()].map((text) => text.replaceAll(/^ *```.*?^ *```$/gms, ''))
  return prose.flatMap((text) => text.match(/^(?! *\|).{101,}$/gm) ?? []).length
}

/** Counts lines of comment with over 100 characters. */
export function countLongComments(sources: ReadonlyMap<string, string>): number {
  const lines = [...sources.values()].flatMap((text) => text.split('\n'))
  return lines.filter((line) => line.length > 100 && /^\s*(\/\/|\/\*|\* )/.test(line)).length
}

/** Finds names that two or more files export, each with those files. */
export function findNamesExportedTwice(sources: ReadonlyMap<string, string>): string[] {
  const files = new Map<string, Set<string>>()
  const declared =
    /^export (?:declare )?(?:async )?(?:function\*?|const|let|type|class|interface) (\w+)/gm
  for (const [file, source] of sources) {
    for (const [, name = ''] of source.matchAll(declared)) {
      files.set(name, (files.get(name) ?? new Set()).add(file))
    }
  }
  return [...files]
    .filter(([, { size }]) => size > 1)
    .map(([name, found]) => `${name}: ${[...found].sort().join(', ')}`)
}

/**
 * Returns the folders of a bundle's packages below any copy's root, from esbuild's metafile: which
 * copy of the repository built it, and where its packages stand, does not matter.
 */
export function packagesIn(metafile: unknown): string[] {
  const { outputs } = metafile as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
  }
  const folder = /\bnode_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/@]+(?=\/)/
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const folders = files
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([file]) => folder.exec(file) ?? [])
  return [...new Set(folders)].sort()
}

/** Lists the rows that the table of `docs/licences.md` lacks, or has too many. */
export function licenceFaults(shipped: ReadonlyMap<string, string>, document: string): string[] {
  const rows = document.split('\n').filter((line) => line.startsWith('| `'))
  const right = [...shipped].map(([name, licence]) => `| \`${name}\` | ${licence} |`)
  return [
    ...right.filter((row) => !rows.includes(row)).map((row) => `lacks ${row}`),
    ...rows.filter((row) => !right.includes(row)).map((row) => `has ${row}`),
  ]
}

/** Compares the settings with the table of `docs/configuration.md`, in both directions. */
export function tableFaults(settings: readonly string[], document: string): string[] {
  const cells = document.split('\n').flatMap((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? [])
  const named = cells.flatMap((cell) => cell.match(/[A-Z][A-Z0-9_]+/g) ?? [])
  return [
    ...settings.filter((name) => !named.includes(name)).map((name) => `lacks ${name}`),
    ...named.filter((name) => !settings.includes(name)).map((name) => `names ${name}`),
  ]
}
