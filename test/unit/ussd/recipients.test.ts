import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const to = (caller: number) => `+25470000000${caller}`
const open = () =>
  openModelledRelay({ callers: 6, poolLoans: 9, capLoans: 9, product: menus.lender })

/** The question whom to send to, with those that it offers. */
const asking = (...labels: string[]) =>
  [
    ...labels.map((label, index) => `${index === 0 ? 'CON ' : ''}${index + 1}. ${label}`),
    'Or phone number or address:',
    '0. Back',
  ].join('\n')
const plain = 'CON Phone number or address to send to:\n0. Back'
const unknown =
  'CON Not a valid address or phone number. Please try again.\nPhone number or address to send to:\n0. Back'

describe('those whom a caller sent to last', () => {
  test('are offered by digits, the newest first, and say so when they are chosen', async () => {
    const { deliver, settle } = open()
    expect(await deliver(0, 'none', '2')).toBe(plain)
    for (const caller of [1, 2, 3]) {
      await deliver(0, `to ${caller}`, `2*${to(caller)}*0.000${caller}*1`)
      await settle()
    }
    expect(await deliver(0, 'list', '2')).toBe(asking('2547...003', '2547...002', '2547...001'))
    expect(await deliver(0, 'list', '2*4')).toMatch(/^CON Not a valid address or phone number\./)
    expect(await deliver(0, 'list', '2*2')).toBe('CON To: 2547...002\nAmount, or all:\n0. Back')
    expect(await deliver(0, 'list', '2*2*0.0007')).toBe(
      'CON Send 0.0007 tRBTC\nTo: 2547...002\nFee: none\n1. Send\n0. Change',
    )
    expect(await deliver(0, 'list', '2*2*0.0007*1')).toMatch(
      /^END Transfer Submitted\nTo: 2547\.\.\.002\n/,
    )
    await settle()
    expect(await deliver(2, 'theirs', '1')).toBe('END Your Balance: 0.0209 tRBTC')
    expect(await deliver(0, 'later', '2')).toBe(asking('2547...002', '2547...003', '2547...001'))
    expect(await deliver(0, 'seen', '5')).toMatch(/Sent 0\.0007 tRBTC to 2547\.\.\.002: done/)
  })

  test('begin with the one of a payment that the balance did not suffice for', async () => {
    const { deliver, settle } = open()
    await deliver(0, 'one', `2*${to(1)}*0.001*1`)
    await settle()
    expect(await deliver(0, 'two', `2*${to(2)}*0.5*1`)).toBe(
      'END Your balance is too low: 0.019 tRBTC. Nothing was sent. Dial again to send less.',
    )
    expect(await deliver(0, 'again', '2')).toBe(asking('2547...002', '2547...001'))
    expect(await deliver(0, 'again', '2*1*0.001*1')).toMatch(/^END Transfer S.+\nTo: 2547\.\.\.002/)
  })

  test('are what a session showed first, however late it is delivered and whom the caller sent to since', async () => {
    const { deliver, settle } = open()
    await deliver(0, 'one', `2*${to(1)}*0.001*1`)
    await settle()
    expect(await deliver(0, 'session', '2')).toBe(asking('2547...001'))
    await deliver(0, 'two', `2*${to(2)}*0.002*1`)
    await settle()
    expect(await deliver(0, 'session', '2')).toBe(asking('2547...001'))
    expect(await deliver(0, 'session', '2*0*2*2')).toMatch(/^CON Not a valid address/)
    const sent = await deliver(0, 'session', '2*1*0.003*1')
    expect(sent).toMatch(/^END Transfer Submitted\nTo: 2547\.\.\.001\n/)
    await settle()
    await deliver(0, 'three', `2*${to(3)}*0.001*1`)
    expect(await deliver(0, 'session', '2*1*0.003*1')).toBe(sent)
    await settle()
    expect(await deliver(1, 'theirs', '1')).toBe('END Your Balance: 0.024 tRBTC')
    expect(await deliver(2, 'theirs', '1')).toBe('END Your Balance: 0.022 tRBTC')
  })

  test('are none in a session that typed a digit before it was shown any', async () => {
    const { deliver, settle, paid } = open()
    await deliver(0, 'one', `2*${to(1)}*0.001*1`)
    await settle()
    expect(await deliver(0, 'blind', '2*1')).toBe(unknown)
    expect(await deliver(0, 'blind', '2')).toBe(plain)
    expect(await deliver(0, 'blind', '2*1')).toBe(unknown)
    expect(await deliver(0, 'blind', '2*1*0.001*1')).toMatch(/^END Too many wrong answers\./)
    expect(await paid(0)).toBe(1)
  })

  test('are said to be unknown where they cannot be read, and not to be none', async () => {
    const memory = createMemoryStore()
    const { deliver, settle } = openModelledRelay({
      ...{ callers: 2, poolLoans: 9, capLoans: 9, product: menus.lender, memory },
    })
    await deliver(0, 'one', `2*${to(1)}*0.001*1`)
    await settle()
    const { load } = memory
    memory.load = () => Promise.reject(new Error('the store does not answer'))
    expect(await deliver(0, 'list', '2')).toBe(
      'CON Saved numbers: not known now.\nPhone number or address to send to:\n0. Back',
    )
    memory.load = load
    expect(await deliver(0, 'later', '2')).toBe(asking('2547...001'))
  })

  test('are not offered where two numbers look alike', async () => {
    const { deliver, settle } = open()
    await deliver(0, 'one', '2*+254700000077*0.001*1')
    await deliver(0, 'two', `2*${to(2)}*0.001*1`)
    await settle()
    expect(await deliver(0, 'list', '2')).toBe(asking('2547...002', '2547...077'))
    await deliver(0, 'three', '2*+254711000077*0.001*1')
    await settle()
    expect(await deliver(0, 'later', '2')).toBe(asking('2547...002'))
    expect(await deliver(0, 'list', '2*2*0.001')).toContain('\nTo: 2547...077\n')
  })

  test('are kept without their numbers', async () => {
    const { deliver, settle, memoryRows } = open()
    await deliver(0, 'one', `2*${to(1)}*0.001*1`)
    await settle()
    expect(memoryRows().join()).toContain('2547...001')
    expect(memoryRows().join()).not.toMatch(/254700000|0700000/)
  })
})
