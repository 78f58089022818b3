import { type Figure, type Group, groups, type Results, type Run } from '../figures.ts'

const headings: Record<Group, string> = {
  payments: 'Payments',
  cpu: 'CPU a payment',
  bill: 'What a payment costs',
  nodeCalls: 'Questions to the node',
  screens: 'Menu and balance',
  jsonRpc: 'JSON-RPC',
  heads: 'New heads',
  claims: 'Claims of the ledger',
  memory: 'Memory',
  startUp: 'Bundle and start',
  redis: 'Redis in the place of the object',
}

/** The document with another text between the marks of this name. @throws {Error} it has no such marks */
export function withPart(document: string, name: string, text: string): string {
  const marks = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`] as const
  const [begin, end] = marks.map((mark) => document.indexOf(mark)) as [number, number]
  if (begin < 0 || end < begin) throw new Error(`the document has no ${marks.join(' … ')}`)
  return `${document.slice(0, begin + marks[0].length)}\n\n${text}\n${document.slice(end)}`
}

/** Runs and their figures as Markdown: a table for each group, the quick run beside the full one. */
export function renderTable({ quick, full }: Results): string {
  const runs = [
    ['quick', quick],
    ['full', full],
  ] as const
  const about = runs.flatMap(([name, run]) => (run === undefined ? [] : [aboutRun(name, run)]))
  const parts = groups.flatMap((group) => {
    const figures = figuresOf(group, quick, full)
    if (figures.length === 0) return []
    const rows = figures.map((figure) => row(figure, quick, full))
    return [
      [
        `### ${headings[group]}`,
        '',
        '| figure | unit | quick | full | held |',
        '|---|---|---:|---:|:---:|',
        ...rows,
      ].join('\n'),
    ]
  })
  return `${[...about, ...parts].join('\n\n')}\n`
}

function aboutRun(name: string, { command, date, seconds, machine }: Run): string {
  const versions = Object.entries(machine.versions).map(([tool, version]) => `${tool} ${version}`)
  return `The ${name} run: \`${command}\`, ${date.slice(0, 16).replace('T', ' ')} UTC, ${Math.round(seconds)} s, on ${machine.cores} cores (${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.system}); a calibration loop takes ${machine.calibrationMs.toFixed(0)} ms of CPU; ${versions.join(', ')}.`
}

function figuresOf(group: Group, ...runs: (Run | undefined)[]): Figure[] {
  const byKey = new Map<string, Figure>()
  for (const run of runs) {
    for (const figure of run?.figures ?? []) {
      if (figure.group === group && !byKey.has(figure.key)) byKey.set(figure.key, figure)
    }
  }
  return [...byKey.values()]
}

function row({ key, title, unit, checked }: Figure, quick?: Run, full?: Run): string {
  const cells = [cell(quick, key), cell(full, key), checked ? 'yes' : '']
  return `| ${title} | ${unit} | ${cells.join(' | ')} |`
}

/** The median, and the lowest and the highest round where they differ. */
function cell(run: Run | undefined, key: string): string {
  const found = run?.figures.find((figure) => figure.key === key)
  if (found === undefined) return '–'
  const { median, low, high } = found.value
  const middle = showNumber(median)
  const ends = `${showNumber(low)} to ${showNumber(high)}`
  return low === high ? `**${middle}**` : `**${middle}** (${ends})`
}

/** Three digits that count, without an exponent. */
export function showNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 10_000) return `${Math.round(value / 100) * 100}`
  if (size >= 100 || value === 0) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  if (size >= 1) return value.toFixed(2)
  if (size >= 0.01) return value.toFixed(3)
  return value.toPrecision(2)
}
