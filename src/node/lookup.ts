import { RpcError } from '../chain/rpc.ts'

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

function meansAbsent({ message }: RpcError): boolean {
  return /not found|unknown block|BlockOutOfRange|greater than current height|does ?n.?t exist|no block/i.test(
    message,
  )
}
