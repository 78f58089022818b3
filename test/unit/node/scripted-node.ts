export type Request = { id: number; method: string; params: readonly unknown[] }

/** What a node says: a result, or an error object. */
export type Said =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }

/** A node on chain 31 that answers from a function; what the function leaves out is `null`. */
export function scriptedNode(
  client: string,
  say: (request: Request) => Said | undefined,
): typeof fetch {
  return async (_, init) => {
    const asked = JSON.parse(`${init?.body}`) as Request | Request[]
    const answer = (request: Request) => {
      const { id, method } = request
      if (method === 'eth_chainId') return { jsonrpc: '2.0', id, result: '0x1f' }
      if (method === 'web3_clientVersion') return { jsonrpc: '2.0', id, result: client }
      return { jsonrpc: '2.0', id, ...(say(request) ?? { result: null }) }
    }
    return Response.json(Array.isArray(asked) ? asked.map(answer) : answer(asked))
  }
}
