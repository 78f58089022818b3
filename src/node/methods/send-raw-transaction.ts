import type { Hex } from 'viem'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { assertSigner, parseSignedTransaction } from '../objects/signed-transaction.ts'
import { dataParam, hash } from '../objects/values.ts'
import { defineMethod } from './method.ts'

export const ethSendRawTransaction = defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Broadcasts a signed transaction and gives its hash',
  params: { transaction: dataParam },
  result: hash,
  example: {
    params: [
      '0xf863808401b580a082520894cd2a3d9f938e13cd947ec05abc7fe734df8dd826018062a087cc3d279135ecb72e12796fdbea6716aa65622a9b218de1df5ab4e3f10b312ea047a6098dc01fa5e229624ceac37f51c31f7b0457dd56933ab46e5247965bafe7',
    ],
    result: '0xe9e1af0f541a6bdc18cf78fc824cc5dfc3cd96cabe37f28306cedac080f2b6f6',
  },
  hasEffect: true,
  async call({ transaction }, { chainId, sendTransaction }) {
    const signed = parseSignedTransaction(transaction as Hex)
    if (signed.chainId !== undefined && signed.chainId !== chainId) {
      throw new RpcError(
        codes.invalidParams,
        `invalid parameter "transaction": it is signed for chain ${signed.chainId}, and this is chain ${chainId}`,
      )
    }
    try {
      await sendTransaction(transaction as Hex, signed.hash)
    } catch (error) {
      if (error instanceof RpcError && error.code === codes.internal) {
        await assertSigner(transaction as Hex)
      }
      throw signed.type === 0 ? error : explainTypedRefusal(signed.type, error)
    }
    return signed.hash
  },
})

/** Explains why a typed transaction is refused, since RSKj's own error does not. */
function explainTypedRefusal(type: number, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  if (error.code !== codes.internal && error.code !== codes.invalidParams) return error
  const nodeReason = error.code === codes.internal ? '' : ` (${error.message})`
  return new RpcError(
    codes.invalidParams,
    `invalid parameter "transaction": type ${type} is refused${nodeReason}: Rootstock takes legacy transactions (EIP-155)`,
  )
}
