#!/usr/bin/env bash
# Package: @foundry-rs/anvil 1.7.1 (its binary says 1.7.1).
# Behaviour: trace_block refuses the hash of a block that it has, and trace_filter refuses the tag
# `latest`; both take a number in hex, though clients of the trace module send either.
set -euo pipefail
dir=$(mktemp -d); cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @foundry-rs/anvil@1.7.1 >/dev/null
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
const port = await new Promise((done) => { const s = createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)) }) })
const [, , binary] = process.argv
const anvil = spawn(binary, ['--port', port, '--silent'], { stdio: 'ignore' })
process.on('exit', () => anvil.kill())
const ask = async (method, ...params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return reply.json()
}
for (let turn = 0; ; turn++) {
  try { await ask('eth_chainId'); break } catch (error) { if (turn > 300) throw error; await new Promise((r) => setTimeout(r, 100)) }
}
const [from, to] = (await ask('eth_accounts')).result
await ask('eth_sendTransaction', { from, to, value: '0x1' })
const { hash, number } = (await ask('eth_getBlockByNumber', 'latest', false)).result
const say = (name, { result, error }) => console.log(name, error ? `${error.code} ${error.message}` : Array.isArray(result) ? `${result.length} traces` : result)
say('trace_block by number', await ask('trace_block', number))
say('trace_block by hash', await ask('trace_block', hash))
say('trace_filter by number', await ask('trace_filter', { fromBlock: number, toBlock: number }))
say('trace_filter by tag', await ask('trace_filter', { fromBlock: 'latest', toBlock: 'latest' }))
console.log('eth_getBlockByHash', (await ask('eth_getBlockByHash', hash, false)).result.hash === hash)
process.exit(0)
JS
node run.mjs "$(find node_modules/@foundry-rs -path '*anvil-*/bin/anvil*' -type f | head -1)" | tee seen
diff seen - <<'SEEN'
trace_block by number 1 traces
trace_block by hash -32602 number too large to fit in target type
trace_filter by number 1 traces
trace_filter by tag -32602 invalid value: string "latest", expected a 8 byte hex string
eth_getBlockByHash true
SEEN
rm -rf "$dir"
