import { batchSizes, type Figures, leastGasColumn, type Measured } from './measure.ts'
import type { Network } from './vm.ts'

/** The tables of the contracts' README: Rootstock's gas, and Ethereum's in brackets. */
export function tables({ rootstock, ethereum }: Readonly<Record<Network, Measured>>): string {
  const columns = [leastGasColumn, ...batchSizes.map((size) => `of ${size}`)]
  const heads = batchSizes.map((size) => (size === 1 ? 'alone' : `in ${size}`))
  const rowsOf = (kind: keyof Measured, names: readonly string[]) =>
    Object.keys(rootstock[kind]).map((action) => [
      action,
      ...names.map((name) => cell([rootstock[kind], ethereum[kind]], action, name)),
    ])
  return [
    ...table(['relayed', leastGasColumn, ...heads], rowsOf('relayed', columns)),
    '',
    ...table(['direct', 'gas'], rowsOf('direct', ['gas'])),
  ].join('\n')
}

function cell(both: readonly Figures[], action: string, column: string): string {
  const [rootstock, ethereum] = both.map((figures) =>
    figures[action]?.[column]?.toLocaleString('en-US'),
  )
  return rootstock === undefined ? '' : `${rootstock} (${ethereum})`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}
