import type * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import type { Subscriptions } from '../feed/subscriptions.ts'
import type { NodeAccess } from '../upstream/upstreams.ts'
import '../../runtime/english.ts'

export type Context = NodeAccess & {
  readonly chainId: number
  readonly methods: readonly Method[]
  /** Holds the subscriptions of a WebSocket; undefined over HTTP. */
  readonly subscriptions: Subscriptions | undefined
}

export type Example = { readonly params: readonly unknown[]; readonly result: unknown }

export type Method = {
  readonly name: string
  readonly summary: string
  readonly params: Shape
  readonly result: z.ZodMiniType
  readonly example: Example
  /** Tells whether a call has an effect, so that equal calls never share an answer. */
  readonly hasEffect: boolean
  /** Parses the parameters. @throws {RpcError} invalid params, naming the parameter */
  readonly parse: (params: readonly unknown[]) => Record<string, unknown>
  readonly call: (params: Record<string, unknown>, context: Context) => Promise<unknown>
  /** Tells whether a proof covers all of an answer; others are cached for at most a minute. */
  readonly isFullyProved: boolean
  /** Tells by the parameters whether an answer never changes, so that processes share it. */
  readonly isFixed: (params: Record<string, unknown>, isDeep: IsDeep) => boolean
  /** Tells whether this answer never changes; no reorganization reaches a block that `isDeep`. */
  readonly isImmutable: (
    params: Record<string, unknown>,
    result: unknown,
    isDeep: IsDeep,
  ) => boolean
}

type IsDeep = (blockNumber: string) => boolean
type Shape = Readonly<Record<string, z.ZodMiniType>>
type Answer<R> = NonNullable<z.output<R>>
type Parsed<S extends Shape> = { [K in keyof S]: z.output<S[K]> }

/** Creates a method with positional parameters, whose optional ones may be `null`. */
export function method<S extends Shape, R extends z.ZodMiniType>(
  definition: Pick<Method, 'name' | 'summary' | 'example'> & {
    params: S
    result: R
    hasEffect?: boolean
    isFullyProved?: boolean
    call: (params: Parsed<S>, context: Context) => Promise<z.output<R>>
    /** Sets which answers are cached; `null` never is. */
    isFixed?: (params: Parsed<S>, isDeep: IsDeep) => boolean
    isImmutable?: (result: Answer<R>, isDeep: IsDeep) => boolean
  },
): Method {
  const { name, params: shape, call, isImmutable } = definition
  const isFixed: Method['isFixed'] = (params, isDeep) =>
    definition.isFixed?.(params as Parsed<S>, isDeep) ?? false
  const entries = Object.entries<z.ZodMiniType>(shape)
  return {
    hasEffect: false,
    isFullyProved: false,
    ...definition,
    isFixed,
    parse(params) {
      if (params.length > entries.length) {
        const most = `${entries.length} parameter${entries.length === 1 ? '' : 's'}`
        throw new RpcError(codes.invalidParams, `${name} takes at most ${most}`)
      }
      const parsed: Record<string, unknown> = {}
      for (const [index, [member, schema]] of entries.entries()) {
        parsed[member] = parseParam(member, schema, params[index] ?? undefined)
      }
      return parsed
    },
    call: (params, context) => call(params as Parsed<S>, context),
    isImmutable: (params, answer, isDeep) =>
      answer !== null &&
      answer !== undefined &&
      (isFixed(params, isDeep) || (isImmutable?.(answer as Answer<R>, isDeep) ?? false)),
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
