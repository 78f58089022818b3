import type { Results, Run } from '../figures.ts'
import { gasPriceGwei, transferGas, usdPerRbtc } from '../measure/prices.ts'

const payments = 1_000

/** What is counted of a thousand payments: its key, what it is called, and how many of it a payment counts. */
const counted: readonly (readonly [key: string, title: string])[] = [
  ['nodeCalls.rootstock.all', 'calls to the nodes'],
  ['bill.rootstock.objectRequests', 'requests to the ledger'],
  ['bill.rootstock.alarms', 'alarms of the ledger'],
  ['bill.rootstock.rowsRead', 'rows read'],
  ['bill.rootstock.rowsWritten', 'rows written'],
  ['bill.rootstock.logLines', 'lines of the log'],
]

/**
 * What 1,000 payments cost, as the last run measured it before Rootstock's pool, as Markdown.
 *
 * @throws {Error} no run has measured it
 */
export function renderCost({ quick, full }: Results): string {
  const run = full ?? quick
  if (run === undefined) throw new Error('nothing was measured yet: npm run bench')
  const rows = counted.map(([key, title]) => [title, whole(figureOf(run, key) * payments)])
  const usd = figureOf(run, 'bill.usd.cloudflare')
  const rbtc = (transferGas * payments * gasPriceGwei) / 1e9
  return [
    `| ${whole(payments)} payments, of 4 deliveries each | |`,
    '|---|---:|',
    ...rows.map(([title, count]) => `| ${title} | ${count} |`),
    `| at Cloudflare's list prices, beyond what the plan includes | US$ ${usd.toFixed(3)} |`,
    `| gas, ${whole(transferGas)} a transfer | ${whole(transferGas * payments)} |`,
    `| the same at ${gasPriceGwei} gwei (assumed) | ${rbtc.toFixed(4)} RBTC, US$ ${whole(rbtc * usdPerRbtc)} at US$ ${whole(usdPerRbtc)} (assumed) |`,
    '',
    `Measured by \`${run.command}\` on ${run.date.slice(0, 10)}, ten payments a block. Fewer payments in a block share fewer of the calls that a block costs.`,
  ].join('\n')
}

function figureOf(run: Run, key: string): number {
  const found = run.figures.find((figure) => figure.key === key)
  if (found === undefined) throw new Error(`the run has no figure ${key}`)
  return found.value.median
}

const whole = (count: number): string => Math.round(count).toLocaleString('en-US')
