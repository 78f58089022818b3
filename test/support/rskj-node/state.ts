import { decodeErrorResult, type Hex, numberToHex, parseAbi } from 'viem'
import { isObject } from '../../../scripts/dev/rootstock-pool/answers.ts'
import { internalFault } from '../../../scripts/dev/rootstock-pool/refusals.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import type { Block, Chain } from './chain.ts'
import { refusals } from './quirks.ts'

/** What is read as of a block: RSKj has one way for accounts, another for code, a third for calls. */
export function createState(anvil: RpcCall, chain: Chain) {
  return { account, code, run, blockOf }

  /** Web3InformationRetriever.getInformationProvider: numbers, tags and bare hashes. */
  async function account(method: string, params: readonly unknown[]): Promise<unknown> {
    const selector = byNumber(params.at(-1))
    const at = selector === 'pending' ? selector : numberOf(required(selector))
    return await anvil(method, [...params.slice(0, -1), at])
  }

  /** EthModule.getCode: a bare hash is read as a number, and where there is no block the answer is `null`. */
  async function code(address: unknown, where: unknown): Promise<unknown> {
    const selector = byNumber(where)
    if (selector === 'pending') return await anvil('eth_getCode', [address, selector])
    const block = isHash(selector) ? undefined : blockOf(selector)
    return block === undefined ? null : await anvil('eth_getCode', [address, numberOf(block)])
  }

  /** ExecutionBlockRetriever: numbers and tags; a bare hash is a number too large for it. */
  async function run(method: string, call: unknown, where: unknown): Promise<unknown> {
    const selector = byNumber(where)
    if (isHash(selector)) throw internalFault()
    const block = selector === 'pending' ? undefined : blockOf(selector)
    if (block === undefined && selector !== 'pending') {
      throw refusals.noBlockToRunAt(Number(selector))
    }
    const at = block === undefined ? 'pending' : numberOf(block)
    try {
      return await anvil(method, [call, at, ...(method === 'eth_call' ? [rich(call)] : [])])
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== 3) throw error
      throw refusals.reverted(reasonOf(error.data), error.data ?? '0x')
    }
  }

  /** The objects of EIP-1898 become a number first, whatever block that is by now. */
  function byNumber(selector: unknown): string {
    if (!isObject(selector)) return `${selector}`
    const { blockHash, blockNumber, requireCanonical } = selector
    // Jackson reads a map of strings.
    if (typeof (requireCanonical ?? '') !== 'string') throw internalFault()
    if (typeof blockHash !== 'string') return `${blockNumber}`
    const block = chain.byHash(blockHash)
    if (block === undefined) throw refusals.noBlockOfHash(blockHash)
    if (requireCanonical === 'true' && chain.at(block.number) !== block) {
      throw refusals.notCanonical(blockHash)
    }
    return numberOf(block)
  }

  function required(selector: string): Block {
    const block = blockOf(selector)
    if (block === undefined) throw refusals.noBlock(selector)
    // anvil keeps no state of what has left its chain.
    if (chain.at(block.number) !== block) throw refusals.noState(block.hash)
    return block
  }

  /** Web3InformationRetriever.getBlock, but for `pending`. */
  function blockOf(selector: string): Block | undefined {
    if (selector === 'latest') return chain.head()
    if (selector === 'earliest') return chain.at(0)
    if (isHash(selector)) return chain.byHash(selector)
    if (!/^0x[0-9a-f]+$/i.test(selector)) throw refusals.noSuchTag(selector)
    return chain.at(Number(selector))
  }
}

const isHash = (selector: string): boolean => /^0x[0-9a-f]{64}$/i.test(selector)

const numberOf = ({ number }: Block): Hex => numberToHex(number)

/** RSKj's `eth_call` does not ask whether the sender holds what it sends. */
function rich(call: unknown): Record<string, unknown> {
  if (!isObject(call) || typeof call.from !== 'string' || !call.value) return {}
  return { [call.from]: { balance: `0x${'f'.repeat(32)}` } }
}

const plainError = parseAbi(['error Error(string reason)'])

function reasonOf(data: unknown): string | undefined {
  try {
    return decodeErrorResult({ abi: plainError, data: data as Hex }).args[0]
  } catch {
    return undefined
  }
}
