import type { Figure } from './figures.ts'
import { payers } from './measure/payments.ts'

const width = 760
const height = 400
const left = 60
const right = 20
const top = 90
const bottom = 52
const colours = ['#0b5fa5', '#0f8a5f', '#d97706', '#6b7280']
const groups = [1, 16, 64]

/** Draws the payments a second of each payer as SVG, on white, so that it is readable on any page. */
export function drawPlot(figures: readonly Pick<Figure, 'name' | 'value'>[]): string {
  const find = (name: string) => figures.find((figure) => figure.name === name)?.value
  const values = groups.map((callers) => {
    const at = `${callers} caller${callers === 1 ? '' : 's'}`
    return Object.values(payers).map((payer) => find(`accepted, ${at}: ${payer}`))
  })
  const most = Math.max(...values.flat().map((value) => value ?? 0))
  const step = chooseStep(most)
  const highest = Math.ceil(most / step) * step
  const base = height - bottom
  const placeY = (value: number) => base - (value / highest) * (base - top)
  const lines = Array.from({ length: highest / step + 1 }, (_, index) => index * step)
  const place = (width - left - right) / groups.length
  const bar = (place * 0.8) / colours.length
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#1f2937" role="img">`,
    '<title>Payments accepted a second</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    writeText(left, 26, 'Payments accepted a second (more is better)', 'font-weight="bold"'),
    ...Object.values(payers).flatMap((payer, index) => {
      const [x, y] = [left + (index % 2) * 330, 42 + Math.floor(index / 2) * 20]
      return [drawRectangle(x, y, 12, 12, index), writeText(x + 18, y + 11, payer)]
    }),
    ...lines.flatMap((value) => [
      `<path d="M${left} ${placeY(value)}H${width - right}" stroke="#e5e7eb"/>`,
      writeText(left - 8, placeY(value) + 4, `${value}`, 'text-anchor="end"'),
    ]),
    ...groups.flatMap((callers, group) => {
      const from = left + group * place
      const label = `${callers} caller${callers === 1 ? '' : 's'} at a time`
      return [
        writeText(from + place / 2, base + 20, label, 'text-anchor="middle"'),
        ...(values[group] ?? []).flatMap((value, index) => {
          // A run that was measured before there was this payer.
          if (value === undefined) return []
          const [x, y] = [from + place * 0.1 + index * bar, placeY(value)]
          const middle = 'font-size="11" text-anchor="middle"'
          return [
            drawRectangle(x, y, bar - 3, base - y, index),
            writeText(x + bar / 2 - 1.5, y - 4, value.toFixed(0), middle),
          ]
        }),
      ]
    }),
    '</svg>',
    '',
  ].join('\n')
}

/** Chooses a round step, of which about five reach this value. */
function chooseStep(highest: number): number {
  if (!(highest > 0)) return 1
  const size = 10 ** Math.floor(Math.log10(highest / 5))
  return size * ([1, 2, 5, 10].find((factor) => factor * size >= highest / 5) ?? 10)
}

function drawRectangle(x: number, y: number, width: number, height: number, index: number): string {
  const size = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`
  return `<rect ${size} fill="${colours[index]}"/>`
}

function writeText(x: number, y: number, text: string, attributes = ''): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
