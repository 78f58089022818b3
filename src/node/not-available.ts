import { RpcError } from '../chain/rpc.ts'
import { codes } from './codes.ts'

/** Characters of a method's name that are told back. The longest name that is served has 39. */
const shownLength = 64

/**
 * The refusal of a method in go-ethereum's words. Clients look for them: ethers polls for logs when
 * `eth_newFilter` is refused so, and ends with an unhandled rejection when it is refused otherwise.
 *
 * @param where what follows the words, such as ` over HTTP`, for a method that is served elsewhere
 */
export function notAvailable(name: string, where = ''): RpcError {
  const words = `the method ${shown(name)} does not exist/is not available${where}`
  return new RpcError(codes.methodNotFound, words)
}

/** The name is any bytes that a customer sends; what a terminal or a log shows of it is ASCII. */
function shown(name: string): string {
  const start = name.slice(0, shownLength).replace(/[^\x21-\x7e]/g, '?')
  return name.length > shownLength ? `${start}...` : start
}
