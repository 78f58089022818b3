import { batchSizes, type Figures, type Gas, leastGasColumn, type Measured } from './measure.ts'

/** All figures of one price list, as `snapshots/` keeps them. */
export function snapshotOf({ relayed, direct }: Measured, network: keyof Gas): string {
  const only = (figures: Figures) =>
    Object.fromEntries(
      Object.entries(figures).map(([name, columns]) => [
        name,
        Object.fromEntries(Object.entries(columns).map(([column, gas]) => [column, gas[network]])),
      ]),
    )
  return `${JSON.stringify({ relayed: only(relayed), direct: only(direct) }, null, 2)}\n`
}

/** The tables of the contracts' README: Rootstock's gas, and Ethereum's in brackets. */
export function tables({ relayed, direct }: Measured): string {
  const columns = [leastGasColumn, ...batchSizes.map((size) => `of ${size}`)]
  const heads = batchSizes.map((size) => (size === 1 ? 'alone' : `in ${size}`))
  return [
    ...table(['relayed', leastGasColumn, ...heads], rowsOf(relayed, columns)),
    '',
    ...table(['direct', 'gas'], rowsOf(direct, ['gas'])),
  ].join('\n')
}

function rowsOf(figures: Figures, columns: readonly string[]): string[][] {
  return Object.entries(figures).map(([name, of]) => [
    name,
    ...columns.map((column) => cell(of[column])),
  ])
}

function cell(gas: Gas | undefined): string {
  if (gas === undefined) return ''
  return `${gas.rootstock.toLocaleString('en-US')} (${gas.ethereum.toLocaleString('en-US')})`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}
