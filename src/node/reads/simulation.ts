import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'

/**
 * The outcome of a simulation, its revert in go-ethereum's form. RSKj has a code of its own for it,
 * which viem, for one, does not decode.
 *
 * @throws {RpcError} code 3 with the revert's bytes in `data`, or the node's error
 */
export async function simulated<T>(outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== codes.executionFailed) throw error
    const revert = /: (?:transaction reverted|revert (?<reason>.*))$/s.exec(error.message)
    if (revert === null) throw error
    const reason = revert.groups?.reason
    const message = reason ? `execution reverted: ${reason}` : 'execution reverted'
    throw new RpcError(codes.reverted, message, error.data ?? '0x')
  }
}
