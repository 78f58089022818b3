import { readFileSync } from 'node:fs'

export type Pair = { method: string; params: unknown[]; result: unknown }
type Block = Record<string, unknown> & { number: string; hash: string }

/**
 * What the hosted service answers, as the Rootstock developer portal prints it. Three long values
 * are printed with dots in their middle: they are taken as ending there.
 */
export const { pairs } = JSON.parse(
  readFileSync(new URL('../../fixtures/rootstock-rpc.json', import.meta.url), 'utf8').replaceAll(
    '..."',
    '"',
  ),
) as { pairs: Pair[] }

/** The first result that is printed of a method. */
export function printedBy<Result>(method: string): Result {
  return pairs.find((pair) => pair.method === method)?.result as Result
}

/** The block that is printed. */
export const printed = printedBy<Block>('eth_getBlockByHash')
