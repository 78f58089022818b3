import { type Rpc, RpcError } from '../chain/rpc.ts'
import { codes } from './codes.ts'
import type { Context } from './method.ts'
import { methods } from './methods.ts'
import { createUpstream } from './upstream.ts'
import { createUpstreams } from './upstreams.ts'

/** The node service of one network. */
export type NodeService = {
  readonly chainId: number
  /** For callers in the same process: no envelope, no key, no quota; everything else as over HTTP. */
  readonly request: Rpc
  /**
   * The answer as JSON text.
   *
   * @throws {RpcError} the answer is this error object
   * @throws {TransportError} no node gave an answer
   */
  readonly answer: (
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ) => Promise<string>
}

export type NodeServiceDeps = {
  chainId: number
  /** The nodes, the preferred first. */
  urls: readonly string[]
  fetch: typeof globalThis.fetch
}

const byName = new Map(methods.map((method) => [method.name, method]))

/** Serves the listed methods from the given nodes. */
export function createNodeService({ chainId, urls, fetch }: NodeServiceDeps): NodeService {
  const upstreams = createUpstreams(
    urls.map((url, index) => createUpstream({ name: `node ${index + 1}`, url, fetch })),
  )

  const request: Rpc = async (name, params, { signal }) => {
    const method = byName.get(name)
    if (method === undefined) throw new RpcError(codes.methodNotFound, 'method not found')
    const context: Context = {
      chainId,
      ask: (work) => upstreams.ask(work, signal),
      send: (raw) => upstreams.send(raw, signal),
    }
    return await method.call(method.parse(params), context)
  }

  return {
    chainId,
    request,
    async answer(method, params, signal) {
      return JSON.stringify(await request(method, params, { signal }))
    },
  }
}
