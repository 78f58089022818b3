import {
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedLegacy,
} from 'viem'
import { RpcError } from '../../../src/chain/rpc.ts'
import { internalFault } from './refusals.ts'

export type SignedTransaction = Awaited<ReturnType<typeof read>>

/** Parses a legacy transaction. @throws {RpcError} RSKj's error for invalid bytes */
export async function decodeTransaction(raw: unknown, chainId: number): Promise<SignedTransaction> {
  if (typeof raw !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(raw)) {
    throw new RpcError(-32602, 'Invalid data format: invalid hex value.')
  }
  const parsed = await read(raw as TransactionSerializedLegacy).catch(() => {
    throw internalFault()
  })
  // A transaction without a chain id is signed as before EIP-155, and accepted.
  const { chainId: own = chainId } = parsed
  if (own !== chainId) throw new RpcError(-32602, `Invalid chainId: ${own}`)
  return parsed
}

async function read(raw: TransactionSerializedLegacy) {
  const { type, r, s, v, ...parsed } = parseTransaction(raw)
  if (type !== 'legacy' || r === undefined || s === undefined || v === undefined) {
    throw new Error('no signed list')
  }
  return {
    hash: keccak256(raw),
    raw,
    from: await recoverTransactionAddress({ serializedTransaction: raw }),
    chainId: parsed.chainId,
    nonce: parsed.nonce ?? 0,
    /** Undefined if the transaction creates a contract. */
    to: parsed.to ?? undefined,
    data: parsed.data ?? ('0x' as const),
    valueWei: parsed.value ?? 0n,
    gas: parsed.gas ?? 0n,
    gasPriceWei: parsed.gasPrice ?? 0n,
    v,
    r,
    s,
  }
}
