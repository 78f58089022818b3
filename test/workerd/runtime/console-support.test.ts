import { describe, test } from 'vitest'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import { Support } from '../../../src/pages/console/support.tsx'
import { account, accountFound, at } from '../../support/answers.ts'

const unit = createCoinUnit('tRBTC')
const pin = { isChosen: true, isBlocked: false, isDormant: false, replaceableAt: null }
const caller = { ...accountFound, pin }

/** Renders support's page of a caller whose number was typed. */
function show(changes: object, role = 'money', details = new Map()): string {
  const hit = { by: 'number', country: 'KE', till: null, caller: { ...caller, ...changes } }
  const lookup = { found: { accounts: [hit], payments: [] }, details }
  const session = { csrf: 'c', actor: { name: 'amina', role } }
  return `${Support({ ...session, unit, text: '+254700000001', lookup } as never)}`
}

describe('support’s page of a caller', () => {
  const pins = [
    ['blocked', { isBlocked: true }],
    ['dormant: not dialled', { isDormant: true }],
    ['blocked, and forgotten: a new one', { isBlocked: true, replaceableAt: at }],
  ] as const

  test.for(pins)(
    'offers to unblock a PIN that is %s, and says what that does',
    ([says, more], { expect }) => {
      const pin = { ...caller.pin, ...more }
      const page = show({ pin })
      expect(page).toContain(`<dt>Pin</dt><dd>${says}`)
      expect(page).toContain('To unblock, type “unblock 1111”')
      expect(page).toContain('the PIN of now counts again, with three tries')
      expect(page.includes('keep-pin')).toBe('replaceableAt' in more)
      const supporter = show({ pin }, 'support')
      expect(supporter).toContain('To unblock, the role money is needed.')
    },
  )

  test('offers to cancel the reset of a PIN, and to unblock none that counts', ({ expect }) => {
    const page = show({ pin: { ...caller.pin, replaceableAt: at } }, 'support')
    expect(page).toContain('<dt>Pin</dt><dd>forgotten: a new one from 2026-01-01 19:42:00')
    expect(page).toContain('To cancel the reset, type “keep-pin 1111”')
    expect(page).toContain('Cancel the reset: the old PIN stays</button>')
    expect(page).not.toContain('unblock')
  })

  test('offers to unblock no PIN that counts, and none that is not known', ({ expect }) => {
    for (const page of [show({}), show({ pin: null })]) {
      expect(page).toContain('To hold, type “hold 1111”')
      expect(page).toContain('(no phone number, nor another of over 6 digits)')
      expect(page).not.toMatch(/unblock|keep-pin/)
    }
  })

  test('says to who chose a PIN how a forgotten one is replaced, and what was not sent', ({
    expect,
  }) => {
    const words = 'dial, 8. Settings, 3. Forgot PIN, and choose a new one after 24 hours.'
    const { pin } = caller
    for (const one of [pin, { ...pin, isBlocked: true }, { ...pin, isDormant: true }])
      expect(show({ pin: one }, 'support').split(words)).toHaveLength(2)
    expect(show({ pin: { ...pin, isChosen: false } })).not.toContain('Forgot PIN')
    expect(show({})).toContain(
      'Of the last 8 days: what is not in this list or among older ones was not sent.',
    )
  })

  test('rounds what is owed up, as the phone does', ({ expect }) => {
    const price = { currency: 'KES', micros: '12900000000000' }
    const loan = { state: 'owed', owedWei: '1000000000001' }
    const page = show({ balanceWei: '1000000000001', owedWei: '1000000000001', price, loan })
    expect(page).toContain('<dt>Balance</dt><dd>0.000001 tRBTC (now KES 12)</dd>')
    expect(page.split('<dt>Owed</dt><dd>0.000002 tRBTC')).toHaveLength(3)
    expect(page).toContain('<dt>Owed</dt><dd>0.000002 tRBTC (now KES 13)</dd>')
  })

  test('says apart that the account is held, and what is kept back for a sender', ({ expect }) => {
    const intent = `0x${'cd'.repeat(22)}`
    const price = { currency: 'KES', micros: '12900000000000' }
    const recalled = [{ intent, sender: account, wei: '1000000000000', until: at }]
    const page = show({ heldAt: at, recalled, price })
    expect(page).toContain('>0.000001 tRBTC (now KES 12)</td>')
    const paid = { intent, state: 'confirmed', kind: 'transfer', account, block: 7 }
    const payments = [{ ...paid, spendsWei: '1', agreed: null, assuredAt: null, acceptedAt: at }]
    const outcome =
      '<td data-label="Outcome">was done in block 7. Held until 2026-01-01 19:42.</td>'
    expect(show({ recalled, payments })).toContain(outcome)
    const withState = (state: string) =>
      show(
        { payments },
        'money',
        new Map([[intent, { ...payments[0], recall: { state, until: at } }]]),
      )
    expect(withState('held')).toContain(outcome)
    expect(withState('open')).not.toContain('Held until')
    expect(page).toContain(`<dt>Account held since</dt><dd><time datetime="${at}">`)
    expect(page).toContain('<h3>Kept back: the senders call these payments mistakes</h3>')
    expect(page).not.toMatch(/>Held\b|Account held for/)
    const reason = '<dt>Account held for</dt><dd>SIM swap reported</dd>'
    expect(show({ heldAt: at, heldFor: 'SIM swap reported' })).toContain(reason)
  })
})
