import { describe, expect, test } from 'vitest'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const open = () => openModelledRelay({ callers: 2, poolLoans: 9, capLoans: 9 })

describe('"all" as an amount', () => {
  test('empties the account, whatever screens round down', async () => {
    const { deliver, settle, balance } = open()
    expect(await deliver(0, 'dust', '2*0700000001*0.000000000000000001')).toMatch(/^END Transfer S/)
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.019999 tRBTC')
    const sent = await deliver(0, 's', '2*0700000001*all')
    expect(sent).toMatch(/^END Transfer Submitted/)
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0 tRBTC')
    expect(await balance(1)).toBe('END Your Balance: 0.04 tRBTC')
    expect(await deliver(0, 'again', '2*0700000001*all')).toBe(
      'END Your balance is too low: 0 tRBTC. Nothing was sent. Dial again to send less.',
    )
  })

  test('is the same screen for every delivery, also when there is money again', async () => {
    const { deliver, settle, balance } = open()
    const sent = await deliver(0, 's', '2*0700000001*all')
    await settle()
    expect(await deliver(1, 'back', '2*0700000000*0.005')).toMatch(/^END Transfer Submitted/)
    await settle()
    expect(await deliver(0, 's', '2*0700000001*all')).toBe(sent)
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.005 tRBTC')
  })
})
