#!/usr/bin/env bash
# Packages: web3 4.16.0 over WebSocket, and ws 8.21.0 as a node that answers from a script.
# Behaviour: with the last confirmation web3 ends its own subscription by `eth_unsubscribe`, and
# catches nothing of that question. If the connection closes before the answer, also by web3's own
# `disconnect()`, a rejection is left over that no caller can catch: Node's default is to end the
# program, long after the payment's promise was kept. `safeDisconnect()` waits for the answer.
set -euo pipefail
dir=$(mktemp -d); cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts web3@4.16.0 ws@8.21.0 >/dev/null
cat > run.mjs <<'JS'
import { once } from 'node:events'
import { Web3 } from 'web3'
import { WebSocketServer } from 'ws'
const [way, hash, other] = [process.argv[2], `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
const address = `0x${'33'.repeat(20)}`
const receipt = { transactionHash: hash, blockHash: other, blockNumber: '0x1', transactionIndex: '0x0', from: address, to: address, status: '0x1', gasUsed: '0x5208', cumulativeGasUsed: '0x5208', logs: [], logsBloom: `0x${'00'.repeat(256)}` }
const head = { number: '0x1', hash: other, parentHash: hash }
const results = { eth_sendTransaction: hash, eth_getTransactionReceipt: receipt, eth_subscribe: '0x7', eth_chainId: '0x1f', eth_gasPrice: '0x1', eth_estimateGas: '0x5208' }
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
await once(server, 'listening')
let asked
const unsubscribing = new Promise((resolve) => { asked = resolve })
server.on('connection', (socket) => socket.on('message', (data) => {
  const { id, method } = JSON.parse(`${data}`)
  const answer = () => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? true }))
  if (method === 'eth_unsubscribe') {
    asked()
    return setTimeout(answer, 300)
  }
  answer()
  if (method !== 'eth_subscribe') return
  const params = { subscription: '0x7', result: head }
  setTimeout(() => socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })), 100)
}))
const left = []
process.on('unhandledRejection', (error) => left.push(error.name))
const web3 = new Web3(`ws://127.0.0.1:${server.address().port}`)
web3.setConfig({ transactionConfirmationBlocks: 1 })
const sending = web3.eth.sendTransaction({ from: address, to: address, value: 1, gas: 21000, gasPrice: 1 })
sending.on('confirmation', () => {})
const { status } = await sending
await unsubscribing
if (way === 'disconnect') web3.provider.disconnect()
else await web3.provider.safeDisconnect(1000, '', false, 50)
await new Promise((resolve) => setTimeout(resolve, 600))
console.log(`${way}: status ${status}, left over: ${left.join() || 'nothing'}`)
process.exit(0)
JS
for way in disconnect safeDisconnect; do node run.mjs "$way" 2>/dev/null; done | tee seen
diff seen - <<'SEEN'
disconnect: status 1, left over: ConnectionNotOpenError
safeDisconnect: status 1, left over: nothing
SEEN
rm -rf "$dir"
