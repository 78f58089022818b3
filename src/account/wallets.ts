import { type Address, isAddressEqual } from 'viem'
import { drawDigits } from './check-digit.ts'
import type { AccountMemory, Memory } from './memory.ts'
import type { SessionKeys } from './session-keys.ts'

/** Names an external address that a caller may cash out to. */
export type Wallet = AccountMemory['wallets'][number]

export const maxWallets = 3
const codeLifetimeMs = 60 * 60 * 1_000

/** Tells what a code gave. The same account gets the same result within the hour. */
export type WalletCodeResult = { kind: 'taken'; wallet: Wallet } | { kind: 'unknown' | 'full' }

/** Adds a wallet, in place of those with its name or address; undefined beyond the limit. */
export function addWallet(memory: AccountMemory, wallet: Wallet): AccountMemory | undefined {
  const others = memory.wallets.filter(
    ({ name, address }) => name !== wallet.name && !isAddressEqual(address, wallet.address),
  )
  return others.length < maxWallets ? { ...memory, wallets: [...others, wallet] } : undefined
}

export const removeWallet = (memory: AccountMemory, name: string): AccountMemory => ({
  ...memory,
  wallets: memory.wallets.filter((wallet) => wallet.name !== name),
})

export type WalletCodes = ReturnType<typeof createWalletCodes>

type WalletCodesOptions = { keys: Pick<SessionKeys, 'hashInput'>; memory: Memory }

/** Creates codes, each of which gives one account a wallet within an hour. */
export function createWalletCodes({ keys, memory }: WalletCodesOptions) {
  /** Derives the row of a code. It is stored like an account's, but no key derives its address. */
  const deriveCodeRow = async (code: string) =>
    `0x${(await keys.hashInput('wallet code', code)).slice(-40)}` as Address

  return {
    /** Issues a code for a wallet. @throws {Error} all codes that were drawn are in use */
    async issue(wallet: Wallet): Promise<string> {
      for (let attempt = 0; attempt < 10; attempt++) {
        const code = drawDigits(8)
        let isFree = false
        await memory.change(await deriveCodeRow(code), (before, now) => {
          isFree = before.walletCode === undefined || before.walletCode.expiresAt <= now
          const walletCode = { ...wallet, expiresAt: now + codeLifetimeMs }
          return isFree ? { ...before, walletCode } : undefined
        })
        if (isFree) return code
      }
      throw new Error('all codes that were drawn are in use')
    },
    /** Adds the wallet of a code to an account, unless another account has redeemed the code. */
    async redeem(code: string, account: Address): Promise<WalletCodeResult> {
      let wallet: Wallet | undefined
      await memory.change(await deriveCodeRow(code), (before, now) => {
        const { walletCode: storedCode } = before
        wallet = undefined
        if (storedCode === undefined || storedCode.expiresAt <= now) return undefined
        const { name, address, takenBy } = storedCode
        if (takenBy === undefined || isAddressEqual(takenBy, account)) wallet = { name, address }
        return takenBy ? undefined : { ...before, walletCode: { ...storedCode, takenBy: account } }
      })
      // TypeScript does not see that the callback assigns the variable.
      const redeemedWallet = wallet as Wallet | undefined
      if (redeemedWallet === undefined) return { kind: 'unknown' }
      const { wallets } = await memory.change(account, (before) =>
        addWallet(before, redeemedWallet),
      )
      const isAdded = wallets.some(({ address }) => isAddressEqual(address, redeemedWallet.address))
      return isAdded ? { kind: 'taken', wallet: redeemedWallet } : { kind: 'full' }
    },
  }
}
