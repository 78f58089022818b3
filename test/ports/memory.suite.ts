import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  createMemory,
  eraseMemory,
  type MemoryStore,
  recordMessage,
  recordPayment,
} from '../../src/account/memory.ts'
import { createNames } from '../../src/account/names.ts'
import { createPins } from '../../src/account/pin.ts'
import { createSeal } from '../../src/account/secrets.ts'
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

    test('shows ten names a day that no payment follows, however many ask at once', async () => {
      const [memory, caller] = [createMemory(open), newAccount()]
      const names = createNames({ memory, seal: createSeal(secret, 'name') })
      const holders = Array.from({ length: 14 }, newAccount)
      for (const holder of holders) {
        await memory.change(holder, (kept, now) => ({ ...kept, dialedAt: now }))
        await names.verify(holder, 'Amina W.')
        expect(await names.choose(holder, { kind: 'verified' }, 's', () => true)).toBe('done')
      }
      const paid: { to: Address; at: number }[] = []
      const askAll = async (session: string) => {
        const look = (of: Address) => names.lookUp({ of, caller, session }, async () => paid)
        const shown = await Promise.all(holders.map(look))
        return holders.filter((_, index) => shown[index]?.text === 'Amina W.')
      }
      const seen = await askAll('s')
      expect(seen).toHaveLength(10)
      expect(await askAll('s')).toEqual(seen)
      expect(await askAll('t')).toEqual([])
      const { at = 0 } = (await memory.read(caller)).lookUps.find(({ of }) => of === seen[0]) ?? {}
      // A look-up of the same ms as the payment would count as paid too.
      await expect.poll(async () => (await memory.read(caller)).now).toBeGreaterThan(at)
      paid.push({ to: seen[0] as Address, at }, { to: seen[1] as Address, at: at - 60_000 })
      expect(await askAll('u')).toHaveLength(1)
    })

    test('loses no change when several are made together', async () => {
      const [memory, account] = [createMemory(open), newAccount()]
      const intents = ['0x01', '0x02', '0x03', '0x04']
      const to = { to: '2547...002', address: account }
      const record = (intentId: string) =>
        memory.change(account, (kept) => recordPayment(kept, intentId, to))
      await Promise.all([...intents, ...intents].map(record))
      const { sent } = await memory.read(account)
      expect(sent.map(({ intentId }) => intentId).sort()).toEqual(intents)
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

    test('allows three PIN attempts in total to sessions side by side', async () => {
      const [memory, account] = [createMemory(open), newAccount()]
      const secret = `0x${'5'.repeat(64)}` as const
      const pins = createPins({ secret, memory, createSalt: () => 'salt' })
      await pins.choose(account, '482615', 'first')
      const guesses = await Promise.allSettled(
        Array.from({ length: 60 }, (_, at) => pins.verify(account, `13${at + 10}`, `${at}`)),
      )
      const kinds = guesses.map((each) => (each.status === 'fulfilled' ? each.value.kind : 'none'))
      expect(kinds.filter((kind) => kind === 'right')).toEqual([])
      expect(kinds.filter((kind) => kind === 'wrong').length).toBeLessThanOrEqual(2)
      // Those that got no answer have had no try.
      for (const step of ['a', 'b', 'c']) await pins.verify(account, '1357', step)
      const { pin } = await memory.read(account)
      expect(pin?.tries).toBe(3)
      expect(await pins.verify(account, '482615', 'later')).toEqual({ kind: 'blocked' })
    })
  })
}
