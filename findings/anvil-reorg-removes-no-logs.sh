#!/usr/bin/env bash
# Packages: @foundry-rs/anvil 1.7.1, ws 8.21.0.
# Behaviour: after `anvil_reorg` a subscriber of logs is not told that a log of the replaced block is
# gone: no notification has `removed: true`, as other nodes send. The receipt is gone, and a log of a
# later block arrives, so the subscription works. What follows reorganizations cannot be tested so.
set -euo pipefail
dir=$(mktemp -d); cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @foundry-rs/anvil@1.7.1 ws@8.21.0 >/dev/null
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import WebSocket from 'ws'
const port = await new Promise((done) => { const s = createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)) }) })
const anvil = spawn(process.argv[2], ['--port', port, '--silent'], { stdio: 'ignore' })
process.on('exit', () => anvil.kill())
const open = () => new Promise((done, fail) => { const s = new WebSocket(`ws://127.0.0.1:${port}`); s.on('open', () => done(s)); s.on('error', fail) })
let socket
for (let turn = 0; !socket; turn++) {
  try { socket = await open() } catch (error) { if (turn > 300) throw error; await new Promise((r) => setTimeout(r, 100)) }
}
const waiting = new Map(); const logs = []; let wake = () => {}; let id = 0
socket.on('message', (data) => {
  const message = JSON.parse(data)
  if (message.id) waiting.get(message.id)(message.result)
  else { logs.push(message.params.result); wake() }
})
const ask = (method, ...params) => new Promise((done) => { waiting.set(++id, done); socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params })) })
const logsOf = async (hash) => { while (!logs.some((log) => log.transactionHash === hash)) await new Promise((done) => { wake = done }) }
const [from] = await ask('eth_accounts')
// A contract without dispatch that emits an empty log at each call.
await ask('eth_sendTransaction', { from, data: '0x6005600c60003960056000f360006000a000' })
const to = (await ask('eth_getTransactionReceipt', (await ask('eth_getBlockByNumber', 'latest', false)).transactions[0])).contractAddress
await ask('eth_subscribe', 'logs', { address: to })
const first = await ask('eth_sendTransaction', { from, to })
await logsOf(first)
await ask('anvil_reorg', 1, [])
console.log('receipt of the replaced block:', await ask('eth_getTransactionReceipt', first))
const second = await ask('eth_sendTransaction', { from, to })
await logsOf(second)
console.log('notifications:', logs.length, 'of them removed:', logs.filter((log) => log.removed).length)
process.exit(0)
JS
timeout 120 node run.mjs "$(find node_modules/@foundry-rs -path '*anvil-*/bin/anvil*' -type f | head -1)" | tee seen
diff seen - <<'SEEN'
receipt of the replaced block: null
notifications: 2 of them removed: 0
SEEN
rm -rf "$dir"
