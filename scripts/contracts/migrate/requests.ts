import { type Hex, keccak256, type PublicClient, size, stringToHex, toBytes } from 'viem'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import {
  type Forwarder,
  intentIdOf,
  type SignedRequest,
  signRequest,
} from '../../../src/relay/forwarder/requests.ts'
import type { Call } from './needs.ts'
import type { Pair } from './records.ts'

/** Seconds until the forwarder refuses a request: a batch of a run that was killed ends with them. */
const lifetimeSeconds = 60 * 60

/** A transaction's own gas (EIP-2028's calldata; Rootstock's RSKIP-400 has the same). */
const transactionGas = 21_000
const byteGas = { zero: 4, other: 16 }

/** What contracts/README.md adds for each request to what the forwarder needs for its call: its judging, 8 live marks. */
const requestGas = 35_000

/**
 * Signs a call under the first name that its signer has not spent by this block. Runs that see the same
 * block give it the same name, and so execute it once, however many of them there are. A call that failed
 * has spent its name, and gets the next one.
 */
export async function signCall(
  client: PublicClient,
  { pair, chainId }: { pair: Pair; chainId: number },
  call: Call,
  block: { number: bigint; timestamp: bigint },
): Promise<SignedRequest> {
  const forwarder: Forwarder = { chainId, address: pair.forwarder }
  const { signer, name, target, data, gas } = call
  for (let attempt = 0; ; attempt++) {
    // What moves is public in the call itself, so its name needs no secret.
    const move = `${name} ${pair.loan} ${signer.address} ${target} ${attempt}`
    const intentId = intentIdOf(forwarder, keccak256(stringToHex(move)))
    const [spentAt] = await client.readContract({
      address: pair.forwarder,
      abi: relayForwarderAbi,
      functionName: 'spentAt',
      args: [signer.address, intentId],
      blockNumber: block.number,
    })
    if (spentAt !== 0n) continue
    const deadline = Number(block.timestamp) + lifetimeSeconds
    const request = { from: signer.address, intentId, gas, deadline, data }
    return signRequest(signer, forwarder, request)
  }
}

/** The gas limit of a batch with this calldata: a sum, for an estimate is that of a batch that is skipped. */
export function gasLimitOf(requests: readonly { gas: number }[], calldata: Hex): number {
  const zeros = toBytes(calldata).filter((byte) => byte === 0).length
  const bytes = zeros * byteGas.zero + (size(calldata) - zeros) * byteGas.other
  return requests.reduce(
    (sum, { gas }) => sum + requestGas + gasNeeded(gas),
    transactionGas + bytes,
  )
}

/** `gasNeeded(gas, 0)` of RelayForwarder.sol. With less, the preflight would say `skipped`. */
function gasNeeded(gas: number): number {
  return 45_000 + Math.ceil((gas * 64) / 63)
}
