import * as z from 'zod/mini'
import { address, anyQuantity, data, hash, quantity } from './values.ts'

const position = z.int().check(z.nonnegative())

/** Parses a trace in the form of an answer; unknown fields pass. */
export const trace = z.looseObject({
  action: z.looseObject({
    callType: z.optional(z.string()),
    from: z.optional(address),
    to: z.optional(address),
    gas: z.optional(quantity),
    input: z.optional(data),
    value: z.optional(quantity),
  }),
  blockHash: hash,
  blockNumber: position,
  transactionHash: hash,
  transactionPosition: position,
  type: z.string(),
  subtraces: position,
  traceAddress: z.array(position),
  result: z.nullable(z.looseObject({ gasUsed: quantity, output: z.optional(data) })),
  error: z.optional(z.string()),
})

export type Trace = z.output<typeof trace>

const integerFromQuantity = z.pipe(anyQuantity, z.transform(Number))

const rawTrace = z.extend(trace, {
  blockNumber: integerFromQuantity,
  transactionPosition: z.nullish(integerFromQuantity),
  transactionHash: z.nullish(hash),
  result: z.nullish(z.looseObject({ gasUsed: z.nullish(quantity), output: z.nullish(data) })),
  error: z.nullish(z.string()),
})

/** Returns traces with all fields; the result of a failed call is `null`. */
function shapeTraces(raw: z.output<typeof rawTrace>[]): Trace[] {
  return raw.flatMap(({ transactionHash, transactionPosition, error, result, ...rest }) => {
    // A block's reward has no transaction.
    if (!transactionHash) return []
    const hasFailed = error !== undefined && error !== null
    const { gasUsed, output, ...more } = result ?? {}
    return {
      ...rest,
      transactionHash,
      transactionPosition: transactionPosition ?? 0,
      result:
        hasFailed || !result
          ? null
          : { ...more, gasUsed: gasUsed ?? '0x0', ...(output ? { output } : {}) },
      ...(hasFailed ? { error: translateError(error) } : {}),
    }
  })
}

/** Parses traces as nodes return them. */
export const rawTraces = z.pipe(z.array(rawTrace), z.transform(shapeTraces))

/** Translates go-ethereum's words for a failure into OpenEthereum's, which the spec uses. */
function translateError(error: string): string {
  return /revert/i.test(error) ? 'Reverted' : error
}

/** Parses a call of go-ethereum's call tracer, with the calls that it made. */
export const callFrame = z.looseObject({
  type: z.string(),
  from: address,
  to: z.optional(address),
  gas: quantity,
  gasUsed: quantity,
  input: data,
  output: z.optional(data),
  value: z.optional(quantity),
  error: z.optional(z.string()),
  get calls(): z.ZodMiniOptional<z.ZodMiniArray<typeof callFrame>> {
    return z.optional(z.array(callFrame))
  },
})

export type CallFrame = z.output<typeof callFrame>

export type TracePosition = Pick<
  Trace,
  'blockHash' | 'blockNumber' | 'transactionHash' | 'transactionPosition'
>

/** Returns a call and all calls below it as traces, in the order in which they began. */
export function flattenFrame(
  frame: CallFrame,
  traceAddress: number[],
  position: TracePosition,
): Trace[] {
  const { type, from, to, gas, gasUsed, input, output, value = '0x0', error, calls = [] } = frame
  const isCreation = type.startsWith('CREATE')
  const ownTrace: Trace = {
    ...position,
    action: isCreation
      ? { from, gas, value, init: input, creationMethod: type.toLowerCase() }
      : { callType: type.toLowerCase(), from, to, gas, input, value },
    type: isCreation ? 'create' : type === 'SELFDESTRUCT' ? 'suicide' : 'call',
    subtraces: calls.length,
    traceAddress,
    result: error
      ? null
      : isCreation
        ? { gasUsed, address: to, code: output ?? '0x' }
        : { gasUsed, output: output ?? '0x' },
    ...(error ? { error: translateError(error) } : {}),
  }
  return [
    ownTrace,
    ...calls.flatMap((call, index) => flattenFrame(call, [...traceAddress, index], position)),
  ]
}
