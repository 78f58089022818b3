import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { collectFigures, compareFigures, results } from '../../../scripts/bench/figures.ts'
import { writeCost, writeTable } from '../../../scripts/bench/report.ts'
import { replacePart } from '../../../scripts/generate/document.ts'

test.for<[what: string, before: number, after: number, isFault: boolean]>([
  ['a fifth more', 10, 12, false],
  ['a fifth less', 10, 8, false],
  ['worse by more', 10, 12.1, true],
  ['better by more', 10, 7.9, true],
  ['no number', 10, Number.NaN, true],
  ['any change of nothing', 0, 1, true],
  ['nothing as before', 0, 0, false],
])('a held figure that is %s: from %d to %d', ([, before, after, isFault]) => {
  const committed = [{ name: 'a', unit: 'ms', value: before }]
  const measured = { name: 'a', unit: 'ms', value: after, held: true }
  expect(compareFigures(committed, [measured])).toHaveLength(isFault ? 1 : 0)
  expect(compareFigures(committed, [{ ...measured, name: 'b' }])).toHaveLength(2)
})

test('a figure is the median of its rounds, and is added once', () => {
  const figures = collectFigures(() => {})
  figures.hold('CPU', 'ms', 3, 1, 2)
  expect(figures.all).toEqual([{ name: 'CPU', unit: 'ms', value: 2, low: 1, high: 3, held: true }])
  expect(() => figures.add('CPU', 'ms', 1)).toThrow('twice')
})

test("documents show the committed run's figures, and the cost of 1,000 payments", () => {
  const read = (path: string) =>
    readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')
  const last = results.parse(JSON.parse(read('performance/results.json')))
  const readme = read('performance/README.md')
  const guide = read('deploying-to-cloudflare.md')
  expect(replacePart(readme, 'figures', writeTable(last))).toBe(readme)
  expect(replacePart(guide, 'cost', writeCost(last))).toBe(guide)
  const figure = (name: string) => last.figures.find((one) => one.name === name)?.value ?? 0
  const reply = figure('reply p50, 5 payments/s, node of 150 ms: relay')
  const asked = figure("questions to the node, Rootstock's pool, 10 payments a block")
  const cost = figure("1,000 payments of 4 deliveries: Cloudflare's list prices")
  const told = [`within ${Math.round(reply)} ms`, `ask the node ${asked.toFixed(2)} times`]
  for (const words of [...told, `cost US$ ${cost.toFixed(4)}`, 'a transfer takes 71,321 gas']) {
    expect(read('../README.md').replace(/\s+/g, ' ')).toContain(words)
  }
  // It never guesses what a payment costs.
  expect(() => writeCost({ ...last, figures: [] })).toThrow('no figure "questions to the node')
})
