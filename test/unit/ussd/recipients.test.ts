import { describe, expect, test } from 'vitest'
import { openWorld, plays } from './world.ts'

const to = (caller: number) => `2*+25470000000${caller}`
const [one, two, three] = [1, 2, 3].map((caller) => `2547...00${caller}`)

/** The question whom to send to, with those that it offers. */
const asking = (...labels: (string | undefined)[]) =>
  `CON ${labels.map((label, index) => `${index + 1}. ${label}|`).join('')}Or phone number or address:|0. Back`
const question = 'Phone number or address to send to:|0. Back'
const unknown = `CON Not a valid address or phone number. Please try again.|${question}`
const sentTo = (label = '') => `END Transfer Submitted|…|To: ${label}|…`

describe("the recipients of a caller's last transfers", () => {
  plays('are offered by digits, the newest first, and named once chosen')`
      none: 2 -> CON ${question}
      to 1: ${to(1)}*0.0001*1
      settle
      to 2: ${to(2)}*0.0002*1
      settle
      to 3: ${to(3)}*0.0003*1
      settle
      list: 2 -> ${asking(three, two, one)}
      list: 2*4 -> CON Not a valid address or phone number.…
      list: 2*2 -> CON To: ${two}|Amount, or all:|0. Back
      list: 2*2*0.0007 -> CON Send 0.0007 tRBTC|To: ${two}|Fee: none|1. Send|0. Change
      list: 2*2*0.0007*1 -> ${sentTo(two)}
      settle
      theirs@2: 1 -> END Your Balance: 0.0209 tRBTC
      later: 2 -> ${asking(two, three, one)}
      seen: 5 -> …Sent 0.0007 tRBTC to ${two}: done…`

  plays('are sent the same amount again by one digit in the main menu and a confirmation')`
      to 1: ${to(1)}*0.0001*1
      settle
      to 2: ${to(2)}*all*1
      settle
      11 min
      menu: 98 -> …|12. Send 0.0001 tRBTC to ${one}|0. Back
      money@1: 2*+254700000000*0.01*1
      settle
      to 3: ${to(3)}*0.0003*1
      settle
      11 min
      menu: 98 -> same
      menu: 98*11 -> CON Please choose from the list.|…
      menu: 12 -> CON Send 0.0001 tRBTC|To: ${one}|Fee: none|1. Send|0. Change
      menu: 12*0 -> CON To: ${one}|Amount, or all:|0. Back
      menu: 12*1 -> ${sentTo(one)}
      menu: 12*1 -> same
      blind: 11 -> CON Please choose from the list.|…
      demo: 13 -> CON Please choose from the list.|…
      settle
      theirs@3: 1 -> END Your Balance: 0.0203 tRBTC`

  plays('start with the recipient of a payment that the balance did not cover')`
      one: ${to(1)}*0.001*1
      two: ${to(2)}*0.5*1 -> END Your balance is too low: 0.019 tRBTC. Nothing was sent. Dial again to send less.
      settle
      again: 2 -> ${asking(two, one)}
      again: 2*1*0.001*1 -> ${sentTo(two)}`

  plays(
    'stay as the session showed them first, however late it is delivered and whatever was sent since',
  )`
      one: ${to(1)}*0.001*1
      settle
      session: 2 -> ${asking(one)}
      two: ${to(2)}*0.002*1
      settle
      session: 2 -> same
      session: 2*0*2*2 -> CON Not a valid address…
      session: 2*1*0.003*1 -> ${sentTo(one)}
      settle
      three: ${to(3)}*0.001*1
      session: 2*1*0.003*1 -> same
      settle
      theirs@1: 1 -> END Your Balance: 0.024 tRBTC
      theirs@2: 1 -> END Your Balance: 0.022 tRBTC`

  plays('are not selected in a session that typed a digit before it was shown the list')`
      one: ${to(1)}*0.001*1
      settle
      blind: 2*1 -> ${unknown}
      blind: 2 -> CON ${question}
      blind: 2*1 -> same
      blind: 2*1*0.001*1 -> END Too many wrong answers.…
      paid 1`

  plays('are not offered where two numbers look alike')`
      one: 2*+254700000077*0.001*1
      two: ${to(2)}*0.001*1
      settle
      list: 2 -> ${asking(two, '2547...077')}
      three: 2*+254711000077*0.001*1
      settle
      later: 2 -> ${asking(two)}
      list: 2*2*0.001 -> …|To: 2547...077|…`

  test('are stored without their numbers', async () => {
    const { play, memoryRows } = openWorld()
    await play(`one: ${to(1)}*0.001*1
      settle`)
    expect(memoryRows().join()).toContain(one)
    expect(memoryRows().join()).not.toMatch(/254700000|0700000/)
  })
})
