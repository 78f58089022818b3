import { type Hex, size, toRlp } from 'viem'
import * as z from 'zod/mini'
import { addressParam, dataParam, hashParam, quantityParam } from './values.ts'

const from = z.nullish(addressParam)
const accessListParam = z.nullish(
  z.array(z.looseObject({ address: addressParam, storageKeys: z.nullish(z.array(hashParam)) }), {
    error: 'must be a list of addresses and their storage keys',
  }),
)
const sharedFields = {
  gas: z.nullish(quantityParam),
  gasPrice: z.nullish(quantityParam),
  value: z.nullish(quantityParam),
  data: z.nullish(dataParam),
  input: z.nullish(dataParam),
  maxFeePerGas: z.nullish(quantityParam),
  maxPriorityFeePerGas: z.nullish(quantityParam),
  accessList: accessListParam,
}

const objectError = { error: 'must be a call object' }
const codeConflict = 'has both data and input, and they differ'

/** Parses what `eth_call` simulates; `input` is the newer name of `data` (execution-apis). */
export const callParam = z
  .looseObject({ from, to: addressParam, ...sharedFields }, objectError)
  .check(z.refine(isCodeConsistent, { error: codeConflict }))

/** Parses what `eth_estimateGas` simulates: a call, or without `to` a contract creation. */
export const estimateParam = z
  .looseObject({ from, to: z.nullish(addressParam), ...sharedFields }, objectError)
  .check(
    z.refine(isCodeConsistent, { error: codeConflict }),
    z.refine(({ to, data, input }) => to || [data, input].some((code) => code && code !== '0x'), {
      error: 'needs "to", or in "data" or "input" the code of a contract to create',
    }),
  )

export type SimulatedCall = z.output<typeof callParam> | z.output<typeof estimateParam>

/** Computes what an access list costs on Rootstock: 80 for each byte of its RLP (RSKIP-546). */
export function computeAccessListGas({ accessList }: SimulatedCall): number {
  if (!accessList || accessList.length === 0) return 0
  const list = accessList.map(({ address, storageKeys }) => [address, storageKeys ?? []] as Item)
  return 80 * size(toRlp(list))
}

type Item = [address: Hex, storageKeys: Hex[]]

/** Returns the call in a form that all nodes accept: with `data`, and without `null` members. */
export function toNodeCall({ input, ...call }: SimulatedCall): Record<string, unknown> {
  const data = call.data ?? input
  const entries = Object.entries({ ...call, data })
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))
}

type CodeFields = { data?: string | null | undefined; input?: string | null | undefined }

function isCodeConsistent({ data, input }: CodeFields): boolean {
  return !data || !input || data === input
}
