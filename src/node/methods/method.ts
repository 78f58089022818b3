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

export type Method = {
  readonly name: string
  readonly summary: string
  readonly params: Shape
  readonly result: z.ZodMiniType
  /** Tells whether a call has an effect, so that equal calls never share an answer. */
  readonly hasEffect: boolean
  /** Parses the parameters. @throws {RpcError} invalid params, naming the parameter */
  readonly parse: (params: readonly unknown[]) => Record<string, unknown>
  readonly call: (params: Record<string, unknown>, context: Context) => Promise<unknown>
  /** Tells whether a proof covers all of an answer. Other answers are cached for one minute. */
  readonly isFullyProved: boolean
  /** Tells by the parameters whether an answer never changes; other processes share it then. */
  readonly isImmutableByParams: (params: Record<string, unknown>, isFinal: IsFinal) => boolean
  /** Tells whether this answer never changes. A block that `isFinal` is never reorganized away. */
  readonly isImmutable: (result: unknown, isFinal: IsFinal) => boolean
}

type IsFinal = (blockNumber: string) => boolean
type Shape = Readonly<Record<string, z.ZodMiniType>>
type Answer<R> = NonNullable<z.output<R>>
type Parsed<S extends Shape> = { [K in keyof S]: z.output<S[K]> }

/** Defines a method with positional parameters, whose optional ones may be `null`. */
export function defineMethod<S extends Shape, R extends z.ZodMiniType>(
  definition: Pick<Method, 'name' | 'summary'> & {
    params: S
    result: R
    hasEffect?: boolean
    isFullyProved?: boolean
    call: (params: Parsed<S>, context: Context) => Promise<z.output<R>>
    /** Sets which answers are cached; `null` never is. */
    isImmutableByParams?: (params: Parsed<S>, isFinal: IsFinal) => boolean
    isImmutable?: (result: Answer<R>, isFinal: IsFinal) => boolean
  },
): Method {
  const { name, params: shape, call } = definition
  const entries = Object.entries<z.ZodMiniType>(shape)
  return {
    hasEffect: false,
    isFullyProved: false,
    ...definition,
    isImmutableByParams: (params, isFinal) =>
      definition.isImmutableByParams?.(params as Parsed<S>, isFinal) ?? false,
    isImmutable: (answer, isFinal) =>
      definition.isImmutable?.(answer as Answer<R>, isFinal) ?? false,
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
    call: (params, context) => call(params as Parsed<S>, context),
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
