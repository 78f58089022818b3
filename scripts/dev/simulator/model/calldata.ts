import {
  type Address,
  encodeAbiParameters,
  encodeFunctionResult,
  getAbiItem,
  type Hex,
  pad,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { relayForwarderAbi } from '../../../../src/relay/forwarder/abi.ts'
import type { SignedRequest } from '../../../../src/relay/forwarder/requests.ts'
import type { ProcessedRequest } from './contracts.ts'

const selectorOf = (name: 'execute' | 'spentAt'): Hex =>
  toFunctionSelector(getAbiItem({ abi: relayForwarderAbi, name }))

export const selectors = { execute: selectorOf('execute'), spentAt: selectorOf('spentAt') }

const processedTopic = toEventSelector(
  getAbiItem({ abi: relayForwarderAbi, name: 'RequestProcessed' }),
)

export type ModelLog = { address: Address; topics: Hex[]; data: Hex }

/**
 * The requests in calldata of `execute`, read by their places: a general decoder would take most of a
 * run's time. A test holds it against viem's.
 */
export function readExecute(calldata: Hex): SignedRequest[] {
  if (!calldata.startsWith(selectors.execute)) return []
  const word = (at: number): string => calldata.slice(10 + at * 2, 74 + at * 2)
  const number = (at: number): number => Number.parseInt(word(at), 16)
  const address = (at: number): Address => `0x${word(at).slice(24)}`
  const bytes = (at: number): Hex => {
    const start = 10 + (at + 32) * 2
    return `0x${calldata.slice(start, start + number(at) * 2)}`
  }
  const list = number(0) + 32
  return Array.from({ length: number(list - 32) }, (_, index): SignedRequest => {
    const signed = list + number(list + index * 32)
    const request = signed + number(signed)
    return {
      from: address(request),
      to: address(request + 32),
      intentId: `0x${word(request + 64)}`,
      gas: number(request + 96),
      deadline: number(request + 128),
      data: bytes(request + number(request + 160)),
      signature: bytes(signed + number(signed + 32)),
    }
  })
}

/** What `execute` returns. */
export function resultData(results: readonly ProcessedRequest[]): Hex {
  return encodeFunctionResult({
    abi: relayForwarderAbi,
    functionName: 'execute',
    result: results.map(({ status, returnData }) => ({ status, returnData })),
  })
}

/** The forwarder's event of one request. */
export function processedLog(forwarder: Address, processed: ProcessedRequest): ModelLog {
  return {
    address: forwarder,
    topics: [processedTopic, processed.intentId, pad(processed.from)],
    data: encodeAbiParameters(
      [{ type: 'uint8' }, { type: 'bytes' }],
      [processed.status, processed.returnData],
    ),
  }
}

/** One word, as views return it. */
export function wordOf(value: bigint | number): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}
