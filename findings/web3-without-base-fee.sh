#!/usr/bin/env bash
# Packages: web3 4.16.0 and @foundry-rs/anvil 1.7.1 as a chain without base fee (hardfork Berlin), as
# Rootstock is.
# Behaviour: with its defaults web3 cannot send there. It makes a transaction of type 2 for a local
# account without looking for a base fee, then refuses its own choice with Eip1559NotSupportedError.
# It sends once it is told `defaultHardfork: 'berlin', defaultTransactionType: '0x0'`.
set -euo pipefail
dir=$(mktemp -d); cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts web3@4.16.0 @foundry-rs/anvil@1.7.1 >/dev/null
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { Web3 } from 'web3'
const port = await new Promise((done) => { const s = createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)) }) })
const anvil = spawn(process.argv[2], ['--port', port, '--silent', '--chain-id', '31', '--hardfork', 'berlin'], { stdio: 'ignore' })
process.on('exit', () => anvil.kill())
const web3 = new Web3(`http://127.0.0.1:${port}`)
for (let turn = 0; ; turn++) {
  try { await web3.eth.getChainId(); break } catch (error) { if (turn > 300) throw error; await new Promise((r) => setTimeout(r, 100)) }
}
console.log('baseFeePerGas', (await web3.eth.getBlock('latest')).baseFeePerGas)
const [funded] = await web3.eth.getAccounts()
const account = web3.eth.accounts.create()
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params: [account.address, '0xde0b6b3a7640000'] })
await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
web3.eth.accounts.wallet.add(account)
const send = async (name) => {
  try {
    const { status, type } = await web3.eth.sendTransaction({ from: account.address, to: funded, value: 1 })
    console.log(name, `status ${status} type ${type}`)
  } catch (error) { console.log(name, error.name) }
}
await send('defaults:')
web3.setConfig({ defaultHardfork: 'berlin', defaultTransactionType: '0x0' })
await send('told so:')
process.exit(0)
JS
node run.mjs "$(find node_modules/@foundry-rs -path '*anvil-*/bin/anvil*' -type f | head -1)" 2>/dev/null | tee seen
diff seen - <<'SEEN'
baseFeePerGas undefined
defaults: Eip1559NotSupportedError
told so: status 1 type 0
SEEN
rm -rf "$dir"
