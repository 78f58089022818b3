import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { isThere } from '../../../scripts/debian.ts'
import { createTokenUnit } from '../../../src/loan/amounts.ts'
import { writeMetrics } from '../../../src/operator/metrics.ts'
import { conditionWith, subject } from './condition.ts'

const rules = new URL('../../../docs/operations/alert-rules.yml', import.meta.url).pathname
const dashboard = new URL('../../../docs/operations/grafana-dashboard.json', import.meta.url)
const panels = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) }),
  ),
})

/** Declares nothing where there is no promtool. */
const testWithPromtool = isThere('prometheus') ? test : () => {}

function promtool(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

/** Writes rules that record what these expressions give. */
function asRules(expressions: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'rules.yml')
  const records = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: records }] }))
  return file
}

const readExpressions = () =>
  panels
    .parse(JSON.parse(readFileSync(dashboard, 'utf8')))
    .panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

const token = { address: `0x${'5'.repeat(40)}`, decimals: 18 }
const overToken = { ...subject, unit: createTokenUnit('USD', token) }

test('of a pool over a token no amount is told as wei, nor asked for as such', () => {
  const pool = { liquidityWei: '5', issuableWei: '6', owedWei: '7', balancesWei: '8' }
  const contracts = { state: 'ready', at: 0, pool: { ...pool, principalWei: '1' } } as const
  const [coins, tokens] = [subject, overToken].map((each) =>
    writeMetrics(each, conditionWith({}, { contracts })),
  )
  expect(coins).toMatch(/^relay_pool_liquidity_wei 5$/m)
  expect(coins).not.toContain('millionths')
  expect(tokens).toContain(
    '# HELP relay_pool_owed_millionths millionths of a token that borrowers owe',
  )
  expect(tokens).toMatch(/^relay_pool_cap_left_millionths 6$/m)
  expect(tokens).not.toMatch(/relay_pool_\w+_wei/)
  expect(tokens).toContain('relay_relayer_balance_wei{')
  const asked = [readFileSync(rules, 'utf8'), ...readExpressions()].join('\n')
  for (const [name, amount] of asked.matchAll(/relay_pool_(\w+)_wei/g))
    expect(asked, name).toContain(`relay_pool_${amount}_millionths`)
})

test('the dashboard shows only existing metrics', () => {
  const told = [subject, overToken].map((each) => writeMetrics(each, conditionWith())).join('')
  const named = new Set(
    readExpressions()
      .join()
      .match(/\brelay_[a-z_]+/g),
  )
  expect(named.size).toBeGreaterThan(15)
  expect([...named].filter((name) => !told.includes(`# TYPE ${name} `))).toEqual([])
})

testWithPromtool('Prometheus loads the rules, all that the dashboard asks, and the metrics', () => {
  expect(promtool(['check', 'rules', rules])).toMatchObject({ status: 0 })
  const shown = promtool(['check', 'rules', asRules(readExpressions())])
  expect(shown, shown.said).toMatchObject({ status: 0 })
  const counts = { 'gateway.hubtel/delivery': 3, 'transfer.accepted': 1 }
  const metrics = promtool(['check', 'metrics'], writeMetrics(subject, conditionWith({ counts })))
  expect(metrics.said).not.toMatch(/error/i)
})

testWithPromtool('a gateway that stops and a scrape that fails raise their alerts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'tests.yml')
  const deliveries = 'relay_gateway_requests_total{event="delivery",gateway="hubtel"}'
  // One a minute for two days, then none.
  const values = '0+1x2880 2880x240'
  const alerts = (alertname: string, eval_time: string, exp_alerts: unknown[]) => ({
    ...{ alertname, eval_time, exp_alerts },
  })
  const exp_labels = { severity: 'page', gateway: 'hubtel' }
  const summary =
    'hubtel has delivered nothing for an hour, and did at this time on both days before'
  const failing = {
    exp_labels: { severity: 'page', job: 'ussd-relay', instance: 'relay' },
    exp_annotations: {
      summary: 'relay gives no metrics: is it down, or has it another OPERATOR_TOKEN?',
    },
  }
  const written = {
    rule_files: [rules],
    evaluation_interval: '5m',
    tests: [
      {
        interval: '1m',
        input_series: [
          { series: deliveries, values },
          { series: 'up{job="ussd-relay",instance="relay"}', values: '1x2880 0x240' },
        ],
        alert_rule_test: [
          alerts('GatewayIsSilent', '2880m', []),
          alerts('ScrapeFails', '2880m', []),
          alerts('GatewayIsSilent', '2960m', [{ exp_labels, exp_annotations: { summary } }]),
          alerts('ScrapeFails', '2960m', [failing]),
        ],
      },
    ],
  }
  writeFileSync(file, JSON.stringify(written))
  const told = promtool(['test', 'rules', file])
  expect(told, told.said).toMatchObject({ status: 0 })
})
