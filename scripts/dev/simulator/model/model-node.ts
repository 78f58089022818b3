import { type Address, concat, type Hex, pad, toFunctionSelector, toHex, zeroAddress } from 'viem'
import { RpcError } from '../../../../src/chain/rpc.ts'
import { getQuantum } from '../../../../src/loan/amounts.ts'
import { encodeReadCall } from '../../../../src/loan/calls.ts'
import type { AccountPool } from '../../rootstock-pool/account-pool.ts'
import { type PoolRefusal, refusalWords } from '../../rootstock-pool/refusals.ts'
import { encodeWord, readExecute, resultData, selectors } from './calldata.ts'
import type { MinedTransaction, ModelBlock, ModelChain } from './chain.ts'
import {
  type ContractWorld,
  cloneContracts,
  executeRequests,
  findSpending,
  inletOf,
  issuableWei,
  type LoanAccount,
  termSeconds,
} from './contracts.ts'
import type { ModelTransaction, Signing } from './signing.ts'

export type ModelNodeOptions = {
  chain: ModelChain
  pools: readonly AccountPool<ModelTransaction>[]
  world: ContractWorld
  relayers: readonly Address[]
  signing: Pick<Signing, 'read'>
  now: () => number
  /** Is called with all bytes that arrive, and with those that held their nonce before. */
  arrived: (sent: ModelTransaction, refusal?: PoolRefusal, held?: ModelTransaction) => void
}

const callGas = 6_800_000
/** The hashes that it takes to mine a block, which are all that the network asks for. */
export const blockWork = 100n
/** What may leave in a day: the model has no limit. */
const unlimitedWei = 10n ** 30n

const reads = {
  liquidity: encodeReadCall('liquidity'),
  issuable: encodeReadCall('issuable'),
  withdrawable: encodeReadCall('withdrawable'),
  terms: encodeReadCall('terms'),
  debt: encodeReadCall('loanDetailsOf', zeroAddress).slice(0, 10),
  limit: encodeReadCall('limitOf', zeroAddress).slice(0, 10),
  listed: encodeReadCall('isListed', zeroAddress).slice(0, 10),
  successor: encodeReadCall('successor'),
  announced: encodeReadCall('announcedBy', zeroAddress).slice(0, 10),
  inlet: encodeReadCall('inletOf', zeroAddress).slice(0, 10),
  holder: encodeReadCall('holderOf', zeroAddress).slice(0, 10),
  token: toFunctionSelector('token()'),
  quantum: toFunctionSelector('quantum()'),
}

/** Answers JSON-RPC as RSKj does, from what a replica sees whose head is `view`. */
export function createModelNode(options: ModelNodeOptions) {
  const { chain, pools, signing } = options
  const keyOf = (address: unknown) => options.relayers.findIndex((own) => isSame(address, own))
  const all = () => pools.flatMap((pool) => pool.all())

  return (method: string, params: readonly unknown[], view: ModelBlock): unknown => {
    switch (method) {
      case 'eth_getBlockByNumber': {
        const block =
          params[0] === 'latest' ? view : chain.blockAt(Number(params[0] as string), view)
        return block === undefined ? null : blockOf(block)
      }
      case 'eth_getTransactionCount': {
        const key = keyOf(params[0])
        const pool = pools[key]
        if (pool === undefined) return toHex(actionsOf(params[0] as Address, view))
        if (params[1] === 'pending') return toHex(pool.nextNonce(view.state.nonces[key] ?? 0))
        return toHex(viewAt(params[1], view).state.nonces[key] ?? 0)
      }
      case 'eth_getBalance':
        return toHex(keyOf(params[0]) >= 0 ? view.state.relayerWei : 0n)
      case 'eth_getCode':
        return view.state.codes.get((params[0] as string).toLowerCase()) ?? '0x'
      case 'eth_gasPrice':
        // RSKj adds a tenth to the minimum (GasPriceTracker).
        return toHex((view.minGasPriceWei * 11n) / 10n)
      case 'eth_call':
        return callAt(options, params[0] as Call, viewAt(params[1], view))
      case 'eth_getTransactionReceipt': {
        const mined = chain.find(params[0] as Hex, view)
        if (mined === undefined) return null
        return { ...placeOf(mined), status: mined.succeeded ? '0x1' : '0x0', logs: mined.logs }
      }
      case 'eth_getTransactionByHash': {
        const hash = params[0] as Hex
        const known =
          chain.find(hash, view)?.transaction ?? all().find((waiting) => waiting.hash === hash)
        return known === undefined ? null : { hash, input: known.data }
      }
      case 'eth_getLogs':
        return logsOf(chain, params[0] as Filter, view)
      case 'eth_sendRawTransaction':
        return send(params[0] as Hex, view)
      default:
        throw new RpcError(-32601, 'method not found')
    }
  }

  function viewAt(tag: unknown, view: ModelBlock): ModelBlock {
    const block = tag === 'latest' ? view : named(tag, view)
    if (block === undefined) throw new RpcError(-32602, 'no such block')
    return block
  }

  /** By its number, or by its hash (EIP-1898) where this replica's head leads down to it. */
  function named(tag: unknown, view: ModelBlock): ModelBlock | undefined {
    if (typeof tag === 'string') return chain.blockAt(Number(tag), view)
    const { blockHash } = tag as { blockHash: Hex }
    let block: ModelBlock | undefined = view
    while (block !== undefined && block.hash !== blockHash) block = block.parent
    return block
  }

  function send(raw: Hex, view: ModelBlock): Hex {
    const transaction = signing.read(raw)
    const { key } = transaction
    const head = chain.head()
    const pool = pools[key]
    const held = pool?.all().find(({ nonce }) => nonce === transaction.nonce)
    const refusal = pool?.add(transaction, {
      stateNonce: view.state.nonces[key] ?? 0,
      balanceWei: view.state.relayerWei,
      minGasPriceWei: chain.minGasPriceWei(),
      head: head.number,
      nowMs: options.now(),
    })
    options.arrived(transaction, refusal, held)
    if (refusal === undefined) return transaction.hash
    throw new RpcError(-32010, refusalWords(refusal))
  }
}

type Call = { from?: Address; to: Address; data: Hex }
type Filter = { topics: (Hex | null)[]; fromBlock: Hex; toBlock: Hex }

function blockOf({ number, hash, parent, timestampSeconds, transactions }: ModelBlock) {
  return {
    number: toHex(number),
    hash,
    parentHash: parent?.hash ?? `0x${'00'.repeat(32)}`,
    timestamp: toHex(timestampSeconds),
    difficulty: toHex(blockWork),
    transactions: transactions.map(({ transaction }) => transaction.hash),
  }
}

function placeOf({ transaction, block }: MinedTransaction) {
  return {
    transactionHash: transaction.hash,
    blockHash: block.hash,
    blockNumber: toHex(block.number),
  }
}

const encodeWords = (...values: readonly (bigint | number)[]): Hex => concat(values.map(encodeWord))

function debtWords(account: LoanAccount | undefined): Hex {
  if (account === undefined || account.owedWei === 0n) return encodeWords(0, 0, 0, 0, 0)
  const issuedAt = account.issuedHour * 3_600
  return encodeWords(account.owedWei, 0, issuedAt, issuedAt + termSeconds, 0)
}

const actionsOf = (account: Address, { state }: ModelBlock): number =>
  state.accounts.get(account.toLowerCase() as Address)?.actions ?? 0

const isSame = (address: unknown, own: Address): boolean =>
  typeof address === 'string' && address.toLowerCase() === own.toLowerCase()

function callAt({ world, relayers }: ModelNodeOptions, { from, to, data }: Call, view: ModelBlock) {
  const { state, number, timestampSeconds } = view
  if (to.toLowerCase() === world.loan) {
    if (data === reads.liquidity) return encodeWord(state.liquidityWei)
    if (data === reads.withdrawable) return encodeWord(unlimitedWei)
    if (data === reads.issuable) return encodeWord(issuableWei(world, state, timestampSeconds))
    if (data === reads.terms)
      return encodeWords(
        ...[world.principalWei, world.dailyCapWei, termSeconds, 0, 0],
        ...[world.isListOnly ? 1 : 0, 0],
      )
    const account = state.accounts.get(`0x${data.slice(34).toLowerCase()}`)
    if (data.startsWith(reads.debt)) return debtWords(account)
    if (data === reads.successor) return encodeWords(state.hasSuccessor ? 1 : 0, 0)
    if (data.startsWith(reads.announced))
      return encodeWords(account?.hasAnnounced ? account.balanceWei : 0n, 0)
    if (data.startsWith(reads.listed)) return encodeWord(0n)
    if (data.startsWith(reads.limit)) return encodeWord(world.principalWei)
    if (data.startsWith(reads.holder)) return `0x${data.slice(10)}`
    if (data.startsWith(reads.inlet)) return pad(inletOf(`0x${data.slice(34)}`))
    if (data === reads.token) return pad((world.unit.token?.address ?? zeroAddress) as Address)
    if (data === reads.quantum) return encodeWord(getQuantum(world.unit))
    return encodeWord(account?.balanceWei ?? 0n)
  }
  if (data.startsWith(selectors.spentAt)) {
    const intent = [`0x${data.slice(34, 74)}`, `0x${data.slice(74, 118)}`] as const
    const spent = findSpending(state, intent, timestampSeconds)
    return encodeWords(spent?.timestampSeconds ?? 0, spent?.blockNumber ?? 0)
  }
  if (data === selectors.target) return encodeWord(BigInt(world.loan))
  if (!relayers.some((own) => isSame(from, own)) || !state.isRelayerAllowed) {
    throw new RpcError(-32015, 'execution reverted', '0x')
  }
  const trial = cloneContracts(state)
  const block = { timestampSeconds, blockNumber: number }
  return resultData(executeRequests(world, trial, readExecute(data), block, callGas))
}

function logsOf(chain: ModelChain, { topics, fromBlock, toBlock }: Filter, view: ModelBlock) {
  // Some providers give so many blocks at a time. Of the loan contract's events none is kept.
  const isTooMuch = Number(toBlock) - Number(fromBlock) >= 1_000
  if (isTooMuch || topics[0] !== null) throw new RpcError(-32012, 'block range is too large')
  return chain
    .allProcessed()
    .filter(
      ({ mined, processed }) =>
        pad(processed.intentId, { dir: 'right' }) === topics[1] &&
        pad(processed.from) === topics[2] &&
        mined.block.number >= Number(fromBlock) &&
        mined.block.number <= Number(toBlock) &&
        chain.isWithin(mined.block, view),
    )
    .flatMap(({ mined, processed }) =>
      mined.logs
        .filter((_, index) => mined.processed[index] === processed)
        .map((log) => ({ ...log, ...placeOf(mined) })),
    )
}
