import {
  type Address,
  type Hex,
  keccak256,
  type LocalAccount,
  parseTransaction,
  zeroAddress,
} from 'viem'
import type { SignedTransaction } from './ledger/port.ts'

/** What a transaction does, whatever its nonce and its price are. */
export type TransactionContent = { to: Address; data: Hex; gas: number }

/** A relayer's transaction before it is signed. Legacy (EIP-155): Rootstock takes no other. */
export type UnsignedTransaction = TransactionContent & {
  nonce: number
  gasPriceWei: bigint
  /** What is sent along. Left out: nothing. */
  valueWei?: bigint
}

/** Holds one relayer key. */
export type Signer = {
  address: Address
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>
  /** Reads what a transaction does that this signer signed. */
  contentOf(transaction: SignedTransaction): TransactionContent
}

/** Signs with a key in memory. */
export function createSigner(account: LocalAccount, chainId: number): Signer {
  return {
    address: account.address,
    async sign({ gasPriceWei, gas, valueWei = 0n, ...transaction }) {
      const raw = await account.signTransaction({
        ...transaction,
        type: 'legacy',
        chainId,
        gas: BigInt(gas),
        gasPrice: gasPriceWei,
        value: valueWei,
      })
      return { hash: keccak256(raw), raw, gasPriceWei }
    },
    contentOf({ raw }) {
      const { to, data = '0x', gas = 0n } = parseTransaction(raw)
      return { to: to ?? zeroAddress, data, gas: Number(gas) }
    },
  }
}
