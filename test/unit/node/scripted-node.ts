import type { KeyCheck } from '../../../src/keys/api-keys.ts'
import { serve } from '../../chain/node/support/serve.ts'

export type Request = { id: number; method: string; params: readonly unknown[] }

/** Is a node's answer: a result or an error object. */
export type Said =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }

type Say = (request: Request) => Said | undefined | Promise<Said | undefined>

/** Creates a node that answers by a function. */
export function answeringNode(say: (request: Request) => Said | Promise<Said>): typeof fetch {
  return async (_, init) => {
    const asked = JSON.parse(`${init?.body}`) as Request | Request[]
    const answer = async (request: Request) => {
      return { jsonrpc: '2.0', id: request.id, ...(await say(request)) }
    }
    const answers = await Promise.all([asked].flat().map(answer))
    init?.signal?.throwIfAborted()
    return Response.json(Array.isArray(asked) ? answers : answers[0])
  }
}

/** Creates an RSKj on chain 31 that answers by a function; `null` without an answer. */
export function scriptedNode(say: Say): typeof fetch {
  return answeringNode(async (request) => {
    if (request.method === 'eth_chainId') return { result: '0x1f' }
    if (request.method === 'web3_clientVersion')
      return { result: 'RskJ/9.0.3/Linux/Java17/VETIVER-dev' }
    return (await say(request)) ?? { result: null }
  })
}

/** Starts the service with such a node. */
export const serveScripted = (say: Say, ...clock: Parameters<typeof serve>[3][]) =>
  serve(['http://rskj.test/'], 31, scriptedNode(say), ...clock)

export const error = (code: number, message: string) => ({ error: { code, message } })

/** Holds an unlimited key of chain 31. */
export const granted = {
  kind: 'granted',
  hash: 'hash',
  chainId: 31,
  methods: undefined,
  maxSockets: 10,
  maxSubscriptions: 10,
  spend: async () => undefined,
} satisfies KeyCheck
