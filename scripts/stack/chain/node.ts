import { createPublicClient, http } from 'viem'
import { z } from 'zod'
import { type Chain, chains, usualMaxGasPriceWei } from '../../../src/chain/chains.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { createRpcCall, type ParsedCall } from '../../dev/rpc.ts'
import { StackError } from '../report.ts'

/** Describes the chain behind a stack for the stack's tools. */
export type ChainNode = Exclude<Awaited<ReturnType<typeof inspectNode>>, string>

/** Takes the first node that answers. @throws {StackError} none does, or one has another chain */
export async function openNode(urls: readonly string[], chainId: Chain['id']): Promise<ChainNode> {
  const findings = await Promise.all(urls.map((url) => inspectNode(url, chainId)))
  const first = findings.find((each) => typeof each !== 'string')
  if (first === undefined) throw new StackError(`No node answers at ${findings.join(', ')}.`)
  return first
}

/** Looks what a node is; says in words why it does not answer. */
async function inspectNode(url: string, chainId: Chain['id']) {
  const call = createNodeCall(url)
  try {
    const served = await call('eth_chainId', [], quantity)
    if (served !== chainId) {
      throw new StackError(
        `The node at ${withoutKey(url)} serves chain ${served}, not ${chainId}: name another one in NODE_URL, or its chain (CHAIN_ID, --network).`,
      )
    }
    const genesis = await call('eth_getBlockByNumber', ['0x0', false], blockHead)
    const chain: Chain = chains[chainId]
    const isAnvil = await call('anvil_nodeInfo').then(
      () => true,
      (error) => {
        if (error instanceof RpcError) return false
        throw error
      },
    )
    // What viem keeps of a block number for some seconds is of before the last transaction.
    const client = createPublicClient({ transport: http(url), cacheTime: 0, pollingInterval: 100 })
    /** Money costs nothing on an anvil, local or not. */
    return { url, chain, genesis: genesis.hash, isAnvil, client }
  } catch (error) {
    if (error instanceof StackError) throw error
    return `${withoutKey(url)} (${describeFault(error)})`
  }
}

/** Hides path and query of a node's address, which may hold its key. */
export function withoutKey(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}

function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'no answer in time'
  const cause = error.cause
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof z.ZodError || error instanceof SyntaxError
    ? 'it is not a JSON-RPC node'
    : error.message
}

export function createNodeCall(url: string, { timeoutMs = 10_000 } = {}): ParsedCall {
  return createRpcCall(url, { timeoutMs })
}

export const quantity = z.templateLiteral(['0x', z.string()]).transform(Number)

export const blockHead = z.object({ number: quantity, hash: z.templateLiteral(['0x', z.string()]) })

/** Returns the environment's highest price of gas, in wei. @throws {StackError} */
export function readMaxGasPrice(env: NodeJS.ProcessEnv): bigint | undefined {
  const value = env.MAX_GAS_PRICE_WEI
  if (!value) return undefined
  if (/^\d{1,30}$/.test(value)) return BigInt(value)
  throw new StackError('MAX_GAS_PRICE_WEI is not a number of wei.')
}

/** Returns the highest gas price of a chain: the set one, or the relay's default. */
export const maxGasPrice = (setWei: bigint | undefined, { isAnvil }: { isAnvil: boolean }) =>
  setWei ?? usualMaxGasPriceWei[isAnvil ? 'anvil' : 'rootstock']

/** Explains why the node's price is too high; undefined if it is not. */
export function priceObstacle(maxWei: bigint, nodePriceWei: bigint): string | undefined {
  return nodePriceWei > maxWei
    ? `the node asks ${nodePriceWei} wei for a unit of gas, and MAX_GAS_PRICE_WEI is ${maxWei}`
    : undefined
}
