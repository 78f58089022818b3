import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { createAnswers } from './answers.ts'
import type { Chain, Block as ShownBlock } from './chain.ts'
import type { Pair, Recording } from './recording.ts'

type Request = { id: unknown; method: string; params: readonly unknown[] }
type Answer = Pick<Pair, 'result' | 'error'>

/** A node that answers from a recording. */
export type ReplayNode = {
  fetch: typeof fetch
  /** What it was asked and can neither find in the recording nor tell from the chain in it. */
  unknown: string[]
}

/** Answers what was recorded, and what the recorded chain implies. */
export function replay(recording: Recording): ReplayNode {
  const recorded = new Map(
    recording.pairs.map(({ method, params, result, error }): [string, Answer] => [
      keyOf(method, params),
      error === undefined ? { result } : { error },
    ]),
  )
  const unknown: string[] = []
  const implied = impliedBy(recording)

  async function answer({ id, method, params }: Request) {
    const found = recorded.get(keyOf(method, params)) ?? (await implied(method, params))
    if (found === undefined) unknown.push(keyOf(method, params))
    return { jsonrpc: '2.0', id, ...(found ?? { error: { code: -32603, message: 'unrecorded' } }) }
  }

  return {
    unknown,
    fetch: async (_, init) => {
      const asked = JSON.parse(`${init?.body}`) as Request | Request[]
      return Response.json(
        await (Array.isArray(asked) ? Promise.all(asked.map(answer)) : answer(asked)),
      )
    },
  }
}

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params, inOrder).toLowerCase()}`
}

/** An object's members in the order of their names: clients write them in any. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the blocks, logs and traces of the recording say besides, as the tests' own RSKj answers it. */
function impliedBy(recording: Recording) {
  const { tracesOf } = recording
  const answer = createAnswers(stateIn(recording), chainOf(recording), async (block, { hash }) =>
    tracesOf(block.printed).filter(({ transactionHash }) => transactionHash === hash),
  )
  return async (method: string, params: readonly unknown[]): Promise<Answer | undefined> => {
    if (
      !/^eth_(?:blockNumber|getBlockBy|getLogs|get(?:Code|Balance|Storage|TransactionCount$))|^trace_(?:block|filter)/.test(
        method,
      )
    )
      return undefined
    try {
      const result = await answer(method, params)
      return result === undefined || result === null ? undefined : { result }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { error: { code: error.code, message: error.message } }
    }
  }
}

/** The recorded chain, as far as it is asked for. */
function chainOf({ blocks, logs }: Recording): Chain {
  const shown = blocks.map((printed) => ({
    number: Number(printed.number),
    hash: printed.hash,
    printed,
    receipts: [{ logs: logs.filter(({ blockHash }) => blockHash === printed.hash) }],
  })) as unknown as ShownBlock[]
  return {
    follow: async () => {},
    head: () => shown.at(-1) as ShownBlock,
    at: (number) => shown[number],
    byHash: (hash) => shown.find((block) => block.hash === hash),
    receipt: () => undefined,
  }
}

/** State that was recorded under a block's hash is its state under the block's number too. */
function stateIn({ pairs, blocks }: Recording): RpcCall {
  const numberOf = (selector: unknown) => {
    const { blockHash = selector } = Object(selector)
    return blocks.find(({ number, hash }) => number === blockHash || hash === blockHash)?.number
  }
  return async (method, params = []) => {
    const [number, ...asked] = params.toReversed()
    const same = pairs.find((pair) => {
      const [selector, ...others] = pair.params.toReversed()
      const isSame = pair.method === method && JSON.stringify(others) === JSON.stringify(asked)
      return isSame && pair.result && numberOf(selector) === number
    })
    if (same !== undefined) return same.result
    // Nobody ever paid such an account.
    const isStranger = !JSON.stringify(blocks).includes(`${asked.at(-1)}`)
    return method === 'eth_getBalance' && isStranger ? '0x0' : undefined
  }
}
