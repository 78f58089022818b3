import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { collectFigures, type Figure, type Run, results } from '../../../scripts/bench/figures.ts'
import { compareRuns, wordsOf } from '../../../scripts/bench/report/compare.ts'
import { renderCost } from '../../../scripts/bench/report/cost.ts'
import { renderPlot, scaleOf } from '../../../scripts/bench/report/plot.ts'
import { renderTable, showNumber, withPart } from '../../../scripts/bench/report/table.ts'

function figure(key: string, middle: number, checked = true): Figure {
  const value = { median: middle, low: middle - 1, high: middle + 1, rounds: 3 }
  return { key, group: 'payments', title: `what ${key} says`, unit: 'ms', value, checked }
}

const runOf = (...figures: Figure[]): Run => ({
  command: 'npm run bench',
  date: '2026-11-21T10:20:30.000Z',
  seconds: 91.4,
  machine: {
    cpu: 'A processor',
    cores: 2,
    memoryGiB: 24,
    system: 'Linux 6.1',
    calibrationMs: 50.2,
    versions: { node: '24.0.0' },
  },
  figures,
})

describe('the check', () => {
  test('passes what is within a fifth, up and down', ({ expect }) => {
    const committed = runOf(figure('payments.a', 10), figure('payments.b', 10))
    const now = runOf(figure('payments.a', 12), figure('payments.b', 8))
    expect(compareRuns(committed, now)).toEqual([])
  })

  test('names what is worse by more, and what is better by more', ({ expect }) => {
    const committed = runOf(figure('payments.a', 10), figure('payments.b', 10))
    const now = runOf(figure('payments.a', 12.1), figure('payments.b', 7.9))
    expect(compareRuns(committed, now).map(({ key }) => key)).toEqual(['payments.a', 'payments.b'])
    expect(compareRuns(committed, now).map(wordsOf)[0]).toBe(
      'payments.a (what payments.a says): 12.100 ms, committed 10.000, +21 %',
    )
  })

  test('looks at no figure that is not held', ({ expect }) => {
    const committed = runOf(figure('payments.p99', 10, false))
    expect(compareRuns(committed, runOf(figure('payments.p99', 100, false)))).toEqual([])
  })

  test('names a held figure that only one of the runs has', ({ expect }) => {
    const findings = compareRuns(runOf(figure('payments.a', 1)), runOf(figure('payments.b', 1)))
    expect(findings.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      'missing payments.a',
      'missing payments.b',
    ])
  })

  test('fails a figure that is no number, and any change of one that was 0', ({ expect }) => {
    const committed = runOf(figure('payments.a', 10), figure('payments.b', 0))
    const now = runOf(figure('payments.a', Number.NaN), figure('payments.b', 1))
    expect(compareRuns(committed, now).map(({ key }) => key)).toEqual(['payments.a', 'payments.b'])
    expect(compareRuns(runOf(figure('payments.b', 0)), runOf(figure('payments.b', 0)))).toEqual([])
  })
})

describe('the table', () => {
  test('shows the quick run beside the full one, with its rounds', ({ expect }) => {
    const quick = runOf(figure('payments.a', 10))
    const full = runOf(figure('payments.a', 12), figure('payments.long', 4000, false))
    const table = renderTable({ quick, full })
    expect(table).toContain('### Payments')
    expect(table).toContain(
      '| what payments.a says | ms | **10.0** (9.00 to 11.0) | **12.0** (11.0 to 13.0) | yes |',
    )
    expect(table).toContain('| what payments.long says | ms | – | **4000** (3999 to 4001) |  |')
    expect(table).toContain(
      'The quick run: `npm run bench`, 2026-11-21 10:20 UTC, 91 s, on 2 cores',
    )
  })

  test('has each figure once, under the heading of its group', ({ expect }) => {
    const cpu: Figure = { ...figure('cpu.a', 3), group: 'cpu' }
    const parts = renderTable({ quick: runOf(figure('payments.a', 10), cpu) }).split('### ')
    expect(parts).toHaveLength(3)
    expect(parts[1]).toMatch(/^Payments\n(?=.*payments\.a)(?!.*cpu\.a)/s)
    expect(parts[2]).toMatch(/^CPU a payment\n(?=.*cpu\.a)(?!.*payments\.a)/s)
  })

  test('takes the place of the old one and of nothing else', ({ expect }) => {
    const document = '# Title\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nthe rest\n'
    const table = renderTable({ quick: runOf(figure('payments.a', 10)) })
    const once = withPart(document, 'figures', table)
    expect(once).not.toContain('old')
    expect(once.startsWith('# Title\n')).toBe(true)
    expect(once.endsWith('<!-- figures: end -->\nthe rest\n')).toBe(true)
    expect(withPart(once, 'figures', table)).toBe(once)
  })

  test('needs its place', ({ expect }) => {
    expect(() => withPart('# Title\n', 'figures', 'text')).toThrow('no <!-- figures: begin -->')
  })

  test('shows the digits that count', ({ expect }) => {
    const shown = [0, 0.00123, 0.25, Math.PI, 42.42, 999.6, 123_456].map(showNumber)
    expect(shown).toEqual(['0', '0.0012', '0.250', '3.14', '42.4', '1000', '123500'])
  })
})

describe('the cost', () => {
  const file = (path: string) =>
    readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')

  test('of 1,000 payments stands in the guide as the committed run measured it', ({ expect }) => {
    const run = results.parse(JSON.parse(file('performance/results.json')))
    const guide = file('deploying-to-cloudflare.md')
    expect(withPart(guide, 'cost', renderCost(run))).toBe(guide)
  })

  test('is that of the payments that were counted, a thousand times', ({ expect }) => {
    const bill = ['objectRequests', 'alarms', 'rowsRead', 'rowsWritten', 'logLines']
    const keys = [...bill.map((name) => `bill.rootstock.${name}`), 'nodeCalls.rootstock.all']
    const figures = [...keys, 'bill.usd.cloudflare'].map((key, index) => figure(key, index + 0.5))
    const cost = renderCost({ quick: runOf(...figures) })
    expect(cost).toContain('| calls to the nodes | 5,500 |')
    expect(cost).toContain('| requests to the ledger | 500 |')
    expect(cost).toContain('| rows written | 3,500 |')
    expect(cost).toContain('US$ 6.500 |')
    expect(() => renderCost({ quick: runOf() })).toThrow('no figure nodeCalls.rootstock.all')
    expect(() => renderCost({})).toThrow('npm run bench')
  })
})

describe('the plot', () => {
  test('has titled axes, a bar for each value, and words that XML can hold', ({ expect }) => {
    const svg = renderPlot({
      title: 'A < B',
      across: 'callers',
      groups: ['1', '16'],
      upwards: 'payments a second',
      series: [
        { name: 'x', values: [10, 20] },
        { name: 'y', values: [5, undefined] },
      ],
    })
    expect(svg).toContain('A &lt; B')
    expect(svg).toContain('>callers<')
    expect(svg).toContain('>payments a second<')
    // The background, two signs of the legend and three bars.
    expect(svg.match(/<rect/g)).toHaveLength(6)
    expect(svg).not.toContain('NaN')
  })

  test('ends its axis at a round number above the highest value', ({ expect }) => {
    expect(scaleOf(183)).toEqual({ top: 200, step: 50 })
    expect(scaleOf(0.9).top).toBeCloseTo(1)
    expect(scaleOf(0)).toEqual({ top: 1, step: 0.25 })
  })
})

describe('figures', () => {
  test('are taken in once and only into a group', ({ expect }) => {
    const figures = collectFigures(() => {})
    figures.hold('cpu.relay', 'CPU', 'ms', [3, 1, 2])
    figures.add('payments.p99', 'p99', 'ms', [5])
    expect(figures.all().map(({ key, group, checked }) => [key, group, checked])).toEqual([
      ['cpu.relay', 'cpu', true],
      ['payments.p99', 'payments', false],
    ])
    expect(() => figures.add('cpu.relay', 'CPU', 'ms', [1])).toThrow('twice')
    expect(() => figures.add('weather.rain', 'rain', 'mm', [1])).toThrow('no group')
  })
})
