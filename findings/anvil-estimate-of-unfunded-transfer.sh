#!/usr/bin/env bash
# Package: @foundry-rs/anvil 1.7.1.
# Behaviour: eth_estimateGas of a plain transfer that the sender cannot pay answers 0x5208. The same
# estimate with one byte of data, and eth_call of the plain transfer, are refused for want of funds.
# So a wallet's check by estimate passes on anvil and fails on the chain.
set -euo pipefail
dir=$(mktemp -d); cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @foundry-rs/anvil@1.7.1 >/dev/null
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
const port = await new Promise((done) => { const s = createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)) }) })
const anvil = spawn(process.argv[2], ['--port', port, '--silent'], { stdio: 'ignore' })
process.on('exit', () => anvil.kill())
const ask = async (method, ...params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return reply.json()
}
for (let turn = 0; ; turn++) {
  try { await ask('eth_chainId'); break } catch (error) { if (turn > 300) throw error; await new Promise((r) => setTimeout(r, 100)) }
}
const transfer = { from: '0x00000000000000000000000000000000000a11ce', to: '0x0000000000000000000000000000000000000b0b', value: '0xde0b6b3a7640000' }
const say = (name, { result, error }) => console.log(name, error ? `${error.code} ${error.message}` : result)
say('balance', await ask('eth_getBalance', transfer.from, 'latest'))
say('estimate of a plain transfer', await ask('eth_estimateGas', transfer))
say('estimate with a byte of data', await ask('eth_estimateGas', { ...transfer, data: '0x01' }))
say('call of the plain transfer', await ask('eth_call', transfer, 'latest'))
process.exit(0)
JS
node run.mjs "$(find node_modules/@foundry-rs -path '*anvil-*/bin/anvil*' -type f | head -1)" | tee seen
diff seen - <<'SEEN'
balance 0x0
estimate of a plain transfer 0x5208
estimate with a byte of data -32003 Insufficient funds for gas * price + value
call of the plain transfer -32003 Insufficient funds for gas * price + value
SEEN
rm -rf "$dir"
