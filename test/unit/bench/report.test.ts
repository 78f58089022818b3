import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { collectFigures, compareFigures, results } from '../../../scripts/bench/figures.ts'
import { drawPlot } from '../../../scripts/bench/plot.ts'
import { showNumber, writeCost, writeTable } from '../../../scripts/bench/report.ts'
import { replacePart } from '../../../scripts/generate/document.ts'

const committed = (name: string, value: number) => ({ name, unit: 'ms', value })
const measured = (name: string, value: number, held = true) => ({ ...committed(name, value), held })

describe('the check', () => {
  test('passes what is within a fifth, up and down', ({ expect }) => {
    const before = [committed('a', 10), committed('b', 10)]
    expect(compareFigures(before, [measured('a', 12), measured('b', 8)])).toEqual([])
  })

  test('names what is worse by more, and what is better by more', ({ expect }) => {
    const before = [committed('a', 10), committed('b', 10)]
    expect(compareFigures(before, [measured('a', 12.1), measured('b', 7.9)])).toEqual([
      'a: 12.100 ms, committed 10.000',
      'b: 7.900 ms, committed 10.000',
    ])
  })

  test('looks at no figure that is not held, and names one that only one run has', ({ expect }) => {
    expect(
      compareFigures([committed('a', 1)], [measured('b', 1), measured('c', 9, false)]),
    ).toEqual(['b was never committed', 'a is committed and was not measured'])
  })

  test('fails a figure that is no number, and any change of one that was 0', ({ expect }) => {
    expect(compareFigures([committed('a', 10)], [measured('a', Number.NaN)])).toHaveLength(1)
    expect(compareFigures([committed('a', 0)], [measured('a', 1)])).toHaveLength(1)
    expect(compareFigures([committed('a', 0)], [measured('a', 0)])).toEqual([])
  })
})

test('a figure is the middle of its rounds, and taken in once', ({ expect }) => {
  const figures = collectFigures(() => {})
  figures.hold('CPU', 'ms', 3, 1, 2)
  expect(figures.all).toEqual([{ name: 'CPU', unit: 'ms', value: 2, low: 1, high: 3, held: true }])
  expect(() => figures.add('CPU', 'ms', 1)).toThrow('twice')
})

describe('documents', () => {
  const read = (path: string) =>
    readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')
  const last = results.parse(JSON.parse(read('performance/results.json')))

  test('say what the committed run measured, and what 1,000 payments cost by it', ({ expect }) => {
    const readme = read('performance/README.md')
    const guide = read('deploying-to-cloudflare.md')
    expect(replacePart(readme, 'figures', writeTable(last))).toBe(readme)
    expect(replacePart(guide, 'cost', writeCost(last))).toBe(guide)
  })

  test('change between their marks alone, which they must have', ({ expect }) => {
    const document = '# Title\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nthe rest\n'
    const changed = replacePart(document, 'figures', 'new')
    expect(changed).not.toContain('old')
    expect(changed.startsWith('# Title\n')).toBe(true)
    expect(changed.endsWith('<!-- figures: end -->\nthe rest\n')).toBe(true)
    expect(() => replacePart('# Title\n', 'figures', 'text')).toThrow('no <!-- figures: begin -->')
  })

  test('never guess what a payment costs', ({ expect }) => {
    expect(() => writeCost({ ...last, figures: [] })).toThrow('no figure "questions to the node')
  })
})

test('a number is shown with the digits that count', ({ expect }) => {
  const shown = [0, 0.00123, 0.25, Math.PI, 42.42, 999.6, 123_456].map(showNumber)
  expect(shown).toEqual(['0', '0.0012', '0.250', '3.14', '42.4', '1000', '123500'])
})

test('the plot has a bar for each figure of payments a second', ({ expect }) => {
  const svg = drawPlot([
    { name: 'accepted, 1 caller: afternoon (a)', value: 83 },
    { name: 'accepted, 64 callers: relay', value: 183 },
  ])
  // The background, four signs of the legend and two bars.
  expect(svg.match(/<rect/g)).toHaveLength(7)
  expect(svg).toContain('>200</text>')
  expect(svg).toContain('>183</text>')
  expect(svg).not.toContain('NaN')
})
