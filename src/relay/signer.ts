import {
  type Address,
  type Hex,
  keccak256,
  type LocalAccount,
  parseTransaction,
  zeroAddress,
} from 'viem'
import type { SignedTransaction } from './ledger/values.ts'

/** Tells what a transaction does, whatever its nonce and price are. */
export type TransactionContent = { to: Address; data: Hex; gas: number }

/** Describes a transaction to sign: legacy (EIP-155), since Rootstock takes no other. */
export type UnsignedTransaction = TransactionContent & {
  nonce: number
  gasPriceWei: bigint
  valueWei?: bigint
}

export type Signer = {
  address: Address
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>
  /** Reads what a transaction of this signer does. */
  readContent(transaction: SignedTransaction): TransactionContent
}

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
    readContent({ raw }) {
      const { to, data = '0x', gas = 0n } = parseTransaction(raw)
      return { to: to ?? zeroAddress, data, gas: Number(gas) }
    },
  }
}
