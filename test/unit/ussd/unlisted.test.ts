import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { accountOf } from '../../../scripts/dev/simulator/model/contracts.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const unlisted = ['+999123456789', '+254202222222']
const refused = 'END No numbering plan knows this phone number. Nothing was sent.'

function open(phone: string, balance: string) {
  const events: unknown[] = []
  const relay = openModelledRelay({
    ...{ callers: 2, phones: [phone], poolLoans: 9, capLoans: 9, clock: createHandClock() },
    ...{ balanceWei: parseEther(balance), log: (event) => void events.push(event) },
    product: menus.lender,
  })
  return { ...relay, told: () => JSON.stringify(events) }
}

test.for(unlisted)(
  'a caller as %s is refused for good without an account, and told of',
  async (phone) => {
    const { deliver, told, ledger, memoryRows } = open(phone, '0')
    for (const text of ['', '2*+254700000001*0.001*1'])
      expect(await deliver(0, 's', text)).toBe(refused)
    expect(told()).toContain('number.unlisted')
    expect(told()).not.toContain(phone.slice(1))
    expect(memoryRows()).toEqual([])
    const { now, unlistedAt = 0 } = await ledger.vitals()
    expect(now - unlistedAt).toBeLessThan(60_000)
  },
)

test.for(unlisted)('a caller as %s is served where it has an account', async (phone) => {
  const { deliver, ledger } = open(phone, '1')
  expect(await deliver(0, 'pay', '2*+254700000001*all*1')).toMatch(/^END Transfer Submitted\n/)
  expect(await deliver(0, 'next', '')).toMatch(/^CON Rootstock DeFi/)
  expect((await ledger.vitals()).unlistedAt).toBeUndefined()
})

test.for(unlisted)(
  'a number as %s can be sent to where it has an account, and in a session it stays what it was first',
  async (phone) => {
    const typed = phone.replace('+', '00')
    const invalid = /^CON Not a valid address or phone number\./
    const rich = open(phone, '1')
    expect(await rich.deliver(1, 'pay', `2*${phone}`)).toMatch(/^CON To: /)
    expect(await rich.deliver(1, 'pay', `2*${phone}*0.1*1`)).toMatch(/^END Transfer Submitted\n/)
    expect(await rich.deliver(0, 'own', `2*${typed}`)).toMatch(/^CON .*own/i)

    const poor = open(phone, '0')
    expect(await poor.deliver(1, 'pay', `2*${phone}`)).toMatch(invalid)
    accountOf(poor.chain.head().state, poor.accountOf(0)).balanceWei = parseEther('1')
    expect(await poor.deliver(1, 'pay', `2*${typed}`)).toMatch(invalid)
    expect(await poor.deliver(1, 'next', `2*${typed}`)).toMatch(/^CON To: /)
  },
)
