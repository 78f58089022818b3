import {
  type Address,
  checksumAddress,
  concatHex,
  decodeErrorResult,
  decodeFunctionData,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  hexToNumber,
  isAddressEqual,
  keccak256,
  type LocalAccount,
  numberToHex,
  parseEventLogs,
  size,
  slice,
  toFunctionSelector,
} from 'viem'
import { relayForwarderAbi, requestDomain, requestStatuses, requestTypes } from './abi.ts'

/** In bytes. */
export const intentIdLength = 22

/** What a caller signs (EIP-712, primary type `Request` of RelayForwarder.sol). */
export type ForwardRequest = {
  from: Address
  /** Of {@link intentIdLength} bytes. Spent at most once on the chain: see {@link intentIdOf}. */
  intentId: Hex
  /** Gas for the inner call. */
  gas: number
  /** Unix time in seconds after which the forwarder refuses it. */
  deadline: number
  data: Hex
}

export type SignedRequest = ForwardRequest & { signature: Hex }

/** Where requests are executed. */
export type Forwarder = { chainId: number; address: Address }

/** RelayForwarder's `Status`. */
export type RequestStatus = (typeof requestStatuses)[number]

/** What the forwarder did with a request of `from`. `returnData` is the inner call's, cut to 256 bytes in events. */
export type RequestResult = { intentId: Hex; from: Address; status: RequestStatus; returnData: Hex }

/** A log as a node gives it, as far as events need it. */
export type RawLog = { address: Address; topics: readonly Hex[]; data: Hex }

const executeSelector = toFunctionSelector(getAbiItem({ abi: relayForwarderAbi, name: 'execute' }))

/**
 * The name of a session's one payment, from the 32 bytes of that session's intent key. There is no clock
 * in it, so that a relay that derives it again, after any loss, derives the same; the forwarder refuses
 * it to its account for 7 days after it was spent.
 */
export function intentIdOf(forwarder: Forwarder, intentKey: Hex): Hex {
  const named = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'address' }, { type: 'bytes32' }],
    [BigInt(forwarder.chainId), forwarder.address, intentKey],
  )
  return slice(keccak256(named), 0, intentIdLength)
}

/** Signs a request with the caller's key. Deterministic (RFC 6979): the same request, the same bytes. */
export async function signRequest(
  account: LocalAccount,
  forwarder: Forwarder,
  request: ForwardRequest,
): Promise<SignedRequest> {
  const signature = await account.signTypedData({
    domain: {
      ...requestDomain,
      chainId: forwarder.chainId,
      verifyingContract: forwarder.address,
    },
    types: requestTypes,
    primaryType: 'Request',
    message: request,
  })
  return { ...request, signature }
}

/** Calldata of `execute`, in the order given: packed as IRelayForwarder.sol says. */
export function encodeExecute(requests: readonly SignedRequest[]): Hex {
  const batch = concatHex(requests.map(packRequest))
  return encodeFunctionData({ abi: relayForwarderAbi, functionName: 'execute', args: [batch] })
}

/** Of a request without its data, in bytes. */
const frameLength = 117
const parityBit = 1n << 255n

function packRequest({ from, intentId, deadline, gas, data, signature }: SignedRequest): Hex {
  // EIP-2098: the parity of y stands in the highest bit of s.
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

/** The requests in a transaction's calldata; none where it is not one of `execute`, or ends within a request. */
export function requestsInCalldata(calldata: Hex): SignedRequest[] {
  if (!calldata.startsWith(executeSelector)) return []
  const call = decodeFunctionData({ abi: relayForwarderAbi, data: calldata })
  if (call.functionName !== 'execute') return []
  const requests: SignedRequest[] = []
  for (let [batch] = call.args; size(batch) > 0; ) {
    const dataLength = size(batch) < frameLength ? 0xffff : hexToNumber(slice(batch, 51, 53))
    const end = frameLength + dataLength
    if (size(batch) < end) return []
    requests.push(unpackRequest(slice(batch, 0, end)))
    batch = size(batch) > end ? slice(batch, end) : '0x'
  }
  return requests
}

function unpackRequest(packed: Hex): SignedRequest {
  const signedFrom = size(packed) - 64
  const r = slice(packed, signedFrom, signedFrom + 32)
  const vs = BigInt(slice(packed, signedFrom + 32))
  return {
    from: checksumAddress(slice(packed, 0, 20)),
    intentId: slice(packed, 20, 42),
    deadline: hexToNumber(slice(packed, 42, 47)),
    gas: hexToNumber(slice(packed, 47, 51)),
    data: signedFrom > 53 ? slice(packed, 53, signedFrom) : '0x',
    signature: concatHex([
      r,
      numberToHex(vs & ~parityBit, { size: 32 }),
      (vs & parityBit) === 0n ? '0x1b' : '0x1c',
    ]),
  }
}

/** What a simulated `execute` returned, in the order of its requests. */
export function decodeExecute(requests: readonly SignedRequest[], data: Hex): RequestResult[] {
  const results = decodeFunctionResult({
    abi: relayForwarderAbi,
    functionName: 'execute',
    data,
  })
  return requests.map((request, index) => {
    const result = results[index]
    return {
      intentId: request.intentId,
      from: request.from,
      status: statusOf(result?.status),
      returnData: result?.returnData ?? '0x',
    }
  })
}

/** Why the forwarder reverts as a whole, by the data of that. */
export type ForwarderRefusal = 'missing' | 'not_allowed' | 'paused'

export function refusalByForwarder(data: Hex): ForwarderRefusal {
  switch (errorName(data)) {
    case 'NotRelayer':
      return 'not_allowed'
    case 'EnforcedPause':
      return 'paused'
    default:
      return 'missing'
  }
}

/** Whether a contract reverts since it is paused: both of ours say it alike. */
export const isPause = (data: Hex): boolean => errorName(data) === 'EnforcedPause'

function errorName(data: Hex): string | undefined {
  try {
    return decodeErrorResult({ abi: relayForwarderAbi, data }).errorName
  } catch {
    // Another contract stands there, or none.
    return undefined
  }
}

/** What the forwarder said in a transaction's logs. Logs of other contracts are passed over. */
export function resultsInLogs(forwarder: Forwarder, logs: readonly RawLog[]): RequestResult[] {
  const own = logs.filter((log) => log.address.toLowerCase() === forwarder.address.toLowerCase())
  const events = parseEventLogs({
    abi: relayForwarderAbi,
    eventName: ['RequestProcessed', 'RequestFailed'],
    logs: own as never,
  })
  return events.map(({ eventName, args }) => {
    const { intentId, from } = args
    if (eventName === 'RequestFailed') {
      return { intentId, from, status: 'failed', returnData: args.returnData }
    }
    return { intentId, from, status: statusOf(args.status), returnData: '0x' }
  })
}

/** What a transaction did for an intent, once for each request that names it. */
export type ProcessedRequest = { result: RequestResult; request: SignedRequest }

/**
 * The results of an account's intent in a transaction, each with the request it belongs to: the
 * forwarder reports in the order in which the transaction carries them. Undefined where the two do not fit together.
 */
export function processedIn(
  results: readonly RequestResult[],
  carried: readonly SignedRequest[],
  { from, intentId }: Pick<ForwardRequest, 'from' | 'intentId'>,
): ProcessedRequest[] | undefined {
  const isOwn = (one: Pick<ForwardRequest, 'from' | 'intentId'>) =>
    one.intentId === intentId && isAddressEqual(one.from, from)
  const own = results.filter(isOwn)
  const requests = carried.filter(isOwn)
  const processed = own.flatMap((result, index) => {
    const request = requests[index]
    return request === undefined ? [] : [{ result, request }]
  })
  return own.length === requests.length ? processed : undefined
}

/** Whether two requests ask the same of the chain for the same account. */
export function asksTheSame(one: ForwardRequest, other: ForwardRequest): boolean {
  return one.data === other.data && isAddressEqual(one.from, other.from)
}

/** Whether the status means that the intent can never execute again. */
export function isSpending(status: RequestStatus): status is 'executed' | 'failed' {
  return status === 'executed' || status === 'failed'
}

function statusOf(index: number | undefined): RequestStatus {
  const status = index === undefined ? undefined : requestStatuses[index]
  if (status === undefined) throw new Error(`the forwarder answered with status ${index}`)
  return status
}
