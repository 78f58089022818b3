import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  createMemory,
  eraseMemory,
  type MemoryStore,
  recordMessage,
  recordPayment,
} from '../../src/account/memory.ts'
import { createPins } from '../../src/account/pin.ts'
import {
  addWallet,
  createWalletCodes,
  listWallets,
  type Wallet,
} from '../../src/account/wallets.ts'

const secret = `0x${'5'.repeat(64)}` as const

let accounts = 0

function newAccount(): Address {
  accounts += 1
  return `0x${accounts.toString(16).padStart(40, 'a')}`
}

/** Tests what the memory of accounts promises, in any store. */
export function memorySuite(name: string, open: () => MemoryStore): void {
  describe(`the memory of an account on ${name}`, () => {
    test('is empty at first, and has what was written last', async () => {
      const [store, account] = [open(), newAccount()]
      expect(await store.load(account)).toMatchObject({ row: '', version: 0 })
      expect(await store.save(account, 'first', 0)).toBe(true)
      expect(await store.save(account, 'sécond "2"\n', 1)).toBe(true)
      expect(await store.load(account)).toMatchObject({ row: 'sécond "2"\n', version: 2 })
      const [{ now }, { now: later }] = [await store.load(account), await store.load(account)]
      expect(now).toBeGreaterThan(1_600_000_000_000)
      expect(later).toBeGreaterThanOrEqual(now)
    })

    test('is written over the version that was read, and over no other', async () => {
      const [store, account] = [open(), newAccount()]
      expect(await store.save(account, 'early', 1)).toBe(false)
      expect(await store.load(account)).toMatchObject({ row: '', version: 0 })
      const saves = Array.from({ length: 8 }, (_, index) => store.save(account, `row ${index}`, 0))
      const written = await Promise.all(saves)
      expect(written.filter((isWritten) => isWritten)).toHaveLength(1)
      const row = `row ${written.indexOf(true)}`
      expect(await store.load(account)).toMatchObject({ row, version: 1 })
      expect(await store.save(account, 'late', 0)).toBe(false)
    })

    test("is one account's, however its address is written", async () => {
      const [store, account, other] = [open(), newAccount(), newAccount()]
      await store.save(account, 'mine', 0)
      expect(await store.load(other)).toMatchObject({ row: '', version: 0 })
      const written = `0x${account.slice(2).toUpperCase()}` as Address
      expect(await store.load(written)).toMatchObject({ row: 'mine', version: 1 })
    })

    test('gives the wallet of a code to one account, whose replaced name then pays nobody', async () => {
      const [memory, account, other] = [createMemory(open), newAccount(), newAccount()]
      const hashInput = (_: string, text: string) => `${text}${account}`
      const codes = createWalletCodes({ keys: { hashInput }, memory })
      const [before, after] = ['1', '2'].map((digit) => ({
        name: 'Savings',
        address: `0x${digit.repeat(40)}` as Address,
      })) as [Wallet, Wallet]
      const code = await codes.issue(after)
      for (const one of [account, other])
        await memory.change(one, (kept, now) => addWallet(kept, before, now))
      const redeemers = [account, other, account, other]
      await Promise.all(redeemers.map((one) => codes.redeem(code, one, () => true)))
      const kept = await Promise.all([account, other].map(memory.read))
      const lists = kept.map((one) => listWallets(one, one.now))
      const waiting = lists.flat().filter(({ hours }) => hours === 24)
      expect(waiting).toMatchObject([after])
      expect(lists.flat().filter(({ hours }) => hours === undefined)).toEqual([before])
      expect(await codes.redeem(code, newAccount(), () => true)).toBe(false)
    })

    test('is erased except a PIN that guards money, even after late writes', async () => {
      const [store, account] = [open(), newAccount()]
      const memory = createMemory(() => store)
      await createPins({ secret, memory, createSalt: () => 'salt' }).choose(account, '482615', 's')
      const to = { to: '2547...002', address: account }
      await memory.change(account, (kept) => recordPayment(kept, '0x01', to))
      await memory.change(account, (kept) => recordMessage(kept, '0x01:1'))
      const before = await store.load(account)
      const { pin } = await memory.read(account)
      const nothing = { sent: [], recipients: [], texted: ['0x01:1'] }
      const guarded = await memory.change(account, (kept) => eraseMemory(kept, true))
      expect(guarded).toMatchObject({ ...nothing, pin })
      expect(await store.save(account, before.row, before.version)).toBe(false)
      await memory.change(account, (kept) => eraseMemory(kept, false))
      const left = await memory.read(account)
      expect([left.pin, left]).toMatchObject([undefined, nothing])
      expect((await store.load(account)).row).not.toContain('2547')
    })
  })
}
