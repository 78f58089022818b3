import { z } from 'zod'
import { RpcError } from '../chain/rpc.ts'
import { codes } from './codes.ts'
import { addressParam, dataParam, quantityParam } from './values.ts'

/**
 * What `eth_call` and `eth_estimateGas` simulate. `to` is required, so a deployment is not
 * simulated. `input` is the newer name of `data`; members without a name here travel on as they are.
 */
export const callParam = z
  .looseObject(
    {
      from: addressParam.nullish(),
      to: addressParam,
      gas: quantityParam.nullish(),
      gasPrice: quantityParam.nullish(),
      value: quantityParam.nullish(),
      data: dataParam.nullish(),
      input: dataParam.nullish(),
      maxFeePerGas: quantityParam.nullish(),
      maxPriorityFeePerGas: quantityParam.nullish(),
    },
    { error: 'must be a call object' },
  )
  .refine(({ data, input }) => !data || !input || data === input, {
    error: 'has both data and input, and they differ',
  })

/** A simulation, parsed. */
export type Call = z.output<typeof callParam>

/** The call in the words that every node understands: `data`, and nothing that is `null`. */
export function nodeCall({ input, ...call }: Call): Record<string, unknown> {
  const data = call.data ?? input
  const members = Object.entries({ ...call, data })
  return Object.fromEntries(members.filter(([, value]) => value !== null && value !== undefined))
}

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
