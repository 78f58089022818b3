import type { Hex } from 'viem'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { method } from '../method.ts'
import { parseSignedTransaction } from '../signed-transaction.ts'
import { dataParam, hash } from '../values.ts'

/** Broadcasts a signed transaction; the answer is the transaction's own hash. */
export const ethSendRawTransaction = method({
  name: 'eth_sendRawTransaction',
  summary: 'Broadcasts a signed transaction and gives its hash',
  params: { transaction: dataParam },
  result: hash,
  effect: true,
  async call({ transaction }, { chainId, send }) {
    const signed = parseSignedTransaction(transaction as Hex)
    if (signed.chainId !== undefined && signed.chainId !== BigInt(chainId)) {
      throw new RpcError(
        codes.invalidParams,
        `invalid parameter "transaction": it is signed for chain ${signed.chainId}, and this is chain ${chainId}`,
      )
    }
    try {
      await send(transaction as Hex, signed.hash)
    } catch (error) {
      throw signed.type === 0 ? error : ofType(signed.type, error)
    }
    return signed.hash
  },
})

/** RSKj does not know types, and fails in ways that tell a sender nothing. */
function ofType(type: number, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  if (error.code !== codes.internal && error.code !== codes.invalidParams) return error
  return new RpcError(
    codes.invalidParams,
    `invalid parameter "transaction": type ${type} is refused (${error.message}): Rootstock takes legacy transactions (EIP-155)`,
  )
}
