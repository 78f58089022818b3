import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { isWalletCode } from '../../../src/account/check-digit.ts'
import type { AccountMemory } from '../../../src/account/memory.ts'
import { addWallet, paysWallet } from '../../../src/account/wallets.ts'
import { changeAccount } from '../../../src/ussd/account-changes.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'
import type { Visit } from '../../../src/ussd/visit.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { openWallets, openWorld, plays, stranger } from './world.ts'

const savings = { name: 'Savings', address: stranger } as const
const wallet = (digit: number) => `0x${`${digit}`.repeat(40)}` as const

const withWallets = (...wallets: AccountMemory['wallets']) => ({ wallets }) as AccountMemory

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
      other@1: 7*${await issue(own)} -> CON Save wallet Mine:|…`)
  })

  test('are added by a code that one number can use once, also if the answer is delivered again', async () => {
    const { issue, play } = openWallets()
    const code = await issue(savings)
    const mistyped = `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`
    await play(`
      wrong: 7*${mistyped} -> CON Not the address of a wallet. Please try again.|${asked}
      s: 7*${code} -> CON Save wallet Savings:|0x5aAeb605...…|1. Save it|0. Back
      list: 7 -> CON ${asked}
      s: 7*${code}*1 -> END Wallet Savings is saved. Dial again to cash out.
      s: 7*${code}*1 -> same
      theirs@1: 7*${code} -> ${unknown}
      pay: 7 -> CON 1. Savings|${asked}
      pay: 7*1*0.001*1 -> END Cash Out Submitted|To: Savings|…
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
      same: 7*${await issue({ name: 'Wallet 2', address: stranger })}*1 -> END Wallet Wallet 2 has a new address.…
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

describe('a name whose address a code replaces', () => {
  const home = { name: 'Savings', address: wallet(7) } as const
  const evil = { name: 'Savings', address: stranger } as const
  const refused =
    'END This wallet was changed or removed. A changed one pays nobody for 24 hours. Nothing was sent. To cancel a change: 8, then 4.'

  /** The caller saved a wallet long ago, and has now redeemed a code for another of its name. */
  async function openReplaced() {
    const opened = openWallets()
    await opened.add(0, home)
    await opened.play('old: 7 -> CON 1. Savings|…')
    const code = await opened.issue(evil)
    await opened.play(`
      both: 7
      both: 7*1*0.002 -> CON Cash out 0.002 tRBTC|To wallet: Savings 0x77777777...|…
      s: 7*${code} -> CON Save wallet Savings:|0x5aAeb605...…|Replaces your address: the name pays nobody for 24 h.|1. Save it|0. Back
      s: 7*${code}*1 -> END Wallet Savings has a new address. It pays nobody for 24 hours. To cancel, choose 8, then 4.
      s: 7*${code}*1 -> same`)
    return opened
  }

  plays('pays neither address for 24 hours, in no session, and then the new one', openReplaced)`
      old: 7*1*0.001*1 -> ${refused}
      old: 7*1*0.001*1 -> same
      both: 7*1*0.002*1 -> ${refused}
      new: 7 -> CON 1. Savings|${asked}
      new: 7*1 -> CON Changed: it pays in 24 h. Please try again.|1. Savings|${asked}
      1438 min
      late: 7
      late: 7*1 -> CON Changed: it pays in 1 h. Please try again.|…
      paid 0
      2 min
      late: 7*1*1 -> CON Changed: it pays in 1 h. …
      next: 7
      next: 7*1*0.001 -> CON Cash out 0.001 tRBTC|To wallet: Savings 0x5aAeb605...|…
      next: 7*1*0.001*1 -> not ${refused}`

  test('pays by the last change alone, to the millisecond', () => {
    const dayMs = 24 * 3_600_000
    let memory = withWallets()
    memory = [home, evil, home].reduce((kept, one, at) => addWallet(kept, one, at) ?? kept, memory)
    const whoIsPaid = (now: number) => [home, evil].map((one) => paysWallet(memory, one, now))
    expect([2, dayMs + 1, dayMs + 2].map(whoIsPaid)).toEqual([
      ...[
        [false, false],
        [false, false],
        [true, false],
      ],
    ])
  })

  plays(
    'has its former address again once its owner cancels the change, which pays at once',
    openReplaced,
  )`
      menu: 8 -> CON Settings|1. Language|4. Changed wallets|0. Back
      c: 8*4 -> CON Which change is wrong?|1. Savings (24 h)|0. Back
      c: 8*4*1 -> CON Wallet Savings was changed to|0x5aAeb605...…|It pays in 24 h.|5. Cancel the change|0. Back
      c: 8*4*1*5 -> END Wallet Savings has its former address again.
      c: 8*4*1*5 -> same
      again: 8*4 -> CON No wallet was changed in the last 24 hours.|0. Back
      next: 7
      next: 7*1*0.001 -> CON Cash out 0.001 tRBTC|To wallet: Savings 0x77777777...|…
      next: 7*1*0.001*1 -> END Cash Out Submitted|…
      paid 1`

  test('waits again for each change, and goes back to the address that paid last', async () => {
    const { issue, play } = await openReplaced()
    await play('720 min')
    await play(`
      t: 7*${await issue({ name: 'Savings', address: wallet(6) })}*1 -> END Wallet Savings has a new address.…
      721 min
      n: 7
      n: 7*1 -> CON Changed: it pays in 12 h.…
      c: 8*4
      c: 8*4*1*5 -> END Wallet Savings has its former address again.
      p: 7
      p: 7*1*0.001 -> CON Cash out 0.001 tRBTC|To wallet: Savings 0x77777777...|…`)
  })

  test('is not freed by a code that gives its address another name first', async () => {
    const { add, issue, play } = openWallets()
    await add(0, home)
    const renaming = await issue({ name: 'Shop', address: home.address })
    const replacing = await issue(evil)
    await play(`
      one: 7*${renaming}*1 -> END Wallet Shop is saved. Dial again to cash out.
      two: 7*${replacing}*1 -> END Wallet Savings has a new address.…
      n: 7 -> CON 1. Shop|2. Savings|…
      n: 7*2 -> CON Changed: it pays in 24 h.…`)
  })

  plays('is not cancelled once the change has passed, and says so', openReplaced)`
      c: 8*4*1 -> CON Please choose from the list.…
      d: 8*4 -> CON Which change…
      1441 min
      d: 8*4*1*5 -> END Nothing was changed. Please dial again.`
})

describe('a code, where there are PINs', () => {
  const [own, other] = ['482615', '739164']

  async function openStrict() {
    const opened = openWallets({ product: menus.strict })
    await opened.play(`
      first:
      first: ${own}
      first: 1*${own}*${own}`)
    return opened
  }

  test('gives nothing without the right PIN, whatever its name, and then once', async () => {
    const { issue, play, ledger } = await openStrict()
    const code = await issue(savings)
    await play(`
      s: 7*${code} -> CON Save wallet Savings:|0x5aAeb605...…|Enter PIN to confirm|0. Back
      s: 7*${code}*${other} -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|…
      w: 7 -> CON Address of your wallet…`)
    expect((await ledger.listAudit({ limit: 9 })).entries).toEqual([])
    await play(`
      s: 7*${code}*${other}*${own} -> END Wallet Savings is saved. Dial again to cash out.
      s: 7*${code}*${other}*${own} -> same
      n: 7 -> CON 1. Savings|…`)
    expect((await ledger.listAudit({ limit: 9 })).entries).toMatchObject([
      { action: 'redeem-wallet', detail: { wallet: stranger } },
    ])
  })

  test('is not redeemed by a PIN that was right more than five minutes ago, nor after its hour', async () => {
    const { issue, play, ledger } = await openStrict()
    const [code, later] = [await issue(savings), await issue(savings)]
    await play(`
      s: 7*${code} -> CON Save wallet…
      61 min
      s: 7*${code}*${own} -> END This code is not known, or too old.
      t: 7*${later} -> CON This code is not known, or too old. …`)
    expect((await ledger.listAudit({ limit: 9 })).entries).toEqual([])
  })

  test('whose change is cancelled needs the PIN for that too, and the audit has both', async () => {
    const { add, issue, play, ledger } = await openStrict()
    await add(0, { name: 'Savings', address: wallet(7) })
    const code = await issue(savings)
    await play(`
      s: 7*${code}*${own} -> END Wallet Savings has a new address.…
      c: 8*4 -> CON Which change is wrong?|1. Savings (24 h)|0. Back
      c: 8*4*1 -> CON Wallet Savings was changed to|0x5aAeb605...…|It pays in 24 h.|Enter PIN to cancel this|0. Back
      c: 8*4*1*${other} -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|…
      c: 8*4*1*${other}*${own} -> END Wallet Savings has its former address again.`)
    const actions = (await ledger.listAudit({ limit: 9 })).entries.map(({ action }) => action)
    expect(actions.toSorted()).toEqual(['cancel-wallet', 'redeem-wallet'])
  })
})

test.for(['addWallet', 'cancelWallet'] as const)(
  'the PIN is judged again in the step that does %s',
  async (kind) => {
    const account = wallet(1)
    const wallets = kind === 'addWallet' ? [] : [savings]
    const before = { ...withWallets(...wallets), walletCode: { ...savings, expiresAt: 1 } }
    const changed: string[] = []
    const visit = {
      services: {
        ledger: { recordWalletChange: async () => {} },
        keys: { hashInput: () => '' },
        // It was valid a moment ago.
        pins: { readAuthorization: async () => 'valid' },
        memory: {
          read: async () => ({ ...before, now: 0 }),
          async change(address: string, change: (memory: AccountMemory, now: number) => unknown) {
            const after = change(before, 0)
            if (after !== undefined) changed.push(address)
            return after ?? before
          },
        },
      },
      messages: messagesIn.en,
      account: { address: account },
      session: '',
    } as unknown as Visit
    const screen = await changeAccount(visit, { kind, wallet: { ...savings, code: '1' } }, 'step')
    expect(screen.lines.join('\n')).toBe(messagesIn.en.pin.unchanged)
    expect(changed).not.toContain(account)
  },
)

test('a code has 8 digits, and one mistyped digit is always noticed', async () => {
  const { issue } = openWallets()
  const code = await issue(savings)
  expect(code).toMatch(/^[0-9]{8}$/)
  for (const [place, digit] of [...code].entries()) {
    const mistyped = `${code.slice(0, place)}${(Number(digit) + 3) % 10}${code.slice(place + 1)}`
    expect([mistyped, isWalletCode(mistyped)]).toEqual([mistyped, false])
  }
})
