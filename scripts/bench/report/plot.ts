/** Bars in groups over a titled axis. */
export type Plot = {
  title: string
  /** What the axis from left to right says, and what its groups are called. */
  across: string
  groups: readonly string[]
  /** What the axis from bottom to top counts, with its unit. */
  upwards: string
  /** A bar in each group; undefined without one. */
  series: readonly { name: string; values: readonly (number | undefined)[] }[]
}

const plotWidth = 760
const plotHeight = 380
const leftMargin = 76
const rightMargin = 20
const topMargin = 76
const bottomMargin = 58
const colours = ['#0b5fa5', '#d97706', '#6b7280', '#0f8a5f']

/** The plot as SVG, on white, so that it is readable on any page. */
export function renderPlot(plot: Plot): string {
  const highest = Math.max(
    ...plot.series.flatMap(({ values }) => values.map((value) => value ?? 0)),
  )
  const { top, step } = scaleOf(highest)
  const yOf = (value: number) =>
    plotHeight - bottomMargin - (value / top) * (plotHeight - topMargin - bottomMargin)
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${plotWidth} ${plotHeight}" width="${plotWidth}" height="${plotHeight}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#1f2937" role="img" aria-label="${escapeXml(plot.title)}">`,
    `<title>${escapeXml(plot.title)}</title>`,
    `<rect width="${plotWidth}" height="${plotHeight}" fill="#ffffff"/>`,
    `<text x="${leftMargin}" y="26" font-size="16" font-weight="bold">${escapeXml(plot.title)}</text>`,
    ...legend(plot),
    ...lines.map((value) => gridLine(value, yOf(value))),
    ...bars(plot, yOf),
    `<text x="${(leftMargin + plotWidth - rightMargin) / 2}" y="${plotHeight - 14}" text-anchor="middle">${escapeXml(plot.across)}</text>`,
    `<text transform="translate(20 ${(topMargin + plotHeight - bottomMargin) / 2}) rotate(-90)" text-anchor="middle">${escapeXml(plot.upwards)}</text>`,
    '</svg>',
    '',
  ].join('\n')
}

/** A round number of steps that the highest value fits under. */
export function scaleOf(highest: number): { top: number; step: number } {
  if (!(highest > 0)) return { top: 1, step: 0.25 }
  const rough = highest / 5
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * size >= rough) ?? 10) * size
  return { top: Math.ceil(highest / step) * step, step }
}

function legend({ series }: Plot): string[] {
  const place = (plotWidth - leftMargin - rightMargin) / series.length
  return series.flatMap(({ name }, index) => [
    `<rect x="${leftMargin + index * place}" y="42" width="12" height="12" fill="${colourOf(index)}"/>`,
    `<text x="${leftMargin + index * place + 18}" y="53">${escapeXml(name)}</text>`,
  ])
}

function gridLine(value: number, y: number): string {
  const text = Number(value.toPrecision(6)).toString()
  return `<path d="M${leftMargin} ${y}H${plotWidth - rightMargin}" stroke="#e5e7eb"/><text x="${leftMargin - 8}" y="${y + 4}" text-anchor="end">${text}</text>`
}

function bars({ groups, series }: Plot, yOf: (value: number) => number): string[] {
  const place = (plotWidth - leftMargin - rightMargin) / groups.length
  const width = (place * 0.76) / series.length
  return groups.flatMap((name, group) => {
    const from = leftMargin + group * place
    const label = `<text x="${from + place / 2}" y="${plotHeight - bottomMargin + 19}" text-anchor="middle">${escapeXml(name)}</text>`
    const drawn = series.flatMap(({ values }, index) => {
      const value = values[group]
      if (value === undefined) return []
      const x = from + place * 0.12 + index * width
      return [
        `<rect x="${round(x)}" y="${round(yOf(value))}" width="${round(width - 3)}" height="${round(yOf(0) - yOf(value))}" fill="${colourOf(index)}"/>`,
        `<text x="${round(x + width / 2 - 1.5)}" y="${round(yOf(value) - 4)}" font-size="11" text-anchor="middle">${shown(value)}</text>`,
      ]
    })
    return [label, ...drawn]
  })
}

function colourOf(index: number): string {
  return colours[index % colours.length] ?? '#000000'
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
