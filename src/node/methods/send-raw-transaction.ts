import type { Hex } from 'viem'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { nameType } from '../objects/block.ts'
import {
  assertSigner,
  createParamError,
  parseSignedTransaction,
} from '../objects/signed-transaction.ts'
import { dataParam, hash } from '../objects/values.ts'
import { defineMethod } from './method.ts'

export const ethSendRawTransaction = defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Broadcasts a signed transaction and gives its hash',
  params: { transaction: dataParam },
  result: hash,
  hasEffect: true,
  async call({ transaction }, { chainId, sendTransaction }) {
    const signed = parseSignedTransaction(transaction as Hex)
    if (signed.chainId !== undefined && signed.chainId !== chainId) {
      const chains = `chain ${signed.chainId}, and this is chain ${chainId}`
      throw createParamError(`it is signed for ${chains}`)
    }
    try {
      await sendTransaction(transaction as Hex, signed.hash)
    } catch (error) {
      if (error instanceof RpcError && error.code === codes.internal) {
        await assertSigner(transaction as Hex)
      }
      throw signed.type === '0x0' ? error : explainTypedRefusal(signed.type, error)
    }
    return signed.hash
  },
})

/** Explains why a typed transaction is refused, as far as the node says it. */
function explainTypedRefusal(type: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  if (error.code !== codes.internal && error.code !== codes.invalidParams) return error
  const says =
    error.code === codes.internal
      ? ' without a reason: nodes before RSKIP-546 take legacy ones alone'
      : `: ${error.message}`
  return createParamError(`type ${nameType(type)} is refused${says}`)
}
