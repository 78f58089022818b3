import type { Address } from 'viem'
import { type Payee, readPayee } from '../../chain/payees.ts'
import { cashOutSelector, decodeCall } from '../../loan/calls.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import { nodeTimeoutMs, type Relayer } from '../relayer.ts'

/** Returns the outside wallet that a request pays; undefined if it moves money within accounts. */
export function findWallet({ data }: Pick<SignedRequest, 'data'>): Address | undefined {
  // Most requests are others, and decoding takes longer.
  const call = data.startsWith(cashOutSelector) ? decodeCall(data) : undefined
  return call?.kind === 'cashOut' ? call.to : undefined
}

/** Reads who is paid by a request that pays a wallet; undefined for other requests. */
export async function readRequestPayee(
  { node, clock }: Pick<Relayer, 'node' | 'clock'>,
  request: Pick<SignedRequest, 'data'>,
): Promise<Payee | undefined> {
  const wallet = findWallet(request)
  return wallet && (await readPayee(node, wallet, clock.timeout(nodeTimeoutMs)))
}
