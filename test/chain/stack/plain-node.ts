import { onTestFinished } from 'vitest'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'

/** A node in front of an anvil that does not let itself be told what no public node would be. */
export async function startPlainNode(anvilUrl: string): Promise<{ url: string }> {
  const { url, close } = await startLoopbackServer(async (request, response) => {
    const body = await textOf(request)
    const { id, method } = JSON.parse(body)
    response.setHeader('content-type', 'application/json')
    if (method === 'web3_clientVersion') {
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: 'RskJ/9.1.0/Linux/Java17' }))
    } else if (/^(anvil|evm|hardhat|debug)_/.test(method)) {
      const error = { code: -32601, message: 'method not found' }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
    } else {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(anvilUrl, { method: 'POST', headers, body })
      response.end(await answer.text())
    }
  })
  onTestFinished(close)
  return { url }
}
