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
import { decodeRequests, type SignedRequest } from '../../../../src/relay/forwarder/requests.ts'
import { type ProcessedRequest, Status } from './contracts.ts'

const selectorOf = (name: 'execute' | 'spentAt' | 'target'): Hex =>
  toFunctionSelector(getAbiItem({ abi: relayForwarderAbi, name }))

export const selectors = {
  execute: selectorOf('execute'),
  spentAt: selectorOf('spentAt'),
  target: selectorOf('target'),
}

const topicOf = (name: 'RequestProcessed' | 'RequestFailed'): Hex =>
  toEventSelector(getAbiItem({ abi: relayForwarderAbi, name }))
const [processedTopic, failedTopic] = [topicOf('RequestProcessed'), topicOf('RequestFailed')]

export type ModelLog = { address: Address; topics: Hex[]; data: Hex }

/** Reads the requests in calldata of `execute`, with addresses in lower case. */
export const readExecute = (calldata: Hex): SignedRequest[] =>
  decodeRequests(calldata).map((request) => ({
    ...request,
    from: request.from.toLowerCase() as Address,
  }))

export function resultData(results: readonly ProcessedRequest[]): Hex {
  return encodeFunctionResult({
    abi: relayForwarderAbi,
    functionName: 'execute',
    result: results.map(({ status, returnData }) => ({ status, returnData })),
  })
}

export function processedLog(forwarder: Address, processed: ProcessedRequest): ModelLog {
  const { intentId, from, status, returnData } = processed
  const hasFailed = status === Status.failed
  return {
    address: forwarder,
    topics: [hasFailed ? failedTopic : processedTopic, pad(intentId, { dir: 'right' }), pad(from)],
    data: hasFailed ? encodeAbiParameters([{ type: 'bytes' }], [returnData]) : encodeWord(status),
  }
}

export function encodeWord(value: bigint | number): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}
