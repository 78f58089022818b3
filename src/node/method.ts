import type { z } from 'zod'
import { RpcError } from '../chain/rpc.ts'
import { codes } from './codes.ts'
import type { Node } from './upstreams.ts'

/** What a method may use to make its answer. */
export type Context = {
  readonly chainId: number
  /** Runs the work against one node; against another if that one fails or answers nonsense. */
  readonly ask: <T>(work: (node: Node) => Promise<T>) => Promise<T>
  /** Hands signed bytes to every node. */
  readonly send: (raw: `0x${string}`) => Promise<string>
}

/** A method as it is served: its name, its parameters in order, its answer. */
export type Method = {
  readonly name: string
  readonly summary: string
  readonly params: Readonly<Record<string, z.ZodType>>
  readonly result: z.ZodType
  /** @throws {RpcError} invalid params, naming the parameter */
  readonly parse: (params: readonly unknown[]) => Record<string, unknown>
  readonly call: (params: Record<string, unknown>, context: Context) => Promise<unknown>
}

type Shape = Readonly<Record<string, z.ZodType>>
type Parsed<S extends Shape> = { [K in keyof S]: z.output<S[K]> }

/**
 * A method of the service. Parameters are positional, in the order of `params`' members; those
 * whose schema takes `undefined` may be left out, or be `null`.
 */
export function method<S extends Shape>(definition: {
  name: string
  summary: string
  params: S
  result: z.ZodType
  call: (params: Parsed<S>, context: Context) => Promise<unknown>
}): Method {
  const entries = Object.entries<z.ZodType>(definition.params)
  return {
    ...definition,
    parse(params) {
      if (params.length > entries.length) {
        throw new RpcError(
          codes.invalidParams,
          `${definition.name} takes at most ${entries.length} parameters, got ${params.length}`,
        )
      }
      const parsed: Record<string, unknown> = {}
      for (const [index, [name, schema]] of entries.entries()) {
        parsed[name] = parseParam(name, schema, params[index] ?? undefined, index < params.length)
      }
      return parsed
    },
    call: (params, context) => definition.call(params as Parsed<S>, context),
  }
}

function parseParam(name: string, schema: z.ZodType, value: unknown, given: boolean): unknown {
  const outcome = schema.safeParse(value)
  if (outcome.success) return outcome.data
  if (!given) throw new RpcError(codes.invalidParams, `missing parameter "${name}"`)
  const [issue] = outcome.error.issues
  const path = [name, ...(issue?.path ?? [])].join('.')
  throw new RpcError(
    codes.invalidParams,
    `invalid parameter "${path}": ${issue?.message ?? 'not valid'}`,
  )
}
