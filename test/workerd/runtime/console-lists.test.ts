import { describe, test } from 'vitest'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import { Alerts, Loans } from '../../../src/pages/console/lists.tsx'

const unit = createCoinUnit('tRBTC')
const wei = '10000000000000000'

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
})
