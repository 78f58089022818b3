#!/usr/bin/env bash
# Package: viem 2.57.1, `waitForTransactionReceipt`.
# Behaviour: at a block without the transaction it asks for that block, to find out whether the
# transaction was replaced, and ignores new blocks until the answer is there. It asks for the receipt
# at the next block only. So on a chain that makes a block for each transaction and no other, as anvil
# does, it waits in vain if the transaction comes into its block meanwhile: the receipt is there, and
# it ends with a timeout. With `checkReplacement: false` it asks at each block, and finds the receipt.
# The server is a few lines that answer as a node does, the question for the block after 300 ms.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund viem@2.57.1 >/dev/null
cat > run.mjs <<'JS'
import { createPublicClient, custom } from 'viem'
const hash = `0x${'12'.repeat(32)}`
const block = `0x${'34'.repeat(32)}`
const from = `0x${'56'.repeat(20)}`
const transaction = { hash, from, to: from, nonce: '0x0', value: '0x0', input: '0x', gas: '0x5208', gasPrice: '0x1', type: '0x0', v: '0x1b', r: '0x1', s: '0x1' }
const place = (isMined) => isMined ? { blockHash: block, blockNumber: '0x2', transactionIndex: '0x0' } : { blockHash: null, blockNumber: null, transactionIndex: null }
const receipt = { ...place(true), transactionHash: hash, from, to: from, status: '0x1', type: '0x0', gasUsed: '0x5208', cumulativeGasUsed: '0x5208', effectiveGasPrice: '0x1', contractAddress: null, logs: [], logsBloom: `0x${'00'.repeat(256)}` }
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
for (const checkReplacement of [true, false]) {
  let isMined = false
  const mine = () => setTimeout(() => { isMined = true }, 100)
  if (!checkReplacement) mine()
  const request = async ({ method }) => {
    switch (method) {
      case 'eth_blockNumber': return isMined ? '0x2' : '0x1'
      case 'eth_getTransactionByHash': return { ...transaction, ...place(isMined) }
      case 'eth_getTransactionReceipt': return isMined ? receipt : null
      case 'eth_getBlockByNumber':
        mine()
        await sleep(300)
        return { hash: block, number: '0x1', transactions: [] }
    }
    throw new Error(method)
  }
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const waited = client.waitForTransactionReceipt({ hash, checkReplacement, pollingInterval: 10, timeout: 2_000 })
  const seen = await waited.then(({ status }) => status, ({ name }) => name)
  console.log(`checkReplacement ${checkReplacement}: ${seen}, and the receipt is ${isMined ? 'there' : 'not there'}`)
}
JS
node run.mjs | tee seen
diff seen - <<'SEEN'
checkReplacement true: WaitForTransactionReceiptTimeoutError, and the receipt is there
checkReplacement false: success, and the receipt is there
SEEN
