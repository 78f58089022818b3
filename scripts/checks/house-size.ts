/** A part of an abstract syntax tree, as ESTree describes it. */
type Node = { type: string; start: number; end: number; [field: string]: unknown }

/** A function and how many lines it takes, the first and the last among them. */
export type FunctionSize = { name: string; file: string; line: number; lines: number }

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
])

/** Lines of all files together; what follows the last line break is one too. */
export function linesOf(sources: Iterable<string>): number {
  let lines = 0
  for (const source of sources) lines += source.replace(/\n$/, '').split('\n').length
  return lines
}

/**
 * The functions of all sources, by their path, the longest first. Lines of a function inside another that
 * takes more than one are that one's own: a function that makes a store is no longer than what it says itself.
 */
export function functionSizes(
  sources: ReadonlyMap<string, string>,
  parse: (source: string) => unknown,
): FunctionSize[] {
  const sizes = [...sources].flatMap(([file, source]) =>
    functionsIn(parse(source) as Node, '', source).map(({ name, start, lines }) => {
      return { name, file, line: linesOf([source.slice(0, start + 1)]), lines }
    }),
  )
  return sizes.sort((a, b) => b.lines - a.lines)
}

type Found = { name: string; start: number; lines: number; span: number }

/** Each takes its own name, or that of what it is given to. */
function functionsIn(node: Node, given: string, source: string): Found[] {
  const own = nameOf(node.id) ?? nameOf(node.key) ?? given
  const inner = Object.values(node)
    .flat()
    .flatMap((part) => (isNode(part) ? functionsIn(part, own, source) : []))
  if (!functionTypes.has(node.type)) return inner
  const span = linesOf([source.slice(node.start, node.end)])
  const nested = inner.filter(({ span }) => span > 1)
  const lines = nested.reduce((left, { lines }) => left - lines, span)
  return [...inner, { name: own, start: node.start, lines, span }]
}

function nameOf(value: unknown): string | undefined {
  return isNode(value) && typeof value.name === 'string' ? value.name : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The folders of the packages of which files are in a bundle, from its metafile of esbuild. */
export function packagesIn(metafile: unknown): string[] {
  const { outputs } = metafile as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
  }
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const folders = files
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([file]) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/@]+)\//.exec(file)?.[1] ?? [])
  return [...new Set(folders)].sort()
}

/** Which rows the table of `docs/licences.md` lacks, and which it has besides. */
export function licenceFaults(shipped: ReadonlyMap<string, string>, document: string): string[] {
  const rows = document.split('\n').filter((line) => line.startsWith('| `'))
  const right = [...shipped].map(([name, licence]) => `| \`${name}\` | ${licence} |`)
  return [
    ...right.filter((row) => !rows.includes(row)).map((row) => `lacks ${row}`),
    ...rows.filter((row) => !right.includes(row)).map((row) => `has ${row}`),
  ]
}

/** What of the settings the table of `docs/configuration.md` does not name, and what it names besides. */
export function tableFaults(settings: readonly string[], document: string): string[] {
  const cells = document.split('\n').flatMap((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? [])
  const named = cells.flatMap((cell) => cell.match(/[A-Z][A-Z0-9_]+/g) ?? [])
  return [
    ...settings.filter((name) => !named.includes(name)).map((name) => `lacks ${name}`),
    ...named.filter((name) => !settings.includes(name)).map((name) => `names ${name}`),
  ]
}
