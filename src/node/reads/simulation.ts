import { revertReason } from '../../chain/refusals.ts'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import type { SimulatedCall } from '../objects/call.ts'

/**
 * The outcome of a simulation, its revert in go-ethereum's form. RSKj has a code of its own for it,
 * which viem, for one, does not decode. Nor does RSKj say in words that a call's gas is out of bounds.
 *
 * @throws {RpcError} code 3 with the revert's bytes in `data`, or the node's error
 */
export async function simulated<T>(outcome: Promise<T>, { gas }: SimulatedCall): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (error.code === codes.internal && gas) {
      // RSKj fails inside below what the call costs at the least, and above what its numbers hold.
      throw new RpcError(codes.failed, `the node cannot run the call with gas ${gas}`)
    }
    if (error.code !== codes.executionFailed) throw error
    const reason = revertReason(error)
    if (reason === undefined) throw error
    const message = reason ? `execution reverted: ${reason}` : 'execution reverted'
    throw new RpcError(codes.reverted, message, error.data ?? '0x')
  }
}
