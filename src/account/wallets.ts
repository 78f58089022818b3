import { type Address, isAddressEqual } from 'viem'
import { drawDigits } from './check-digit.ts'
import type { AccountMemory, IsAllowed, Memory } from './memory.ts'
import type { SessionKeys } from './secrets.ts'

export type Wallet = {
  name: string
  address: Address
  /** Tells in how many hours it pays, if its address was replaced lately. */
  hours?: number | undefined
}

type SavedWallet = AccountMemory['wallets'][number]

export const maxWallets = 3
const hourMs = 60 * 60 * 1_000
const codeLifetimeMs = hourMs
/** Sets how long a name pays nobody whose address was replaced, so that its owner can cancel. */
const replacementWaitMs = 24 * hourMs

/** Tells which wallet a code gives an account, and whether that replaces an address of its name. */
export type WalletCodeResult =
  | { kind: 'found'; wallet: Wallet; replaces: boolean }
  | { kind: 'unknown' | 'full' }

const isWaiting = ({ paysFrom }: SavedWallet, now: number): boolean =>
  paysFrom !== undefined && paysFrom > now

/** Adds a wallet, in place of the one with its name; undefined beyond the limit. */
export function addWallet(memory: AccountMemory, { name, address }: Wallet, now: number) {
  const before = memory.wallets.find((wallet) => wallet.name === name)
  if (before && isAddressEqual(before.address, address)) return memory
  const others = memory.wallets.filter((other) => other.name !== name)
  if (others.length >= maxWallets) return undefined
  const former = before && isWaiting(before, now) ? before.former : before?.address
  const replaced = former && { former, paysFrom: now + replacementWaitMs }
  return { ...memory, wallets: [...others, { name, address, ...replaced }] }
}

export const removeWallet = (memory: AccountMemory, name: string): AccountMemory => ({
  ...memory,
  wallets: memory.wallets.filter((wallet) => wallet.name !== name),
})

/** Gives a name its former address back, which then pays at once; undefined once it is too late. */
export function cancelReplacement(memory: AccountMemory, name: string, now: number) {
  const wallet = memory.wallets.find((each) => each.name === name)
  if (wallet?.former === undefined || !isWaiting(wallet, now)) return undefined
  const restored = { name, address: wallet.former }
  return {
    ...memory,
    wallets: memory.wallets.map((each) => (each === wallet ? restored : each)),
  }
}

/** Lists an account's wallets, with the hours until a replaced one pays. */
export const listWallets = ({ wallets }: AccountMemory, now: number): Wallet[] =>
  wallets.map(({ name, address, paysFrom = now }) => ({
    name,
    address,
    ...(paysFrom > now && { hours: Math.ceil((paysFrom - now) / hourMs) }),
  }))

const isSame = (one: Wallet, other: Wallet): boolean =>
  one.name === other.name && isAddressEqual(one.address, other.address)

const hasWallet = ({ wallets }: AccountMemory, wallet: Wallet): boolean =>
  wallets.some((each) => isSame(each, wallet))

/** Tells whether a name pays this address now: it still has it, and did not get it lately. */
export const paysWallet = ({ wallets }: AccountMemory, paid: Wallet, now: number): boolean =>
  wallets.some((wallet) => isSame(wallet, paid) && !isWaiting(wallet, now))

type WalletCodesOptions = { keys: Pick<SessionKeys, 'hashInput'>; memory: Memory }

/** Creates codes, each of which gives one account a wallet within an hour. */
export function createWalletCodes({ keys, memory }: WalletCodesOptions) {
  /** Derives the row of a code. It is stored like an account's, but no key derives its address. */
  const deriveCodeRow = (code: string) =>
    `0x${keys.hashInput('wallet code', code).slice(-40)}` as Address

  /** Finds the wallet of a code that is valid for an account; with `takes`, for no other then. */
  async function findWallet(code: string, account: Address, takes: boolean) {
    let wallet: Wallet | undefined
    await memory.change(deriveCodeRow(code), (before, now) => {
      const { walletCode: storedCode } = before
      wallet = undefined
      if (storedCode === undefined || storedCode.expiresAt <= now) return undefined
      const { name, address, takenBy } = storedCode
      if (takenBy === undefined || isAddressEqual(takenBy, account)) wallet = { name, address }
      const isTaken = takenBy !== undefined || !takes
      return isTaken ? undefined : { ...before, walletCode: { ...storedCode, takenBy: account } }
    })
    // TypeScript does not see that the callback assigns the variable.
    return wallet as Wallet | undefined
  }

  return {
    /** Issues a code for a wallet. @throws {Error} all codes that were drawn are in use */
    async issue({ name, address }: Wallet): Promise<string> {
      for (let attempt = 0; attempt < 10; attempt++) {
        const code = drawDigits(8)
        let isFree = false
        await memory.change(deriveCodeRow(code), (before, now) => {
          isFree = before.walletCode === undefined || before.walletCode.expiresAt <= now
          const walletCode = { name, address, expiresAt: now + codeLifetimeMs }
          return isFree ? { ...before, walletCode } : undefined
        })
        if (isFree) return code
      }
      throw new Error('all codes that were drawn are in use')
    },
    /** Finds what a code would give an account, and changes nothing. */
    async find(code: string, account: Address): Promise<WalletCodeResult> {
      const wallet = await findWallet(code, account, false)
      if (wallet === undefined) return { kind: 'unknown' }
      const { now, ...stored } = await memory.read(account)
      if (addWallet(stored, wallet, now) === undefined) return { kind: 'full' }
      const replaces = stored.wallets.some(
        ({ name, address }) => name === wallet.name && !isAddressEqual(address, wallet.address),
      )
      return { kind: 'found', wallet, replaces }
    },
    /**
     * Adds the wallet of a code to an account, if that account is the first to redeem the code, and
     * tells whether it has it. `isAllowed` is asked in the step that changes the account.
     */
    async redeem(code: string, account: Address, isAllowed: IsAllowed): Promise<boolean> {
      const wallet = await findWallet(code, account, true)
      if (wallet === undefined) return false
      const after = await memory.change(account, (before, now) =>
        isAllowed(before, now) ? addWallet(before, wallet, now) : undefined,
      )
      return hasWallet(after, wallet)
    },
    /** Cancels the replacement of a wallet's address; `isAllowed` as in `redeem`. */
    async cancel(wallet: Wallet, account: Address, isAllowed: IsAllowed): Promise<boolean> {
      const after = await memory.change(account, (before, now) =>
        isAllowed(before, now) && hasWallet(before, wallet)
          ? cancelReplacement(before, wallet.name, now)
          : undefined,
      )
      return !hasWallet(after, wallet)
    },
  }
}
