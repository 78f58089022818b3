import { z } from 'zod'
import { addressParam, dataParam, quantityParam } from './values.ts'

const from = addressParam.nullish()
const members = {
  gas: quantityParam.nullish(),
  gasPrice: quantityParam.nullish(),
  value: quantityParam.nullish(),
  data: dataParam.nullish(),
  input: dataParam.nullish(),
  maxFeePerGas: quantityParam.nullish(),
  maxPriorityFeePerGas: quantityParam.nullish(),
}

const notAnObject = { error: 'must be a call object' }
const differ = 'has both data and input, and they differ'

/**
 * What `eth_call` simulates. `to` is required. `input` is the newer name of `data` (execution-apis);
 * members without a name here travel on as they are.
 */
export const callParam = z
  .looseObject({ from, to: addressParam, ...members }, notAnObject)
  .refine(agree, { error: differ })

/**
 * What `eth_estimateGas` simulates: a call, or without `to` the creation of a contract, as clients
 * ask before they deploy one. A creation has code.
 */
export const estimateParam = z
  .looseObject({ from, to: addressParam.nullish(), ...members }, notAnObject)
  .refine(agree, { error: differ })
  .refine(({ to, data, input }) => to || [data, input].some((code) => code && code !== '0x'), {
    error: 'needs "to", or in "data" or "input" the code of a contract to create',
  })

/** A simulation, parsed. */
export type Call = z.output<typeof callParam> | z.output<typeof estimateParam>

/** The call in the words that every node understands: `data`, and nothing that is `null`. */
export function nodeCall({ input, ...call }: Call): Record<string, unknown> {
  const data = call.data ?? input
  const entries = Object.entries({ ...call, data })
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))
}

function agree({ data, input }: { data?: Hex; input?: Hex }): boolean {
  return !data || !input || data === input
}

type Hex = string | null | undefined
