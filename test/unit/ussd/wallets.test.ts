import { describe, expect, test } from 'vitest'
import { digest } from '../../../scripts/dev/simulator/model/hashing.ts'
import { isWalletCode } from '../../../src/account/check-digit.ts'
import { createMemory } from '../../../src/account/memory.ts'
import { addWallet, createWalletCodes } from '../../../src/account/wallets.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { openWorld, stranger } from './world.ts'

const savings = { name: 'Savings', address: stranger } as const
const wallet = (digit: number) => `0x${`${digit}`.repeat(40)}` as const

/** A world in which wallets are added, and codes made, as operators have it done. */
function openWallets() {
  const clock = createHandClock()
  const store = createMemoryStore(clock.now)
  const memory = createMemory(() => store)
  const world = openWorld({ clock, memory: store })
  const hashInput = async (session: string, text: string) => digest('input', session, text)
  return {
    ...world,
    issue: createWalletCodes({ keys: { hashInput }, memory }).issue,
    add: (caller: number, one: { name: string; address: `0x${string}` }) =>
      memory.change(world.accountOf(caller), (before) => addWallet(before, one)),
  }
}

const asked = 'Address of your wallet outside, or its code:|0. Back'
const unknown = `CON This code is not known, or too old. Please try again.|${asked}`

describe('the wallets of a caller', () => {
  test('are offered by digits, which mean what the session showed first', async () => {
    const { add, play } = openWallets()
    await play(`none: 7*1 -> CON Not the address of a wallet. Please try again.|${asked}`)
    await add(0, savings)
    await play(`
      none: 7*1 -> CON Not the address of a wallet. Please try again.|${asked}
      s: 7 -> CON 1. Savings|${asked}
      s: 7*2 -> CON Not the address of a wallet. Please try again.|1. Savings|${asked}`)
    await add(0, { name: 'Savings', address: wallet(2) })
    await add(0, { name: 'Shop', address: wallet(3) })
    await play(`
      s: 7 -> same
      s: 7*1 -> CON To: Savings 0x5aAeb605...|Amount, or all:|0. Back
      s: 7*1*0.001 -> CON Cash out 0.001 tRBTC|To wallet: Savings 0x5aAeb605...|It cannot be taken back.|1. Cash out to wallet|0. Change
      s: 7*1*0.001*1 -> END Cash Out Submitted|To: Savings|…
      s: 7*1*0.001*1 -> same
      later: 7 -> CON 1. Savings|2. Shop|${asked}
      theirs@1: 7 -> CON ${asked}
      paid 1`)
  })

  test("are no way to the caller's own account, saved or by a code", async () => {
    const { add, issue, play, accountOf } = openWallets()
    const own = { name: 'Mine', address: accountOf(0) }
    const refused = 'CON This is your own account. Please try again.|…'
    await add(0, own)
    await play(`
      s: 7 -> CON 1. Mine|${asked}
      s: 7*1 -> ${refused}
      t: 7*${await issue(own)} -> ${refused}
      other@1: 7*${await issue(own)} -> CON To: Mine …`)
  })

  test('are added by a code that one number can use once, also if the answer is delivered again', async () => {
    const { issue, play } = openWallets()
    const code = await issue(savings)
    const mistyped = `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`
    await play(`
      wrong: 7*${mistyped} -> CON Not the address of a wallet. Please try again.|${asked}
      s: 7*${code}*0.001*1 -> END Cash Out Submitted|To: Savings|…
      s: 7*${code} -> CON To: Savings 0x5aAeb605...|Amount, or all:|0. Back
      s: 7*${code}*0.001*1 -> same
      theirs@1: 7*${code} -> ${unknown}
      list: 7 -> CON 1. Savings|${asked}
      paid 1`)
  })

  test('are not added by a code that is an hour old or was never issued', async () => {
    const { issue, play, clock } = openWallets()
    const code = await issue(savings)
    clock.forward(60 * 60 * 1_000)
    await play(`
      s: 7*${code} -> ${unknown}
      none: 7*00000000 -> ${unknown}`)
  })

  test('are limited to three', async () => {
    const { add, issue, play } = openWallets()
    for (const digit of [1, 2, 3]) await add(0, { name: `Wallet ${digit}`, address: wallet(digit) })
    await play(`
      s: 7*${await issue(savings)} -> CON You have 3 wallets already. Please try again.|…
      same: 7*${await issue({ name: 'Wallet 2', address: stranger })} -> CON To: Wallet 2 0x5aAeb605...|…
      list: 7 -> CON 1. Wallet 1|2. Wallet 3|3. Wallet 2|${asked}`)
  })

  test('are shown as unknown while the memory of accounts does not answer', async () => {
    const store = createMemoryStore()
    const load = async () => {
      throw new Error('no answer')
    }
    const { play } = openWorld({ memory: { ...store, load } })
    await play(`s: 7 -> CON Saved wallets cannot be shown now.|${asked}`)
  })
})

test('a code has 8 digits, and one mistyped digit is always noticed', async () => {
  const { issue } = openWallets()
  const code = await issue(savings)
  expect(code).toMatch(/^[0-9]{8}$/)
  for (const [place, digit] of [...code].entries()) {
    const mistyped = `${code.slice(0, place)}${(Number(digit) + 3) % 10}${code.slice(place + 1)}`
    expect([mistyped, isWalletCode(mistyped)]).toEqual([mistyped, false])
  }
})
