import { printedCalls } from '../../../scripts/dev/printed-rpc.ts'

type Block = Record<string, unknown> & { number: string; hash: string }

/** The first result that is printed of a method. */
export function printedBy<Result>(method: string): Result {
  return printedCalls.find((call) => call.method === method)?.result as Result
}

/** The block that is printed. */
export const printed = printedBy<Block>('eth_getBlockByHash')
