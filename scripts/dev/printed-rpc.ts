import { readFileSync } from 'node:fs'

export type PrintedCall = { method: string; params: unknown[]; result: unknown }

/**
 * What the hosted service answers, as the Rootstock developer portal prints it. Three long values
 * are printed with dots in their middle: they are taken as ending there.
 */
export const printedCalls: readonly PrintedCall[] = JSON.parse(
  readFileSync(new URL('fixtures/rootstock-rpc.json', import.meta.url), 'utf8').replaceAll(
    '..."',
    '"',
  ),
).pairs
