import {
  type Address,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem'

/** A signed transaction as the pool sees it. */
export type SignedTransaction = {
  hash: Hex
  raw: Hex
  from: Address
  nonce: number
  /** Undefined: it creates a contract. */
  to: Address | undefined
  data: Hex
  valueWei: bigint
  gas: bigint
  gasPriceWei: bigint
  v: bigint
  r: Hex
  s: Hex
}

/** The bytes are no transaction that Rootstock takes; nothing was looked at beyond them. */
export class InvalidTransactionError extends Error {
  override readonly name = 'InvalidTransactionError'
}

/**
 * Reads signed bytes. Only legacy transactions with replay protection (EIP-155) are taken: the
 * RSKIPs for types 1, 2 and 4 are drafts.
 *
 * @throws {InvalidTransactionError}
 */
export async function decodeTransaction(raw: unknown, chainId: number): Promise<SignedTransaction> {
  if (typeof raw !== 'string' || !/^0x([0-9a-f]{2})+$/i.test(raw)) {
    throw new InvalidTransactionError('Invalid transaction data')
  }
  // A list starts at 0xc0; what is lower is the type of an envelope (EIP-2718).
  if (Number.parseInt(raw.slice(2, 4), 16) < 0xc0) {
    throw new InvalidTransactionError(`Transaction type 0x${raw.slice(2, 4)} is not supported`)
  }
  try {
    const bytes = raw as Hex
    const parsed = parseTransaction(bytes)
    if (parsed.chainId !== chainId) {
      throw new InvalidTransactionError(`Invalid chainId: ${parsed.chainId ?? 'none'}`)
    }
    if (parsed.r === undefined || parsed.s === undefined || parsed.v === undefined) {
      throw new InvalidTransactionError('The transaction is not signed')
    }
    return {
      hash: keccak256(bytes),
      raw: bytes,
      from: await recoverTransactionAddress({ serializedTransaction: bytes as `0x02${string}` }),
      nonce: parsed.nonce ?? 0,
      to: parsed.to ?? undefined,
      data: parsed.data ?? '0x',
      valueWei: parsed.value ?? 0n,
      gas: parsed.gas ?? 0n,
      gasPriceWei: parsed.gasPrice ?? 0n,
      v: parsed.v,
      r: parsed.r,
      s: parsed.s,
    }
  } catch (error) {
    if (error instanceof InvalidTransactionError) throw error
    throw new InvalidTransactionError('Invalid transaction data', { cause: error })
  }
}
