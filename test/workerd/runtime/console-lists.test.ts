import { describe, test } from 'vitest'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import { Alerts, Audit, Loans, System } from '../../../src/pages/console/lists.tsx'

const unit = createCoinUnit('tRBTC')
const wei = '10000000000000000'
const at = '2026-01-01T19:42:00.000Z'

function showBook(loans: number): string {
  const sums = { loans, lentWei: wei, repaidWei: '0', writtenOffWei: '0', owedWei: wei }
  const dueSoon = { loans, owedWei: wei }
  const read = { block: 1, head: 2, isWhole: true, currency: 'tRBTC', unit }
  return `${Loans({ book: { ...read, sums, dueSoon, ages: [], loans: [] }, state: 'owed' })}`
}

describe('the console’s lists', () => {
  test('tell what is due within 7 days, and one loan as one', ({ expect }) => {
    expect(showBook(1)).toContain('<p>Due in the next 7 days: 1 loan, 0.01 tRBTC</p>')
    expect(showBook(1)).toContain('In all 1 loan of 0.01 tRBTC')
    expect(showBook(2)).toContain('<p>Due in the next 7 days: 2 loans, 0.01 tRBTC</p>')
    expect(showBook(2)).toContain('In all 2 loans of 0.01 tRBTC')
  })

  test('say that alerts are told to nobody where no webhook is set', ({ expect }) => {
    const words = 'Alerts are told to nobody'
    expect(`${Alerts({ alerts: [], past: [], areTold: false })}`).toContain(words)
    expect(`${Alerts({ alerts: [], past: [], areTold: true })}`).not.toContain(words)
  })
  test('lead from a page of the audit to the one before it, with what it has', ({ expect }) => {
    const show = (lookups: string, next: string | null) =>
      `${Audit({ entries: [], next, lookups, unit })}`
    expect(show('false', at)).toContain(`<a href="/console/audit?before=${at}">Older</a>`)
    expect(show('true', at)).toContain(`<a href="/console/audit?all&amp;before=${at}">Older</a>`)
    expect(show('true', null)).not.toContain('Older')
  })

  test('name no two facts of the system alike, nor their times', ({ expect }) => {
    const amounts = { liquidityWei: '9', owedWei: '1', balancesWei: '1', capLeftWei: '9' }
    const pool = { ...amounts, principalWei: '1', isPaused: false, at }
    const status = {
      ...{
        head: { number: 9, at },
        callsToday: null,
        version: '1',
        schema: '2',
        chainId: 31,
        unit,
      },
      ...{
        health: { status: 'ok', failing: [], checks: [] },
        guards: [],
        relayers: [],
        blocks: [],
      },
      ...{ currency: 'tRBTC', lately: { hour: { counts: {} }, today: { counts: {} } } },
      contracts: { loan: at, forwarder: at, state: 'ready', at, token: 'moves', tokenAt: at, pool },
      nodes: [{ label: 'node 1', height: 9, heightAt: at, heightSince: at }],
    }
    const page = `${System({ status: status as never })}`
    for (const part of page.split('<h2>')) {
      const titles = [...part.matchAll(/<(?:dt|th scope="col")>([^<]+)/g)].map(([, name]) => name)
      expect(titles).toEqual([...new Set(titles)])
    }
    expect(page).toMatch(/>Height<.*>Height read<.*>Height since</)
    expect(page).toMatch(/>Token<.*>Token read<.*>State read<.*>Amounts read</)
  })
})
