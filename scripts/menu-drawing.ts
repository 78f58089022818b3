import { type Destination, isEffect, menu } from '../src/ussd/menu.ts'

/** What is drawn of a place: its screen, or for an effect what it is called. */
export type DrawnPlace = { lines: readonly string[]; ends: boolean }

type Edge = { from: Destination; to: Destination; typed: string }
type Box = DrawnPlace & { x: number; y: number; width: number; height: number }

const size = { lineHeight: 15, padding: 9, column: 380, gap: 16, character: 7.3, margin: 24 }

/** The ways through the menu as it is declared, in the order of its digits. */
function edges(): Edge[] {
  const found: Edge[] = []
  const seen = new Set<Destination>(['main'])
  for (const from of seen) {
    if (isEffect(from)) continue
    const node = menu[from]
    const ways =
      node.kind === 'list'
        ? node.entries.map(({ digit, leads }) => ({ from, to: leads, typed: digit }))
        : [{ from, to: node.leads, typed: 'answer' }]
    for (const way of ways) seen.add(way.to)
    found.push(...ways)
  }
  return found
}

/** The menu as an SVG: each place with its screen, each way with what is typed for it. */
export function drawMenu(placeOf: (place: Destination) => DrawnPlace): string {
  const ways = edges()
  const boxes = layOut(ways, placeOf)
  const all = [...boxes.values()]
  const width = Math.max(...all.map(({ x, width }) => x + width)) + size.margin
  const height = Math.max(...all.map(({ y, height }) => y + height)) + size.margin + 30
  const note =
    '0 goes back, 00 to the main menu. A third bad answer to one question ends the session.'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="monospace" font-size="12">`,
    '<title>The menu of the USSD service</title>',
    '<style>rect{fill:#fff;stroke:#333}.end{fill:#eef4ee}path{fill:none;stroke:#888}text{white-space:pre}</style>',
    `<rect width="${width}" height="${height}" style="stroke:none"/>`,
    ...ways.map((way) => drawWay(way, boxes)),
    ...all.map(drawBox),
    `<text x="${size.margin}" y="${height - 16}">${note}</text>`,
    '</svg>',
    '',
  ].join('\n')
}

/** A column for each step from the main menu; what follows a place stands beside it. */
function layOut(
  ways: readonly Edge[],
  placeOf: (place: Destination) => DrawnPlace,
): Map<Destination, Box> {
  const boxes = new Map<Destination, Box>()
  const place = (name: Destination, depth: number, top: number): number => {
    const drawn = placeOf(name)
    const width = Math.max(...drawn.lines.map((line) => line.length)) * size.character + 18
    const height = drawn.lines.length * size.lineHeight + 2 * size.padding
    boxes.set(name, { ...drawn, x: size.margin + depth * size.column, y: top, width, height })
    let below = top
    for (const { from, to } of ways) {
      if (from === name && !boxes.has(to)) below = place(to, depth + 1, below)
    }
    return Math.max(below, top + height + size.gap)
  }
  place('main', 0, size.margin)
  return boxes
}

function drawWay({ from, to, typed }: Edge, boxes: ReadonlyMap<Destination, Box>): string {
  const [source, target] = [boxes.get(from), boxes.get(to)]
  if (source === undefined || target === undefined) throw new Error(`${from} or ${to} has no box`)
  const line = source.lines.findIndex((text) => text.startsWith(`${typed}. `))
  const row = line === -1 ? source.lines.length - 1 : line
  const [x, y] = [source.x + source.width, source.y + size.padding + (row + 0.6) * size.lineHeight]
  const [endX, endY] = [target.x, target.y + size.padding + size.lineHeight / 2]
  const middle = endX - 40
  return (
    `<path d="M${x} ${y} C${middle} ${y} ${x + 40} ${endY} ${endX} ${endY}"/>` +
    `<text x="${endX - 8}" y="${endY - 4}" text-anchor="end">${typed}</text>`
  )
}

function drawBox({ x, y, width, height, lines, ends }: Box): string {
  const rows = lines.map(
    (line, index) =>
      `<tspan x="${x + size.padding}" y="${y + size.padding + (index + 0.8) * size.lineHeight}">${escaped(line)}</tspan>`,
  )
  const shape = ends ? 'class="end" rx="12"' : 'rx="3"'
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${shape}/><text>${rows.join('')}</text>`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
