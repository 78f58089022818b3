import { RpcError, TransportError } from '../chain/rpc.ts'

/** One node behind the service, spoken to by JSON-RPC over HTTP. Its address stays in here. */
export type Upstream = {
  /** What logs and metrics call it: its place in the list. */
  readonly name: string
  /**
   * @throws {RpcError} the node's error object, without its address
   * @throws {TransportError} no answer, or one that is not JSON-RPC
   */
  readonly call: (
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ) => Promise<unknown>
}

/** Answers larger than this are cut off: one bad node must not fill the memory of all. */
const maxAnswerBytes = 64 * 1024 * 1024

/** Speaks to the node at `url`. */
export function createUpstream({
  name,
  url,
  fetch,
}: {
  name: string
  url: string
  fetch: typeof globalThis.fetch
}): Upstream {
  const { host } = new URL(url)
  let lastId = 0

  return {
    name,
    async call(method, params, signal) {
      lastId += 1
      const id = lastId
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const answer = parseAnswer(await post(body, signal), id)
      if ('error' in answer) throw toRpcError(answer.error, host)
      return answer.result
    },
  }

  async function post(body: string, signal: AbortSignal): Promise<string> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
        signal,
      })
      if (Number(response.headers.get('content-length') ?? 0) > maxAnswerBytes) {
        await response.body?.cancel()
        throw new TransportError('the node answered more than is read')
      }
      const text = await response.text()
      if (response.ok || text.startsWith('{')) return text
      throw new TransportError(`the node answered HTTP ${response.status}`)
    } catch (error) {
      if (error instanceof TransportError) throw error
      throw new TransportError('the node could not be reached', { cause: error })
    }
  }
}

type Answer = { result: unknown } | { error: unknown }

function parseAnswer(text: string, id: number): Answer {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (error) {
    throw new TransportError('the node answered something that is not JSON', { cause: error })
  }
  if (typeof answer === 'object' && answer !== null) {
    if ('error' in answer && answer.error) return { error: answer.error }
    if ('result' in answer && 'id' in answer && answer.id === id) return { result: answer.result }
  }
  throw new TransportError('the node answered something that is not JSON-RPC')
}

function toRpcError(error: unknown, host: string): RpcError {
  if (typeof error !== 'object' || error === null) return new RpcError(-32603, 'internal error')
  const code = 'code' in error && Number.isSafeInteger(error.code) ? Number(error.code) : -32603
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'error'
  const data = 'data' in error ? error.data : undefined
  return new RpcError(code, withoutHost(message, host), withoutHost(data, host))
}

/** Some gateways print where they are, or the caller's key, into their errors. */
function withoutHost<T>(value: T, host: string): T | string {
  if (typeof value !== 'string' || !value.includes(host)) return value
  return value.replaceAll(/\S*\/\/\S*/g, 'the node').replaceAll(host, 'the node')
}
