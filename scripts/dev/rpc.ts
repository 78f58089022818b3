import { z } from 'zod'
import { RpcError } from '../../src/chain/rpc.ts'

/** Calls one node or service. @throws {RpcError} the error object that it answered with */
export type RpcCall = (method: string, params?: readonly unknown[]) => Promise<unknown>

/** The same, with results that are parsed where it is said by what. */
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

/** One JSON-RPC call over HTTP: the status and the answer, whatever it says. */
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

/** Asks what listens at this address; each call has so many ms, if a limit is given. */
export function rpcTo(url: string, { timeoutMs }: { timeoutMs?: number } = {}): ParsedCall {
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
