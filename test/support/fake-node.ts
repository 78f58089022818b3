/** A call to a node. */
export type Call = { id: unknown; method: string; params: readonly unknown[] }

/** A node's answer: a result or an error object. */
export type Said =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }

/**
 * Creates nodes that answer each call by a function, which is told the host that is asked. A
 * response for a call is that to the whole request.
 */
export function answeringNode(say: Say<Said | Response>): typeof fetch {
  return async (input, init) => {
    const asked = JSON.parse(`${init?.body}`) as Call | Call[]
    const host = new URL(`${input}`).hostname
    const calls = [asked].flat()
    const said = await Promise.all(calls.map((call) => say(call, host)))
    init?.signal?.throwIfAborted()
    const response = said.find((one) => one instanceof Response)
    if (response !== undefined) return response
    const answers = said.map((one, index) => ({ ...one, jsonrpc: '2.0', id: calls[index]?.id }))
    return Response.json(Array.isArray(asked) ? answers : answers[0])
  }
}

type Say<Answer> = (call: Call, host: string) => Answer | Promise<Answer>

export type ScriptedSay = Say<Said | Response | undefined>

/** Creates RSKj nodes on chain 31 that answer by a function; `null` without an answer. */
export function scriptedNode(say: ScriptedSay): typeof fetch {
  return answeringNode(async (call, host) => {
    if (call.method === 'eth_chainId') return { result: '0x1f' }
    if (call.method === 'web3_clientVersion')
      return { result: 'RskJ/9.0.3/Linux/Java17/VETIVER-dev' }
    return (await say(call, host)) ?? { result: null }
  })
}

export const error = (code: number, message: string) => ({ error: { code, message } })

/** Changes the result of an answer, unless it is an error or `null`. */
export const changeResult = (said: Said, change: (result: never) => unknown): Said =>
  'error' in said || said.result === null ? said : { result: change(said.result as never) }
