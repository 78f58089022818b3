import { type Hex, size, toRlp } from 'viem'
import * as z from 'zod/mini'
import { classifyRefusal, parseRevertReason } from '../../chain/refusals.ts'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import {
  addressParam,
  data,
  dataParam,
  hashParam,
  quantity,
  quantityParam,
  type Selector,
  stateBlockParam,
  toQuantity,
} from '../objects/values.ts'
import { readAtBlock, readStateAt, wrapBareHash } from '../reads/at-block.ts'
import { nullIfRefused } from '../reads/lookup.ts'
import { readMinedBlock } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { defineMethod } from './method.ts'

const accessListParam = z.nullish(
  z.array(z.looseObject({ address: addressParam, storageKeys: z.nullish(z.array(hashParam)) }), {
    error: 'must be a list of addresses and their storage keys',
  }),
)

const simulatedCall = z
  .looseObject(
    {
      from: z.nullish(addressParam),
      to: z.nullish(addressParam),
      gas: z.nullish(quantityParam),
      gasPrice: z.nullish(quantityParam),
      value: z.nullish(quantityParam),
      data: z.nullish(dataParam),
      input: z.nullish(dataParam),
      maxFeePerGas: z.nullish(quantityParam),
      maxPriorityFeePerGas: z.nullish(quantityParam),
      accessList: accessListParam,
    },
    { error: 'must be a call object' },
  )
  .check(
    z.refine(({ data, input }) => !data || !input || data === input, {
      error: 'has both data and input, and they differ',
    }),
  )

type SimulatedCall = z.output<typeof simulatedCall>

/** Parses what `eth_call` simulates; `input` is the newer name of `data` (execution-apis). */
const callParam = z.safeExtend(simulatedCall, { to: addressParam })

/** Parses what `eth_estimateGas` simulates: a call, or without `to` a contract creation. */
const estimateParam = simulatedCall.check(
  z.refine(({ to, data, input }) => to || [data, input].some((code) => code && code !== '0x'), {
    error: 'needs "to", or in "data" or "input" the code of a contract to create',
  }),
)

/** Computes what an access list costs on Rootstock: 80 for each byte of its RLP (RSKIP-546). */
function computeAccessListGas({ accessList }: SimulatedCall): number {
  if (!accessList || accessList.length === 0) return 0
  const list = accessList.map(({ address, storageKeys }) => [address, storageKeys ?? []] as Item)
  return 80 * size(toRlp(list))
}

type Item = [address: Hex, storageKeys: Hex[]]

/** Returns the call in a form that all nodes accept: with `data`, and without `null` members. */
function toNodeCall({ input, ...call }: SimulatedCall): Record<string, unknown> {
  const data = call.data ?? input
  const entries = Object.entries({ ...call, data })
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))
}

export const callMethods = [
  defineMethod({
    name: 'eth_call',
    summary: 'The output of a call that makes no transaction',
    params: { call: callParam, block: stateBlockParam },
    result: data,
    call: ({ call, block }, context) =>
      readStateAt(context, block, (node, selector) => {
        const params = [toNodeCall(call), wrapBareHash(node, selector)]
        return translateRevert(node.call('eth_call', params, data), call)
      }),
  }),
  defineMethod({
    name: 'eth_estimateGas',
    summary: 'The gas that a transaction needs; it is simulated and not sent',
    params: { call: estimateParam, block: z.optional(stateBlockParam) },
    result: quantity,
    call: ({ call, block }, { ask }) => ask((node) => estimateGas(node, call, block)),
  }),
]

/** Translates a revert into go-ethereum's error, and says of RSKj's internal error which gas. */
async function translateRevert<T>(outcome: Promise<T>, { gas }: SimulatedCall): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (error.code === codes.internal && gas) {
      throw new RpcError(codes.failed, `the node cannot run the call with gas ${gas}`)
    }
    if (error.code !== codes.executionFailed) throw error
    const reason = parseRevertReason(error)
    if (reason === undefined) throw error
    const message = reason ? `execution reverted: ${reason}` : 'execution reverted'
    throw new RpcError(codes.reverted, message, error.data ?? '0x')
  }
}

/** Estimates gas; throws like go-ethereum if the sender cannot pay or the call fails. */
async function estimateGas(node: UpstreamNode, call: SimulatedCall, block?: Selector) {
  const [estimated, funds] = await Promise.allSettled([
    estimateGasAt(node, call, block),
    readFunds(node, call, block),
  ])
  if (funds.status === 'rejected') throw funds.reason
  const value = BigInt(call.value ?? 0)
  if (funds.value !== undefined && funds.value < value) {
    throw new RpcError(codes.failed, 'insufficient funds for transfer')
  }
  if (estimated.status === 'rejected') throw translateInsufficientFunds(estimated.reason)
  // RSKj leaves the list out, and takes its gas. If a later one counts it, this is too much by it.
  const listGas = node.kind === 'rskj' ? computeAccessListGas(call) : 0
  const gas = Number(estimated.value) + listGas
  const isTooMuch = listGas > 0 && gas > Number(call.gas ?? gas)
  if (isTooMuch || (await isFailedEstimate(node, call, estimated.value))) {
    throw new RpcError(codes.failed, 'gas required exceeds allowance')
  }
  const price = BigInt(call.gasPrice ?? call.maxFeePerGas ?? 0)
  if (funds.value !== undefined && funds.value < value + BigInt(gas) * price) {
    throw new RpcError(codes.failed, 'insufficient funds for gas * price + value')
  }
  return toQuantity(gas)
}

/** Estimates gas at a block; sends none if none is named, since not every node accepts one. */
function estimateGasAt(node: UpstreamNode, call: SimulatedCall, block: Selector | undefined) {
  const simulate = (...selector: unknown[]): Promise<string> =>
    translateRevert(node.call('eth_estimateGas', [toNodeCall(call), ...selector], quantity), call)
  return block === undefined
    ? simulate()
    : readAtBlock(node, block, (selector) => simulate(wrapBareHash(node, selector)))
}

/** Sets the gas that any transaction needs (yellow paper, G_transaction). */
const minGas = 21_000

/** Sets the gas from which an estimate may be a block's limit; Rootstock's blocks hold 6.8 M. */
const suspiciousGas = 6_000_000

/** Tells whether an estimate is RSKj's answer for a failed call: too little gas, or a block's. */
async function isFailedEstimate(node: UpstreamNode, { gas }: SimulatedCall, estimated: string) {
  if (node.kind !== 'rskj') return false
  if (Number(estimated) < minGas) return true
  if (gas || Number(estimated) < suspiciousGas) return false
  const block = await readMinedBlock(node, 'latest', false)
  return block !== null && Number(estimated) >= Number(block.gasLimit)
}

/** Replaces the code that a node has for insufficient funds by the specification's. */
function translateInsufficientFunds(error: unknown): unknown {
  if (!(error instanceof RpcError) || classifyRefusal(error) !== 'insufficient_funds') return error
  return new RpcError(codes.failed, error.message, error.data)
}

/** Reads the sender's balance; returns undefined if the call is free or the node refuses. */
async function readFunds(
  node: UpstreamNode,
  { from, value, gasPrice, maxFeePerGas }: SimulatedCall,
  block: Selector = 'latest',
): Promise<bigint | undefined> {
  const isPaid = [value, gasPrice, maxFeePerGas].some((amount) => amount && BigInt(amount) > 0n)
  if (!isPaid || !from) return undefined
  const funds = await nullIfRefused(
    readAtBlock(node, block, (selector) => node.call('eth_getBalance', [from, selector], quantity)),
  )
  return funds === null ? undefined : BigInt(funds)
}
