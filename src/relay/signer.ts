import { type Address, type Hex, keccak256, type LocalAccount, parseTransaction } from 'viem'
import type { SignedTransaction } from './ledger/port.ts'

/** A relayer's transaction before it is signed. Legacy (EIP-155): Rootstock takes no other. */
export type UnsignedTransaction = {
  nonce: number
  to: Address
  data: Hex
  gas: number
  gasPriceWei: bigint
  /** What is sent along. Left out: nothing. */
  valueWei?: bigint
}

/** Holds one relayer key. */
export type Signer = {
  address: Address
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>
  /** Calldata of a transaction that this signer signed. */
  calldataOf(transaction: SignedTransaction): Hex
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
    calldataOf: ({ raw }) => parseTransaction(raw).data ?? '0x',
  }
}
