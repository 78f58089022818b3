import { RpcError } from '../chain/rpc.ts'
import { codes } from './codes.ts'

/**
 * `null` where a node answers the look-up of something that is not there with an error: the spec's
 * answer is `null`, and clients as different as anvil and go-ethereum word it in their own ways.
 */
export async function orNull<T>(lookup: Promise<T>): Promise<T | null> {
  try {
    return await lookup
  } catch (error) {
    if (error instanceof RpcError && meansAbsent(error)) return null
    throw error
  }
}

/** Undefined where the node does not serve the method, so that its answer can be made otherwise. */
export async function ifServed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcError && error.code === codes.methodNotFound) return undefined
    throw error
  }
}

function meansAbsent({ code, message }: RpcError): boolean {
  if (code === codes.methodNotFound) return false
  return /not found|unknown block|BlockOutOfRange|greater than current height|does ?n.?t exist|no block/i.test(
    message,
  )
}
