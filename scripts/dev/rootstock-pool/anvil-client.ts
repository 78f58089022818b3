import { RpcError } from '../../../src/chain/rpc.ts'

/** Calls of one anvil. Errors keep their code and data. */
export type AnvilClient = {
  /** @throws {RpcError} the node's error object */
  call(method: string, params?: readonly unknown[]): Promise<unknown>
}

export function createAnvilClient(url: string): AnvilClient {
  let id = 0
  return {
    async call(method, params = []) {
      id += 1
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      })
      const answer = (await response.json()) as {
        result?: unknown
        error?: { code: number; message: string; data?: unknown }
      }
      if (answer.error === undefined) return answer.result
      throw new RpcError(answer.error.code, answer.error.message, answer.error.data)
    },
  }
}
