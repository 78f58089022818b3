import { type Address, createPublicClient, http, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import type { RawLog } from '../../../src/relay/forwarder/requests.ts'
import { devKey } from '../../dev/anvil.ts'
import { createRpcCall, type RpcCall } from '../../dev/rpc.ts'
import { until } from '../../dev/wait.ts'
import { offer } from '../../stack/money/treasury.ts'
import { type Call, type MeasuredChain, type Mined, sign } from './chain.ts'

const minedReceipt = z.object({
  status: z.string(),
  gasUsed: z.string(),
  contractAddress: z.custom<Address>().nullish(),
  logs: z.array(z.custom<RawLog>()),
})
const block = z.object({ timestamp: z.string() })

/** Opens a running RSKj and moves it to the next hour. */
export async function openRskj(url: string): Promise<MeasuredChain> {
  const rpc = createRpcCall(url)
  let now = (Math.floor((await newestTime(rpc)) / 3_600) + 1) * 3_600 + 60
  await advanceTo(rpc, now)
  return {
    now: () => now,
    send: (call) => send(url, rpc, call),
    pass: async (seconds) => {
      now += seconds
      await advanceTo(rpc, now)
    },
    undoing: async (measure) => {
      const snapshot = await rpc('evm_snapshot', [])
      const goBack = async () => z.literal(true).parse(await rpc('evm_revert', [snapshot]))
      return measure().finally(goBack)
    },
  }
}

/** Makes a block of this time, since RSKj's clock lags after going back to a snapshot. */
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
  const { address } = call.from
  if (address !== funder.address && (await client.getBalance({ address })) < parseEther('50')) {
    await send(url, rpc, { from: funder, to: address, data: '0x', value: parseEther('200') })
  }
  const nonce = await client.getTransactionCount({ address })
  const hash = await offer(client, await sign(call, nonce))
  await rpc('evm_mine', [])
  const { status, gasUsed, contractAddress, logs } = await receiptOf(rpc, hash)
  if (status !== '0x1') throw new Error(`a transaction to ${call.to} failed`)
  return { gasUsed: Number(gasUsed), contract: contractAddress ?? undefined, logs }
}

/** Not by viem, which remembers the newest block that it has seen: one may have been undone. */
async function receiptOf(rpc: RpcCall, hash: unknown): Promise<z.output<typeof minedReceipt>> {
  let found: unknown
  await until(async () => {
    found = await rpc('eth_getTransactionReceipt', [hash])
    return found !== null
  })
  return minedReceipt.parse(found)
}
