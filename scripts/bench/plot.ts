import type { Figure } from './figures.ts'
import { payers, plan } from './measure/payments.ts'

const [width, barHeight, left] = [760, 20, 280]
const colours = ['#0b5fa5', '#0f8a5f', '#6b7280']

/** Draws each payer's payments a second as SVG, on white, so that any page can show it. */
export function drawPlot(figures: readonly Pick<Figure, 'name' | 'value'>[]): string {
  const bars = plan.flatMap(({ callers }) =>
    Object.values(payers).flatMap((payer, index) => {
      const name = `accepted, ${callers} callers: ${payer}`
      const value = figures.find((figure) => figure.name === name)?.value
      // A run that was measured before there was this payer.
      if (value === undefined) return []
      return { title: `${payer}, ${callers} at a time`, value, colour: colours[index] }
    }),
  )
  const most = Math.max(...bars.map(({ value }) => value))
  const height = 50 + bars.length * (barHeight + 6)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#1f2937" role="img">`,
    '<title>Payments accepted a second</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    '<text x="10" y="26" font-weight="bold">Payments accepted a second (more is better)</text>',
    ...bars.flatMap(({ title, value, colour }, index) => {
      const top = 44 + index * (barHeight + 6)
      const length = Math.round(((width - left - 60) * value) / most)
      return [
        `<text x="${left - 8}" y="${top + 15}" text-anchor="end">${title}</text>`,
        `<rect x="${left}" y="${top}" width="${length}" height="${barHeight}" fill="${colour}"/>`,
        `<text x="${left + length + 6}" y="${top + 15}">${value.toFixed(0)}</text>`,
      ]
    }),
    '</svg>',
    '',
  ].join('\n')
}
