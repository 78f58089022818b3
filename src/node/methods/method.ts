import type * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import type { Subscriptions } from '../feed/subscriptions.ts'
import type { NodeAccess } from '../upstream/upstreams.ts'
import '../../runtime/english.ts' // The words of zod's messages, which errors of parameters show.

export type Context = NodeAccess & {
  readonly chainId: number
  /** Holds the subscriptions of a WebSocket; undefined over HTTP. */
  readonly subscriptions: Subscriptions | undefined
}

type Definition<S extends Shape, R extends z.ZodMiniType> = {
  readonly name: string
  readonly summary: string
  readonly params?: S
  readonly result: R
  /** Tells whether a call has an effect, so that equal calls never share an answer. */
  readonly hasEffect?: boolean
  /** Tells whether a proof covers all of an answer. Other answers are cached for one minute. */
  readonly isFullyProved?: boolean
  call(params: Parsed<S>, context: Context): Promise<z.output<R>>
  /**
   * Tells whether an answer never changes, so that it is cached; `null` never is. Other processes
   * share it if the parameters alone tell. A block that `isFinal` is never reorganized away.
   */
  isImmutable?(params: Parsed<S>, isFinal: IsFinal, answer?: NonNullable<z.output<R>>): boolean
}

export type Method = Required<Definition<Shape, z.ZodMiniType>> & {
  /** Parses the parameters. @throws {RpcError} invalid params, naming the parameter */
  readonly parse: (params: readonly unknown[]) => Record<string, unknown>
}

type IsFinal = (blockNumber: string) => boolean
type Shape = Readonly<Record<string, z.ZodMiniType>>
type Parsed<S extends Shape> = { [K in keyof S]: z.output<S[K]> }

/** Defines a method with positional parameters, whose optional ones may be `null`. */
export function defineMethod<S extends Shape, R extends z.ZodMiniType>(
  definition: Definition<S, R>,
): Method {
  const { name, params: shape = {} } = definition
  const entries = Object.entries<z.ZodMiniType>(shape)
  return {
    params: {},
    hasEffect: false,
    isFullyProved: false,
    isImmutable: () => false,
    ...definition,
    parse(params) {
      if (params.length > entries.length) {
        const maximum = `${entries.length} parameter${entries.length === 1 ? '' : 's'}`
        throw new RpcError(codes.invalidParams, `${name} takes at most ${maximum}`)
      }
      const parsed: Record<string, unknown> = {}
      for (const [index, [member, schema]] of entries.entries()) {
        parsed[member] = parseParam(member, schema, params[index] ?? undefined)
      }
      return parsed
    },
  }
}

function parseParam(name: string, schema: z.ZodMiniType, value: unknown): unknown {
  const outcome = schema.safeParse(value)
  if (outcome.success) return outcome.data
  if (value === undefined) throw new RpcError(codes.invalidParams, `missing parameter "${name}"`)
  const [issue] = outcome.error.issues
  const path = [name, ...(issue?.path ?? [])].join('.')
  throw new RpcError(
    codes.invalidParams,
    `invalid parameter "${path}": ${issue?.message ?? 'not valid'}`,
  )
}
