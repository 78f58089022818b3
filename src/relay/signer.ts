import {
  type Address,
  type Hex,
  keccak256,
  parseTransaction,
  serializeTransaction,
  zeroAddress,
} from 'viem'
import type { KeyAccount } from '../runtime/key-account.ts'
import type { SignedTransaction } from './ledger/values.ts'

/** Tells what a transaction does, whatever its nonce and price are. */
export type TransactionContent = { to: Address; data: Hex; gas: number }

/** Describes a transaction to sign: legacy (EIP-155), since Rootstock takes no other. */
type UnsignedTransaction = TransactionContent & { nonce: number; gasPriceWei: bigint }

export type Signer = ReturnType<typeof createSigner>

export function createSigner(account: KeyAccount, chainId: number) {
  return {
    address: account.address,
    /** Signs at once: nothing else runs between a decision and its signature. */
    sign({ gasPriceWei, gas, ...transaction }: UnsignedTransaction): SignedTransaction {
      const unsigned = {
        ...transaction,
        type: 'legacy',
        chainId,
        gas: BigInt(gas),
        gasPrice: gasPriceWei,
      } as const
      const digest = keccak256(serializeTransaction(unsigned))
      const raw = serializeTransaction(unsigned, account.signDigest(digest))
      return { hash: keccak256(raw), raw, gasPriceWei }
    },
    /** Reads what a transaction of this signer does. */
    readContent({ raw }: SignedTransaction): TransactionContent {
      const { to, data = '0x', gas = 0n } = parseTransaction(raw)
      return { to: to ?? zeroAddress, data, gas: Number(gas) }
    },
  }
}
