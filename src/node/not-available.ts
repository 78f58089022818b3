import { RpcError } from '../chain/rpc.ts'
import { codes } from './codes.ts'

/** Characters of a method's name that are told back. The longest name that is served has 39. */
const shownLength = 64

/** Refuses a method in go-ethereum's words, which ethers looks for before it polls for logs. */
export function notAvailable(name: string, where = ''): RpcError {
  const words = `the method ${shown(name)} does not exist/is not available${where}`
  return new RpcError(codes.methodNotFound, words)
}

/** The name is any bytes that a customer sends; what a terminal or a log shows of it is ASCII. */
function shown(name: string): string {
  const start = name.slice(0, shownLength).replace(/[^\x21-\x7e]/g, '?')
  return name.length > shownLength ? `${start}...` : start
}
