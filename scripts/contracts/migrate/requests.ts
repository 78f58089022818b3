import { keccak256, type PublicClient, stringToHex } from 'viem'
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
