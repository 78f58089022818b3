import { type Address, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { readAccount } from '../../../scripts/dev/simulator/model/contracts.ts'
import { friend, openWorld } from './world.ts'

const unlisted = ['+999123456789', '+254202222222']
const refused = 'END This is not a known phone number. Nothing was sent.'

function open(phone: string, balance: string) {
  const events: unknown[] = []
  const log = (event: object) => void events.push(event)
  const world = openWorld({ phones: [phone], balanceWei: parseEther(balance), log })
  return { ...world, told: () => JSON.stringify(events) }
}

test.for(unlisted)('a caller as %s is refused for good without an account', async (phone) => {
  const { play, told, ledger, memoryRows } = open(phone, '0')
  await play(`
    s: -> ${refused}
    s: 2*${friend}*0.001*1 -> ${refused}`)
  expect(told()).toContain('number.unlisted')
  expect(told()).not.toContain(phone.slice(1))
  expect(memoryRows()).toEqual([])
  const { now, unlistedAt = 0 } = await ledger.readVitals()
  expect(now - unlistedAt).toBeLessThan(60_000)
})

test.for(unlisted)('a caller as %s is served if it has an account', async (phone) => {
  const { play, ledger } = open(phone, '1')
  await play(`
    pay: 2*${friend}*all*1 -> END Transfer Submitted|…
    next: -> CON Rootstock DeFi…`)
  expect((await ledger.readVitals()).unlistedAt).toBeUndefined()
})

test.for(unlisted)('a number as %s can receive money if it has an account', async (phone) => {
  const typed = phone.replace('+', '00')
  const invalid = 'CON Not a valid address or phone number.…'
  await open(phone, '1').play(`
    pay@1: 2*${phone} -> CON To: …
    pay@1: 2*${phone}*0.1*1 -> END Transfer Submitted|…
    own: 2*${typed} -> CON This is your own number.…`)
  const { play, chain, accountOf: callers } = open(phone, '0')
  await play(`pay@1: 2*${phone} -> ${invalid}`)
  readAccount(chain.head().state, callers(0).toLowerCase() as Address).balanceWei = parseEther('1')
  await play(`
    pay@1: 2*${typed} -> ${invalid}
    next@1: 2*${typed} -> CON To: …`)
})
