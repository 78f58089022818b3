import type { Activity, Facts } from '../../src/ussd/facts.ts'
import {
  type Destination,
  isEffect,
  type MenuContext,
  type NodeName,
} from '../../src/ussd/menu/nodes.ts'
import { promptOf } from '../../src/ussd/menu/walk.ts'
import { allRight, menus, sampleContext, type Ways, waysThrough } from '../dev/menu-ways.ts'

type Step = Ways['steps'][number]
type Box = {
  lines: readonly string[]
  isEnd: boolean
  x: number
  y: number
  width: number
  height: number
}
type Drawn = { svg: string; width: number; height: number }

const size = { line: 15, padding: 9, column: 410, gap: 16, character: 7.3, margin: 24 }

function sample(kind: Activity['kind'], state: 'done' | 'under_way'): Activity {
  return { kind, amountWei: 10n ** 15n, who: '2547...002', state: { kind: state } }
}

/** What is read for screens, as an example. */
const facts: Facts = {
  debt: { owedWei: 10n ** 16n, dueAt: 1_798_000_000 },
  terms: { feeWei: 0n, termSeconds: 86_400, principalWei: 10n ** 16n, dueAt: 1_798_000_000 },
  earlierMinutes: 3,
  address: '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd',
  activity: {
    own: [sample('transfer', 'done'), sample('repayment', 'under_way')],
    received: [sample('received', 'done')],
  },
  ...{ failure: 'none', recipients: [], worth: 'none', registration: 'registered' },
}

/** Draws `docs/menu.svg` from the menu's declaration. */
export function drawMenu(): string {
  return drawMenus([
    ['PROFILE=demo', sampleContext(menus.demo)],
    ['PROFILE=lender', sampleContext(menus.lender)],
    ['PROFILE=lender, PIN=strict', sampleContext(menus.strict)],
    ['The same where no PIN was chosen yet', sampleContext(menus.strict), 'newPin'],
  ])
}

/** Draws menus as one SVG, each under its heading: each place with its screen, each way with what is typed for it. */
export function drawMenus(
  menus: readonly (readonly [heading: string, context: MenuContext, start?: NodeName])[],
): string {
  let top = size.margin
  const parts: string[] = []
  let width = 0
  for (const [heading, context, start = 'main'] of menus) {
    const drawn = drawOne(context, start)
    parts.push(
      `<g transform="translate(${size.margin} ${top})"><text y="12" font-weight="bold">${escaped(heading)}</text>`,
      `<g transform="translate(0 28)">${drawn.svg}</g></g>`,
    )
    top += drawn.height + 28 + size.margin
    width = Math.max(width, drawn.width + 2 * size.margin)
  }
  const note =
    '* is an answer in the caller’s own words. 0 goes back, 00 to the main menu. A third bad answer to one question ends the session.'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + 24}" width="${width}" height="${top + 24}" font-family="monospace" font-size="12">`,
    '<title>The menu of the USSD service</title>',
    '<style>rect{fill:#fff;stroke:#333}.end{fill:#eef4ee}path{fill:none;stroke:#888}text{white-space:pre}</style>',
    `<rect width="${width}" height="${top + 24}" style="stroke:none"/>`,
    ...parts,
    `<text x="${size.margin}" y="${top + 8}">${note}</text>`,
    '</svg>',
    '',
  ].join('\n')
}

function drawOne(context: MenuContext, start: NodeName): Drawn {
  const ways = waysThrough(context, allRight(start))
  const boxes = layOut(ways, start, (name) => {
    if (isEffect(name)) return [`END: ${name}`]
    const place = ways.places.get(name)?.place
    if (place === undefined) throw new Error(`no way leads to ${name}`)
    return promptOf(place, context, facts).split('\n')
  })
  const all = [...boxes.values()]
  return {
    svg: [...ways.steps.map((step) => drawStep(step, boxes)), ...all.map(drawBox)].join('\n'),
    width: Math.max(...all.map(({ x, width }) => x + width)),
    height: Math.max(...all.map(({ y, height }) => y + height)),
  }
}

/** A column for each step from the main menu; what follows a place stands beside it. */
function layOut(
  { steps }: Ways,
  start: NodeName,
  linesOf: (place: Destination) => readonly string[],
): Map<Destination, Box> {
  const boxes = new Map<Destination, Box>()
  const place = (name: Destination, depth: number, top: number): number => {
    const lines = linesOf(name)
    const width = Math.max(...lines.map((line) => line.length)) * size.character + 2 * size.padding
    const height = lines.length * size.line + 2 * size.padding
    const at = { x: depth * size.column, y: top }
    boxes.set(name, { lines, isEnd: isEffect(name), ...at, width: Math.round(width), height })
    let below = top
    for (const { from, to } of steps) {
      if (from === name && !boxes.has(to)) below = place(to, depth + 1, below)
    }
    return Math.max(below, top + height + size.gap)
  }
  place(start, 0, 0)
  return boxes
}

function drawStep({ from, to, typed }: Step, boxes: ReadonlyMap<Destination, Box>): string {
  const [source, target] = [boxes.get(from), boxes.get(to)]
  if (source === undefined || target === undefined) throw new Error(`${from} or ${to} has no box`)
  const line = source.lines.findIndex((text) => text.startsWith(`${typed}. `))
  const row = line === -1 ? 0 : line
  const [x, y] = [source.x + source.width, source.y + size.padding + (row + 0.5) * size.line]
  const [endX, endY] = [target.x, target.y + size.padding + size.line / 2]
  return (
    `<path d="M${x} ${y} C${endX - 40} ${y} ${x + 40} ${endY} ${endX} ${endY}"/>` +
    `<text x="${endX - 8}" y="${endY - 4}" text-anchor="end">${typed}</text>`
  )
}

function drawBox({ x, y, width, height, lines, isEnd }: Box): string {
  const rows = lines.map(
    (line, index) =>
      `<tspan x="${x + size.padding}" y="${y + size.padding + (index + 0.8) * size.line}">${escaped(line)}</tspan>`,
  )
  const shape = isEnd ? 'class="end" rx="12"' : 'rx="3"'
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${shape}/><text>${rows.join('')}</text>`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
