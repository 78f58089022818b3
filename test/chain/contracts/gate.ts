import { onTestFinished } from 'vitest'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'

/** Answers a question of JSON-RPC, by the node or otherwise; an empty answer ends the connection. */
export type Through = (
  question: string,
  answer: (question: string) => Promise<string>,
) => Promise<string>

/** A node's address that questions reach through a function of the test. */
export async function openGate(
  nodeUrl: string,
  through: Through,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = await startLoopbackServer(async (request, response) => {
    const answer = await through(await textOf(request), (question) => askNode(nodeUrl, question))
    if (answer === '') return void response.destroy()
    response.setHeader('content-type', 'application/json')
    response.end(answer)
  })
  return { url: server.url, close: server.close }
}

async function askNode(nodeUrl: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(nodeUrl, { method: 'POST', headers, body })
  return response.text()
}

/** Opens when so many wait at it, or have left for good. */
export function barrier(count: number): { wait: () => Promise<void>; leave: () => void } {
  let missing = count
  const opened = Promise.withResolvers<void>()
  const arrive = () => {
    missing--
    if (missing <= 0) opened.resolve()
  }
  return {
    wait: () => {
      arrive()
      return opened.promise
    },
    leave: arrive,
  }
}

/** Opens a node in front of an anvil that does not let itself be told what no public node would be. */
export async function startPlainNode(anvilUrl: string): Promise<{ url: string }> {
  const { url, close } = await openGate(anvilUrl, async (question, answer) => {
    const { id, method } = JSON.parse(question)
    const told = (what: object) => JSON.stringify({ jsonrpc: '2.0', id, ...what })
    if (method === 'web3_clientVersion') return told({ result: 'RskJ/9.1.0/Linux/Java17' })
    const isOfAnvil = /^(anvil|evm|hardhat|debug)_/.test(method)
    const error = { code: -32601, message: 'method not found' }
    return isOfAnvil ? told({ error }) : answer(question)
  })
  onTestFinished(close)
  return { url }
}
