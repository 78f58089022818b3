import { type Address, isAddressEqual } from 'viem'
import { drawDigits } from './check-digit.ts'
import type { AccountMemory, Memory } from './memory.ts'
import type { SessionKeys } from './session-keys.ts'

/** Is a named external address that a caller may cash out to. */
export type Wallet = AccountMemory['wallets'][number]

export const mostWallets = 3
const codeLifetimeMs = 60 * 60 * 1_000

/** Tells what became of a code; the same account gets the same answer within the hour. */
export type TakenCode = { kind: 'taken'; wallet: Wallet } | { kind: 'unknown' | 'full' }

/** Adds a wallet, replacing one of its name or address; undefined if there is no room. */
export function withWallet(memory: AccountMemory, wallet: Wallet): AccountMemory | undefined {
  const others = memory.wallets.filter(
    ({ name, address }) => name !== wallet.name && !isAddressEqual(address, wallet.address),
  )
  return others.length < mostWallets ? { ...memory, wallets: [...others, wallet] } : undefined
}

export const withoutWallet = (memory: AccountMemory, name: string): AccountMemory => ({
  ...memory,
  wallets: memory.wallets.filter((wallet) => wallet.name !== name),
})

export type WalletCodes = ReturnType<typeof createWalletCodes>

type WalletCodesOptions = { keys: Pick<SessionKeys, 'input'>; memory: Memory }

/** Creates codes, each of which gives one account a wallet within an hour. */
export function createWalletCodes({ keys, memory }: WalletCodesOptions) {
  /** Returns the row of a code among those of accounts: nobody has a key of such an account. */
  const locateCode = async (code: string) =>
    `0x${(await keys.input('wallet code', code)).slice(-40)}` as Address

  return {
    /** Issues a code for a wallet. @throws {Error} every code that was drawn is in use */
    async issue(wallet: Wallet): Promise<string> {
      for (let attempt = 0; attempt < 10; attempt++) {
        const code = drawDigits(8)
        let isFree = false
        await memory.change(await locateCode(code), (before, now) => {
          isFree = before.walletCode === undefined || before.walletCode.expiresAt <= now
          const walletCode = { ...wallet, expiresAt: now + codeLifetimeMs }
          return isFree ? { ...before, walletCode } : undefined
        })
        if (isFree) return code
      }
      throw new Error('every code that was drawn is in use')
    },
    /** Gives an account the wallet of a code that no other account has taken. */
    async take(code: string, account: Address): Promise<TakenCode> {
      let wallet: Wallet | undefined
      await memory.change(await locateCode(code), (before, now) => {
        const { walletCode: kept } = before
        wallet = undefined
        if (kept === undefined || kept.expiresAt <= now) return undefined
        const { name, address, takenBy } = kept
        if (takenBy === undefined || isAddressEqual(takenBy, account)) wallet = { name, address }
        return takenBy ? undefined : { ...before, walletCode: { ...kept, takenBy: account } }
      })
      const found = wallet as Wallet | undefined
      if (found === undefined) return { kind: 'unknown' }
      const { wallets } = await memory.change(account, (before) => withWallet(before, found))
      const isAdded = wallets.some(({ address }) => isAddressEqual(address, found.address))
      return isAdded ? { kind: 'taken', wallet: found } : { kind: 'full' }
    },
  }
}
