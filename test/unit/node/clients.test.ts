import { ethers } from 'ethers'
import { createClient, type Hex, http, keccak256, numberToHex, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sendTransaction } from 'viem/actions'
import { rootstockTestnet } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { Web3 } from 'web3'
import { type Served, serve } from '../../chain/node/support/serve.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { type Forged, forge, showing } from '../../support/rskj-node/forge.ts'
import { readPairs } from '../../support/rskj-node/recording.ts'

const privateKey = `0x${'05'.repeat(32)}` as const
const account = privateKeyToAccount(privateKey)
const from = account.address.toLowerCase() as Hex
const to = `0x${'ab'.repeat(20)}` as const
const data = numberToHex(7, { size: 32 })

/** Serves a node that has these blocks, and mines what it is sent, each time with a log. */
async function serveMiner(blocks: Forged[], fields: object = {}) {
  const sentTypes: string[] = []
  const shown = () => blocks.map((block) => ({ ...block, ...fields }))
  const node = showing(shown, {
    eth_sendRawTransaction([raw]) {
      const hash = keccak256(raw as Hex)
      const logs = [{ address: to, topics: [], data }]
      const sent = [{ hash, raw: raw as Hex, from, status: '0x1' as const, logs }]
      blocks.push(forge(blocks.at(-1), { sent }))
      sentTypes.push(`${blocks.at(-1)?.receipts[0]?.type}`)
      return hash
    },
    eth_getTransactionByHash: ([hash]) =>
      blocks.flatMap(({ transactions }) => transactions).find((one) => one.hash === hash) ?? null,
    eth_getLogs: ([filter]) =>
      blocks
        .filter(({ hash }) => hash === Object(filter).blockHash)
        .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs)),
    eth_getBalance: () => numberToHex(10n ** 18n),
    eth_estimateGas: () => '0x5208',
    eth_gasPrice: () => '0x3938700',
  })
  const mining = { minDifficulty: 1n, from: 1 }
  return {
    ...(await serve(['http://rskj.test/'], 31, node, createHandClock(), { mining })),
    sentTypes,
  }
}

/** What a client reads: the hash and the sender; the block's transactions, and its logs. */
type Read = { hash: string; from: string; isMined: boolean; hashes: string[]; logs: unknown[] }
type Client = { send: () => Promise<string>; read: (hash: string) => Promise<Read> }

const hashesOf = (transactions: readonly unknown[]) => transactions.map((one) => Object(one).hash)

/** Connects each client as its makers have it, without a setting of its own. */
const clients: Record<string, (served: Served) => Client> = {
  viem({ url, fetch: fetchFn }) {
    const transport = http(url, { fetchFn: fetchFn as typeof fetch })
    const options = { account, chain: rootstockTestnet, transport, pollingInterval: 5 }
    const client = createClient(options).extend(publicActions)
    return {
      send: () => sendTransaction(client, { to, value: 1n }),
      async read(text) {
        const hash = text as Hex
        const { status, blockHash } = await client.waitForTransactionReceipt({ hash })
        const { transactions } = await client.getBlock({ blockHash, includeTransactions: true })
        const logs = await client.getLogs({ blockHash })
        const rest = { isMined: status === 'success', hashes: hashesOf(transactions), logs }
        return { ...(await client.getTransaction({ hash })), ...rest }
      },
    }
  },
  ethers({ url, fetch }) {
    const request = new ethers.FetchRequest(url)
    request.getUrlFunc = async ({ method, headers, body }) => {
      const response = await fetch(url, { method, headers, body: Buffer.from(body ?? []) })
      const bytes = new Uint8Array(await response.arrayBuffer())
      return { statusCode: response.status, statusMessage: '', headers: {}, body: bytes }
    }
    const provider = new ethers.JsonRpcProvider(request, 31, {
      staticNetwork: true,
      pollingInterval: 5,
    })
    const wallet = new ethers.Wallet(privateKey, provider)
    return {
      send: async () => (await wallet.sendTransaction({ to, value: 1n })).hash,
      async read(hash) {
        const { blockHash = '', status } = (await provider.waitForTransaction(hash)) ?? {}
        const block = await provider.getBlock(blockHash, true)
        const hashes = hashesOf(block?.prefetchedTransactions ?? [])
        const sender = (await provider.getTransaction(hash))?.from ?? ''
        const logs = await provider.getLogs({ blockHash })
        return { hash, from: sender, isMined: status === 1, hashes, logs }
      },
    }
  },
  'web3.js'({ post }) {
    const request = async (call: unknown) => await (await post(JSON.stringify(call))).json()
    const { eth } = new Web3({ request } as never)
    eth.accounts.wallet.add(privateKey)
    return {
      send: async () => `${(await eth.sendTransaction({ from, to, value: 1 })).transactionHash}`,
      async read(hash) {
        const { blockHash, status } = await eth.getTransactionReceipt(hash)
        const { transactions } = await eth.getBlock(blockHash, true)
        const { from: sender } = await eth.getTransaction(hash)
        const logs = await eth.getPastLogs({ blockHash: `${blockHash}` } as never)
        const rest = { isMined: status === 1n, hashes: hashesOf(transactions), logs }
        return { hash, from: `${sender}`, ...rest }
      },
    }
  },
}

describe.each([
  ['without a base fee', {}, { viem: '0x0', ethers: '0x0', 'web3.js': undefined }],
  ['with one of 0', { baseFeePerGas: '0x0' }, { viem: '0x2', ethers: '0x0', 'web3.js': '0x2' }],
] as const)('on blocks %s', (_, fields, types) => {
  test.for(Object.entries(types))('%s with its defaults sends, waits and reads', async (row) => {
    const [name, type] = row
    const served = await serveMiner([forge(undefined, {})], fields)
    const client = clients[name]?.(served) as Client
    // Here web3.js needs settings, as docs/node-service.md says.
    if (type === undefined) return await expect(client.send()).rejects.toThrow('eip-1559')
    const hash = await client.send()
    const { logs, ...read } = await client.read(hash)
    expect(served.sentTypes).toEqual([type])
    expect({ ...read, from: read.from.toLowerCase() }).toMatchObject({
      hash,
      from,
      isMined: true,
      hashes: [hash],
    })
    expect(logs).toEqual([expect.objectContaining({ data })])
    expect(served.logged).toEqual([])
  })
})

type Pair = { method: string; result: Forged & Forged['receipts'][number] }

test.for(Object.keys(clients))(
  '%s reads transactions of each type as RSKj has them',
  async (name) => {
    const pairs = readPairs<Pair>('rskip546-typed-transactions')
    const resultsOf = (wanted: string) =>
      pairs.flatMap((pair) => (pair.method === wanted ? pair.result : []))
    const receipts = resultsOf('eth_getTransactionReceipt')
    const blocks = resultsOf('eth_getBlockByHash').map((block) => {
      return { ...block, receipts: receipts.filter(({ blockHash }) => blockHash === block.hash) }
    })
    const served = await serveMiner(blocks)
    const client = clients[name]?.(served) as Client
    for (const { transactions, receipts: own } of blocks) {
      for (const { hash, from: sender } of transactions) {
        const { logs, ...read } = await client.read(hash)
        expect(read.from.toLowerCase()).toBe(sender)
        expect(read).toMatchObject({ hash, hashes: transactions.map((one) => one.hash) })
        expect(logs).toHaveLength(own.flatMap((one) => one.logs).length)
      }
    }
    expect(served.logged).toEqual([])
  },
)
