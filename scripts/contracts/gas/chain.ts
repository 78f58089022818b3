import {
  type Address,
  createPublicClient,
  type Hex,
  http,
  keccak256,
  type PrivateKeyAccount,
  parseEther,
  parseGwei,
  size,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import type { RawLog } from '../../../src/relay/forwarder/requests.ts'
import { devKey, startAnvil } from '../../dev/anvil.ts'
import { type RpcCall, rpcTo } from '../../dev/rpc.ts'
import { until } from '../../dev/wait.ts'
import { type Price, priceOnRootstock, type Step, stateBefore } from './reprice.ts'

/** A transaction to send. It is signed here, so that each chain gets the same bytes. */
export type Call = { from: PrivateKeyAccount; to?: Address; data: Hex; value?: bigint }

export type Mined = {
  hash: Hex
  gasUsed: number
  contract: Address | undefined
  logs: readonly RawLog[]
}

/** A development chain that can be asked for all that is measured: anvil, or RSKj with its `evm_` methods. */
export type MeasuredChain = {
  /** Unix seconds that requests are made up with; blocks are some seconds later. */
  now: () => number
  send: (call: Call) => Promise<Mined>
  pass: (seconds: number) => Promise<void>
  /** Undoes what is sent meanwhile. */
  undoing: <T>(measure: () => Promise<T>) => Promise<T>
  /** Only of a chain that traces as geth does. */
  rootstockPrice: (hash: Hex, call: Call) => Promise<Price>
  stop: () => Promise<void>
}

const deploymentGas = 6_500_000
/** Of a call, and more for each byte of its data: what a batch needs grows with its requests. */
const [callGas, gasPerByte] = [400_000, 650]
const gasPrice = parseGwei('2')
const minedReceipt = z.object({
  status: z.string(),
  gasUsed: z.string(),
  contractAddress: z.custom<Address>().nullish(),
  logs: z.array(z.custom<RawLog>()),
})
const block = z.object({ timestamp: z.string() })
const receipt = minedReceipt.nullable()
const traced = z.object({ structLogs: z.array(z.custom<Step>()) })

/** An account that has nothing on any chain before, the same in each run. */
export function accountOf(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(`gas of ${name}`)))
}

/** An anvil of its own, a minute after the hour's begin: what is measured is measured within one hour. */
export async function startMeasuredAnvil(start: number): Promise<MeasuredChain> {
  // Blocks come when they are asked for alone: a miner of anvil's own may hold a transaction that was mined by
  // then, and mine it once more after it was undone.
  const args = ['--no-mining', '--steps-tracing', '--timestamp', `${start}`]
  const anvil = await startAnvil({ args })
  return openChain(anvil.url, start, anvil.stop)
}

/** A node that is running, set to the next hour's begin. What is sent to it is undone at the end. */
export async function openMeasuredNode(url: string): Promise<MeasuredChain> {
  const rpc = rpcTo(url)
  const goBack = await snapshotOf(rpc)
  const start = (Math.floor((await newestTime(rpc)) / 3_600) + 1) * 3_600 + 60
  await advanceTo(rpc, start)
  return openChain(url, start, goBack)
}

/** Takes the chain back to where it is now. */
async function snapshotOf(rpc: RpcCall): Promise<() => Promise<void>> {
  const snapshot = await rpc('evm_snapshot', [])
  return async () => {
    const isBack = await rpc('evm_revert', [snapshot])
    if (isBack !== true) throw new Error('a node did not go back to a snapshot')
  }
}

function openChain(url: string, start: number, stop: () => Promise<void>): MeasuredChain {
  const rpc = rpcTo(url)
  let now = start
  return {
    now: () => now,
    send: (call) => send(url, rpc, call),
    pass: async (seconds) => {
      now += seconds
      await advanceTo(rpc, now)
    },
    undoing: async (measure) => {
      const goBack = await snapshotOf(rpc)
      try {
        return await measure()
      } finally {
        await goBack()
      }
    },
    rootstockPrice: (hash, call) => rootstockPrice(rpc, hash, call),
    stop,
  }
}

/**
 * A block of this time, or a second later. The clock is asked how far it is ahead of this machine's: RSKj's
 * is behind its newest block once a snapshot was gone back to.
 */
async function advanceTo(rpc: RpcCall, time: number): Promise<void> {
  const ahead = Number(await rpc('evm_increaseTime', ['0x1']))
  const missing = time - Math.floor(Date.now() / 1_000) - ahead
  if (missing > 0) await rpc('evm_increaseTime', [toHex(missing)])
  // A miner may have begun a block before that.
  await until(async () => {
    await rpc('evm_mine', [])
    return (await newestTime(rpc)) >= time
  })
}

async function newestTime(rpc: RpcCall): Promise<number> {
  return Number(block.parse(await rpc('eth_getBlockByNumber', ['latest', false])).timestamp)
}

/** Pays each new sender from the development account first. */
async function send(url: string, rpc: RpcCall, call: Call): Promise<Mined> {
  const client = createPublicClient({ transport: http(url) })
  const funder = privateKeyToAccount(devKey)
  if (call.from.address !== funder.address) {
    const balance = await client.getBalance({ address: call.from.address })
    if (balance < parseEther('50')) {
      const { address } = call.from
      await send(url, rpc, { from: funder, to: address, data: '0x', value: parseEther('200') })
    }
  }
  const nonce = await client.getTransactionCount({ address: call.from.address })
  const { from, to, data, value = 0n } = call
  const callLimit = callGas + size(data) * gasPerByte
  // An RSKj counts what a transaction may take, and lets each account have so much a second.
  const gas = BigInt(to === undefined ? deploymentGas : Math.min(callLimit, deploymentGas))
  const serializedTransaction = await from.signTransaction({
    ...{ type: 'legacy', chainId: 31, nonce, gasPrice, gas, data, value },
    ...(to === undefined ? {} : { to }),
  })
  const hash = await offer(rpc, serializedTransaction)
  await rpc('evm_mine', [])
  const { status, gasUsed, contractAddress, logs } = await receiptOf(rpc, hash)
  if (status !== '0x1') throw new Error(`a transaction to ${to} failed`)
  return { hash, gasUsed: Number(gasUsed), contract: contractAddress ?? undefined, logs }
}

/** Again while an RSKj says that the account has used up its gas for now; a new one has little. */
async function offer(rpc: RpcCall, transaction: Hex): Promise<Hex> {
  let hash: Hex | undefined
  await until(
    async () => {
      try {
        hash = z
          .templateLiteral(['0x', z.string()])
          .parse(await rpc('eth_sendRawTransaction', [transaction]))
      } catch (cause) {
        if (!String(cause).includes('account exceeds quota')) throw cause
      }
      return hash !== undefined
    },
    { everyMs: 500, withinMs: 300_000 },
  )
  if (hash === undefined) throw new Error('a node took a transaction and named no hash')
  return hash
}

/** Not by viem, which remembers the newest block that it has seen: one may have been undone. */
async function receiptOf(rpc: RpcCall, hash: Hex): Promise<z.output<typeof minedReceipt>> {
  let found: z.output<typeof receipt> = null
  await until(async () => {
    found = receipt.parse(await rpc('eth_getTransactionReceipt', [hash]))
    return found !== null
  })
  return minedReceipt.parse(found)
}

async function rootstockPrice(rpc: RpcCall, hash: Hex, { to, data }: Call): Promise<Price> {
  if (to === undefined) throw new Error('a deployment is not measured')
  const options = { disableStorage: true, enableMemory: false }
  const before = await rpc('debug_traceTransaction', [hash, { tracer: 'prestateTracer' }])
  const { structLogs } = traced.parse(await rpc('debug_traceTransaction', [hash, options]))
  return priceOnRootstock({ to, data, steps: structLogs, before: stateBefore.parse(before) })
}
