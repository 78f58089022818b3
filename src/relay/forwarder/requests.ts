import {
  type Address,
  checksumAddress,
  concatHex,
  decodeAbiParameters,
  decodeErrorResult,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  hexToNumber,
  isAddressEqual,
  type LocalAccount,
  numberToHex,
  prepareEncodeFunctionData,
  size,
  slice,
  toEventSelector,
} from 'viem'
import { hashKeccak } from '../../runtime/keccak.ts'
import { tryTo } from '../../runtime/log.ts'
import { relayForwarderAbi, requestDomain, requestStatuses, requestTypes } from './abi.ts'

/** Limits a request's life on the chain: longer than 50 blocks, below the forwarder's 24 h. */
export const requestLifetimeSeconds = 2 * 60 * 60

/**
 * Limits the life of a request that is final before its block is: an hour below the forwarder's
 * bound, since blocks have a time of their own.
 */
export const assuredLifetimeSeconds = 23 * 60 * 60

/** Limits how far ahead the forwarder lets a deadline be, and so what lost rows may have signed. */
export const maxDeadlineSeconds = 24 * 60 * 60

/**
 * Returns the receipt number of a payment: 7 digits that follow from its intent alone. It
 * authorizes nothing, and payments may share one.
 */
export function toReceiptNumber(intentId: string): string {
  const digits = `${(BigInt(intentId) % 9_000_000n) + 1_000_000n}`
  return `${digits.slice(0, 3)}-${digits.slice(3)}`
}

export const intentIdLength = 22

/** Holds what a caller signs (EIP-712, primary type `Request` of RelayForwarder.sol). */
export type ForwardRequest = {
  from: Address
  /** Has {@link intentIdLength} bytes, and is spent at most once: see {@link deriveIntentId}. */
  intentId: Hex
  /** Limits the gas of the inner call. */
  gas: number
  /** Tells when the forwarder begins to refuse it (Unix time in seconds). */
  deadline: number
  data: Hex
}

export type SignedRequest = ForwardRequest & { signature: Hex }

export type Forwarder = { chainId: number; address: Address }

export type RequestStatus = (typeof requestStatuses)[number]

/** Tells what the forwarder did with a request. Events have at most 256 bytes of `returnData`. */
export type RequestResult = { intentId: Hex; from: Address; status: RequestStatus; returnData: Hex }

export type RawLog = { address: Address; topics: readonly Hex[]; data: Hex }

const execute = getAbiItem({ abi: relayForwarderAbi, name: 'execute' })
/** Has its selector, and the first topics of results: viem would hash signatures at each use. */
const executeCall = prepareEncodeFunctionData({ abi: [execute] })
const resultTopics = {
  processed: toEventSelector(getAbiItem({ abi: relayForwarderAbi, name: 'RequestProcessed' })),
  failed: toEventSelector(getAbiItem({ abi: relayForwarderAbi, name: 'RequestFailed' })),
}

/** Derives the id of a session's only payment, without a time: after any loss it is the same. */
export function deriveIntentId(forwarder: Forwarder, intentKey: Hex): Hex {
  const preimage = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'address' }, { type: 'bytes32' }],
    [BigInt(forwarder.chainId), forwarder.address, intentKey],
  )
  return slice(hashKeccak(preimage), 0, intentIdLength)
}

/** Signs a request with the caller's key. The same request has the same signature (RFC 6979). */
export async function signRequest(
  account: LocalAccount,
  forwarder: Forwarder,
  request: ForwardRequest,
): Promise<SignedRequest> {
  const signature = await account.signTypedData({
    domain: { ...requestDomain, chainId: forwarder.chainId, verifyingContract: forwarder.address },
    types: requestTypes,
    primaryType: 'Request',
    message: request,
  })
  return { ...request, signature }
}

/** Returns the calldata of `execute`, packed as IRelayForwarder.sol specifies. */
export function encodeExecute(requests: readonly SignedRequest[]): Hex {
  return encodeFunctionData({ ...executeCall, args: [concatHex(requests.map(packRequest))] })
}

/** Counts the bytes of a packed request without data. */
const emptyRequestLength = 117
const parityBit = 1n << 255n

function packRequest({ from, intentId, deadline, gas, data, signature }: SignedRequest): Hex {
  // EIP-2098: the parity of y is the highest bit of s.
  const s = BigInt(slice(signature, 32, 64)) | (signature.endsWith('1c') ? parityBit : 0n)
  return concatHex([
    from,
    intentId,
    numberToHex(deadline, { size: 5 }),
    numberToHex(gas, { size: 4 }),
    numberToHex(size(data), { size: 2 }),
    data,
    slice(signature, 0, 32),
    numberToHex(s, { size: 32 }),
  ])
}

/** Returns the requests in calldata of `execute`, or none if it is malformed. */
export function decodeRequests(calldata: Hex): SignedRequest[] {
  if (!calldata.startsWith(executeCall.functionName)) return []
  const requests: SignedRequest[] = []
  for (let [batch] = decodeAbiParameters(execute.inputs, slice(calldata, 4)); size(batch) > 0; ) {
    if (size(batch) < emptyRequestLength) return []
    const end = emptyRequestLength + hexToNumber(slice(batch, 51, 53))
    if (size(batch) < end) return []
    requests.push(unpackRequest(slice(batch, 0, end)))
    batch = size(batch) > end ? slice(batch, end) : '0x'
  }
  return requests
}

function unpackRequest(packed: Hex): SignedRequest {
  const signatureStart = size(packed) - 64
  const r = slice(packed, signatureStart, signatureStart + 32)
  const vs = BigInt(slice(packed, signatureStart + 32))
  return {
    from: checksumAddress(slice(packed, 0, 20)),
    intentId: slice(packed, 20, 42),
    deadline: hexToNumber(slice(packed, 42, 47)),
    gas: hexToNumber(slice(packed, 47, 51)),
    data: signatureStart > 53 ? slice(packed, 53, signatureStart) : '0x',
    signature: concatHex([
      r,
      numberToHex(vs & ~parityBit, { size: 32 }),
      (vs & parityBit) === 0n ? '0x1b' : '0x1c',
    ]),
  }
}

/** Returns the results of a simulated `execute`, one for each request. */
export function decodeExecute(requests: readonly SignedRequest[], data: Hex): RequestResult[] {
  const results = decodeFunctionResult({ abi: relayForwarderAbi, functionName: 'execute', data })
  return requests.map((request, index) => {
    const result = results[index]
    return {
      intentId: request.intentId,
      from: request.from,
      status: toStatus(result?.status),
      returnData: result?.returnData ?? '0x',
    }
  })
}

export type ForwarderRefusal = 'missing' | 'not_allowed' | 'paused'

export function decodeForwarderRefusal(data: Hex): ForwarderRefusal {
  switch (decodeErrorName(data)) {
    case 'NotRelayer':
    case 'NotPlainAccount':
      return 'not_allowed'
    case 'EnforcedPause':
      return 'paused'
    default:
      return 'missing'
  }
}

/** Tells whether a contract reverted because it is paused: both of ours use the same error. */
export const isPausedError = (data: Hex): boolean => decodeErrorName(data) === 'EnforcedPause'

/** Returns the name of the forwarder's error; undefined of another contract's, or without one. */
const decodeErrorName = (data: Hex): string | undefined =>
  tryTo(() => decodeErrorResult({ abi: relayForwarderAbi, data }).errorName)

/** Returns the forwarder's results in a transaction's logs, ignoring other contracts. */
export function decodeResults(forwarder: Forwarder, logs: readonly RawLog[]): RequestResult[] {
  const address = forwarder.address.toLowerCase()
  return logs.flatMap(({ topics: [topic, intentTopic, fromTopic], data, ...log }) => {
    const isOwn = log.address.toLowerCase() === address
    if (!isOwn || intentTopic === undefined || fromTopic === undefined) return []
    const intentId = slice(intentTopic, 0, intentIdLength)
    const from = checksumAddress(slice(fromTopic, 12))
    const result = topic === undefined ? undefined : decodeResult(topic, data)
    return result === undefined ? [] : { intentId, from, ...result }
  })
}

function decodeResult(
  topic: Hex,
  data: Hex,
): Pick<RequestResult, 'status' | 'returnData'> | undefined {
  switch (topic) {
    case resultTopics.processed: {
      const decoded = tryTo(() => decodeAbiParameters([{ type: 'uint8' }], data))
      return decoded && { status: toStatus(decoded[0]), returnData: '0x' }
    }
    case resultTopics.failed: {
      const decoded = tryTo(() => decodeAbiParameters([{ type: 'bytes' }], data))
      return decoded && { status: 'failed', returnData: decoded[0] }
    }
    default:
      return undefined
  }
}

export type ProcessedRequest = { result: RequestResult; request: SignedRequest }

/** Joins an account's results for an intent with its requests; undefined if their counts differ. */
export function matchResults(
  results: readonly RequestResult[],
  carried: readonly SignedRequest[],
  { from, intentId }: Pick<ForwardRequest, 'from' | 'intentId'>,
): ProcessedRequest[] | undefined {
  const isOfIntent = (item: Pick<ForwardRequest, 'from' | 'intentId'>) =>
    item.intentId === intentId && isAddressEqual(item.from, from)
  const intentResults = results.filter(isOfIntent)
  const requests = carried.filter(isOfIntent)
  const processed = intentResults.flatMap((result, index) => {
    const request = requests[index]
    return request === undefined ? [] : [{ result, request }]
  })
  return intentResults.length === requests.length ? processed : undefined
}

export function spendsIntent(status: RequestStatus): status is 'executed' | 'failed' {
  return status === 'executed' || status === 'failed'
}

function toStatus(index: number | undefined): RequestStatus {
  const status = index === undefined ? undefined : requestStatuses[index]
  if (status === undefined) throw new Error(`the forwarder answered with status ${index}`)
  return status
}
