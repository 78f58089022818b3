import type { Results, Run } from '../figures.ts'
import { renderPlot } from './plot.ts'

/** The plots, by file name: of the full run, which has all figures, else of the quick one. */
export function plots({ quick, full }: Results): Record<string, string> {
  const run = full ?? quick
  if (run === undefined) return {}
  return { 'payments.svg': payments(run), 'replies.svg': replies(run) }
}

const callers = [1, 16, 64, 256]
const payers = [
  ['relay', 'the relay'],
  ['asked', 'afternoon (a)'],
  ['fixed', "afternoon, fees fixed (a')"],
] as const

function payments(run: Run): string {
  return renderPlot({
    title: 'Payments accepted a second',
    across: 'callers at a time',
    groups: callers.map(String),
    upwards: 'payments a second (more is better)',
    series: seriesOf(run, 'accepted'),
  })
}

function replies(run: Run): string {
  return renderPlot({
    title: 'Time until the caller has the screen, median',
    across: 'callers at a time',
    groups: callers.map(String),
    upwards: 'milliseconds (less is better)',
    series: seriesOf(run, 'p50'),
  })
}

function seriesOf({ figures }: Run, what: string) {
  return payers.map(([key, name]) => ({
    name,
    values: callers.map(
      (count) =>
        figures.find((one) => one.key === `payments.${what}.${key}.${count}`)?.value.median,
    ),
  }))
}
