import type { Figure, Results } from './figures.ts'
import { gasPriceGwei, transferGas, usdPerRbtc } from './measure/prices.ts'
import { onRootstock, usdFigure } from './measure/rootstock.ts'

/** Writes the held figures of the committed run as Markdown. */
export function writeTable({ date, machine, versions, figures }: Results): string {
  const day = date.slice(0, 16).replace('T', ' ')
  const rows = figures.map(
    ({ name, unit, value }) => `| ${name} | ${unit} | ${showNumber(value)} |`,
  )
  return [
    '| measured | on | with |',
    '|---|---|---|',
    `| ${day} UTC | ${machine} | ${versions} |`,
    '',
    '| figure | unit | value |',
    '|---|---|---:|',
    ...rows,
    '',
  ].join('\n')
}

export function writeLine({ name, unit, value, low, high, held }: Figure): string {
  const ends = low === high ? '' : ` (${showNumber(low)} to ${showNumber(high)})`
  return `  ${name.padEnd(72)} ${showNumber(value).padStart(9)} ${unit}${ends}${held ? ' *' : ''}`
}

const counted = [
  ...['questions to the node', 'requests to the ledger', 'rows read', 'rows written'],
  'lines of the log',
]

/** Writes what 1,000 payments cost, as Markdown. @throws {Error} the run has not measured it */
export function writeCost({ date, figures }: Pick<Results, 'date' | 'figures'>): string {
  const read = (name: string): number => {
    const found = figures.find((figure) => figure.name === name)
    if (found === undefined) throw new Error(`the run has no figure "${name}"`)
    return found.value
  }
  const whole = (count: number) => Math.round(count).toLocaleString('en-US')
  const rbtc = (transferGas * 1000 * gasPriceGwei) / 1e9
  return [
    '| 1,000 payments, of 4 deliveries each | |',
    '|---|---:|',
    ...counted.map((name) => `| ${name} | ${whole(read(`${name}, ${onRootstock}`) * 1000)} |`),
    `| at Cloudflare's list prices, beyond what the plan includes | US$ ${read(usdFigure).toFixed(4)} |`,
    `| gas, ${whole(transferGas)} a transfer | ${whole(transferGas * 1000)} |`,
    `| the same at ${gasPriceGwei} gwei (assumed) | ${rbtc.toFixed(4)} RBTC, US$ ${whole(rbtc * usdPerRbtc)} at US$ ${whole(usdPerRbtc)} (assumed) |`,
    '',
    `Measured on ${date.slice(0, 10)}, ten payments a block. Fewer payments share fewer of its calls.`,
  ].join('\n')
}

/** Shows three digits that count, without an exponent. */
function showNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 10_000) return `${Math.round(value / 100) * 100}`
  if (size >= 100 || value === 0) return value.toFixed(0)
  if (size >= 0.01) return value.toPrecision(3)
  return value.toPrecision(2)
}
