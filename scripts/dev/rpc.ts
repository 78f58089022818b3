import { z } from 'zod'
import { RpcError } from '../../src/chain/rpc.ts'

/** Calls one node or service. @throws {RpcError} the error object that it answered with */
export type RpcCall = (method: string, params?: readonly unknown[]) => Promise<unknown>

/** Also parses results if a schema is given. */
export type ParsedCall = RpcCall &
  (<Result>(
    method: string,
    params: readonly unknown[],
    result: z.ZodType<Result>,
  ) => Promise<Result>)

const answerSchema = z.looseObject({
  result: z.unknown().optional(),
  error: z
    .looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
})

/** Makes one JSON-RPC call over HTTP; returns status and answer. */
export async function exchange(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  signal?: AbortSignal,
): Promise<{ status: number; answer: z.infer<typeof answerSchema> }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal === undefined ? {} : { signal }),
  })
  return { status: response.status, answer: answerSchema.parse(await response.json()) }
}

/** Creates a function that calls a JSON-RPC address, with an optional time limit. */
export function createRpcCall(url: string, { timeoutMs }: { timeoutMs?: number } = {}): ParsedCall {
  return async <Result>(
    method: string,
    params: readonly unknown[] = [],
    parsed: z.ZodType<Result> = z.any(),
  ) => {
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    const { error, result } = (await exchange(url, method, params, signal)).answer
    if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
    return parsed.parse(result)
  }
}
