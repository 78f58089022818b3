import { z } from 'zod'
import { RpcError } from '../../src/chain/rpc.ts'
import { post } from './post.ts'

/**
 * Calls of one node or service.
 *
 * @throws {RpcError} the error object that it answered with
 */
export type RpcCall = (method: string, params?: readonly unknown[]) => Promise<unknown>

const answerSchema = z.looseObject({
  result: z.unknown().optional(),
  error: z
    .looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
})

const batchSchema = z.array(answerSchema.extend({ id: z.number() }))

/** An answer as it came, with what stands beside result and error. */
export type RpcAnswer = z.infer<typeof answerSchema>

/** One JSON-RPC call over HTTP: the status and the answer, whatever it says. */
export async function exchange(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  signal?: AbortSignal,
): Promise<{ status: number; answer: RpcAnswer }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal === undefined ? {} : { signal }),
  })
  return { status: response.status, answer: answerSchema.parse(await response.json()) }
}

/** Asks what listens at this address of this machine. */
export function rpcTo(url: string): RpcCall {
  return async (method, params = []) => {
    const { text } = await post(url, requestOf(1, { method, params }))
    return resultOf(answerSchema.parse(JSON.parse(text)))
  }
}

/** Asks the same many things in one request. The results are in the order of the calls. */
export async function askAll(
  url: string,
  calls: readonly { method: string; params: readonly unknown[] }[],
): Promise<unknown[]> {
  const { text } = await post(url, `[${calls.map((call, id) => requestOf(id, call))}]`)
  const answers = batchSchema.parse(JSON.parse(text))
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  return calls.map((_, id) => resultOf(byId.get(id) ?? {}))
}

function requestOf(
  id: number,
  { method, params }: { method: string; params: readonly unknown[] },
): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** @throws {RpcError} the error object that was answered with */
export function resultOf({ error, result }: RpcAnswer): unknown {
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
  return result
}
