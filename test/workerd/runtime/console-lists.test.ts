import { describe, test } from 'vitest'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import { Alerts, Audit, KeyList, Loans, People, System } from '../../../src/pages/console/lists.tsx'
import { consoleRoutes } from '../../../src/pages/console/route.tsx'
import { createSignIns } from '../../../src/pages/console/session.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'

const unit = createCoinUnit('tRBTC')
const wei = '10000000000000000'
const at = '2026-01-01T19:42:00.000Z'

function showBook(loans: number): string {
  const sums = { loans, lentWei: wei, repaidWei: '0', writtenOffWei: '0', owedWei: wei }
  const read = { block: 1, head: 2, isWhole: true, currency: 'tRBTC', unit }
  return `${Loans({ book: { ...read, sums, ages: [], loans: [] }, state: 'owed' })}`
}

describe('the console’s lists', () => {
  test('tell one loan as one', ({ expect }) => {
    expect(showBook(1)).toContain('In all 1 loan of 0.01 tRBTC')
    expect(showBook(2)).toContain('In all 2 loans of 0.01 tRBTC')
  })

  test('say that alerts are told to nobody where no webhook is set', ({ expect }) => {
    const words = 'Alerts are told to nobody'
    expect(`${Alerts({ alerts: [], past: [], areTold: false })}`).toContain(words)
    expect(`${Alerts({ alerts: [], past: [], areTold: true })}`).not.toContain(words)
  })

  test('take times without a zone as of the zone in which the pages tell them', async ({
    expect,
  }) => {
    const asked: { since?: number; before?: number }[] = []
    const you = { name: 'amina', role: 'read' } as const
    const list = async (query: object) => {
      asked.push(query)
      return { payments: [], entries: [], next: null }
    }
    const state = { intake: { state: 'open' }, health: {}, alerts: [], gatewayFaults: {} }
    const lately = { hour: { counts: {} } }
    const overview = async () => ({ ...state, lately, now: '2026-11-30T06:30:00Z', unit, you })
    const operator = { overview, payments: list, audit: list }
    const operators = [{ ...you, tokenHash: hashKey('the-token-of-this-test') }]
    const options = { operators, sessionSecret: `0x${'5'.repeat(64)}` as const, clock: Date }
    const timeZone = 'Africa/Nairobi'
    const routes = consoleRoutes({ ...options, operator, timeZone, log: () => {} } as never)
    const cookie = `console=${await createSignIns(options).begin('the-token-of-this-test')}`
    const open = async (path: string) =>
      (await routes.request(path, { headers: { cookie } })).text()
    const shown = await open('/payments?since=2026-11-30&before=2026-11-30%2009:30')
    expect(shown).toContain('value="2026-11-30 09:30"')
    await open('/payments?before=2026-11-30T09:30:00Z')
    await open('/audit?before=2026-11-30T09:30')
    const at = (time: string) => Date.parse(`2026-11-${time}Z`)
    expect(asked).toMatchObject([
      { since: at('29T21:00'), before: at('30T06:30') },
      { before: at('30T09:30') },
      { before: at('30T06:30') },
    ])
  })

  test('show the deployed OPERATORS to role money alone, without a shared token', ({ expect }) => {
    const one = (name: string, role: 'read' | 'money') => ({ name, role, tokenHash: hashKey(name) })
    const [amina, brian, shared] = [
      one('amina', 'read'),
      one('brian', 'money'),
      one('operator', 'money'),
    ]
    const show = (you: typeof amina, operators = [amina, brian, shared]) =>
      `${People({ agents: [], operators, you })}`
    const value = `amina:read:${amina.tokenHash},brian:money:${brian.tokenHash}`
    expect(show(brian)).toContain(`<code class="copy">${value}</code>`)
    expect(show(brian)).not.toContain(shared.tokenHash)
    expect(show(amina)).not.toContain(amina.tokenHash)
    expect(show(shared, [shared])).not.toContain('OPERATORS')
  })

  test('tell that the calls of an API key are used up, and what can be done', ({ expect }) => {
    const key = { hash: 'ab'.repeat(32), name: 'x', chainId: 31, quota: 1, revokedAt: null }
    const show = (spentToday: number) =>
      `${KeyList({ keys: [{ ...key, spentToday, createdAt: at }] as never, you: { name: 'a', role: 'money' } as never })}`
    expect(show(0)).not.toContain('used up')
    expect(show(1)).toMatch(/1: used up.*refused until 00:00 UTC.*npm run ops -- keys create/s)
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
      ...{ head: { number: 9, at }, callsToday: null, version: '1', schema: '2', chainId: 31 },
      ...{ unit, health: { status: 'ok', failing: [], checks: [] } },
      ...{ guards: [], relayers: [], blocks: [] },
      ...{ currency: 'tRBTC', lately: { hour: { counts: {} }, today: { counts: {} } } },
      contracts: { loan: at, forwarder: at, state: 'ready', at, token: 'moves', tokenAt: at, pool },
      nodes: [{ label: 'node 1', height: 9, heightAt: at, heightSince: at, state: 'distrusted' }],
    }
    const page = `${System({ status: status as never })}`
    for (const part of page.split('<h2>')) {
      const titles = [...part.matchAll(/<(?:dt|th scope="col")>([^<]+)/g)].map(([, name]) => name)
      expect(titles).toEqual([...new Set(titles)])
    }
    expect(page).toMatch(/<td[^>]*>distrusted<.*name another one in NODE_URL/s)
    expect(page).toMatch(/>Height<.*>Height read<.*>Height since</)
    expect(page).toMatch(/>Token<.*>Token read<.*>State read<.*>Amounts read</)
  })
})
