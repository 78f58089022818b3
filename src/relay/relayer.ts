import type { Hex } from 'viem'
import type { PoolRules } from '../chain/chains.ts'
import type { Node } from '../chain/node.ts'
import { loanCalls } from '../loan/kinds.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { type FeeLimits, gasPriceWithin, replacementPriceUp } from './fees.ts'
import { encodeExecute, type Forwarder, type SignedRequest } from './forwarder/requests.ts'
import type { Ledger, SignedTransaction, Slot } from './ledger/port.ts'
import type { Signer } from './signer.ts'

/** What a payment through one relayer key needs, in a request's Worker and in the alarm. */
export type Relayer = {
  ledger: Ledger
  node: Node
  signer: Signer
  forwarder: Forwarder
  rules: PoolRules
  fees: FeeLimits
  clock: Clock
  log: Log
  /** Names a claim; never guessable, never repeated. */
  newToken: () => string
  /** Words for the revert data of a failed call. */
  reasonOf: (revertData: Hex) => string
}

/** What payments are judged and priced by: the chain's rules and the operator's price limits. */
export type Terms = Pick<Relayer, 'rules' | 'fees'>

/**
 * How long a request is good for on the chain, in seconds. Longer than the watch of 50 blocks, far
 * shorter than the 24 h that the forwarder allows.
 */
export const requestLifetimeSeconds = 2 * 60 * 60

/** The most that a request is signed for. */
export const mostInnerGas = Math.max(...Object.values(loanCalls).map(({ gas }) => gas))

/** What `execute` itself uses for one request, with a margin: signature, storage, event, calldata. */
export const executeGas = 150_000

/** A transaction that only uses up its nonce. */
const noOpGas = 21_000

/**
 * What a transaction pays for gas, in wei a unit: the node's price within the operator's limits, but
 * at least what the chain's pool asks for over older bytes of its nonce. Undefined where that is more
 * than the operator allows.
 */
export function gasPriceFor(
  { fees, rules }: Terms,
  nodePriceWei: bigint,
  priorWei: bigint | undefined,
): bigint | undefined {
  const wanted = gasPriceWithin(fees, nodePriceWei)
  const least = priorWei === undefined ? 0n : replacementPriceUp(priorWei, rules.replacementPercent)
  if (least > fees.maxWei) return undefined
  return wanted > least ? wanted : least
}

/**
 * Signs the transaction that carries a request, or one that carries nothing, for a nonce. Older
 * bytes of that nonce are outbid by what the chain's pool asks for; undefined where the operator's
 * highest price does not reach that.
 */
export async function signFor(
  relayer: Relayer,
  slot: Slot,
  nodePriceWei: bigint,
  request: SignedRequest | undefined,
): Promise<SignedTransaction | undefined> {
  const { signer, forwarder } = relayer
  const gasPriceWei = gasPriceFor(relayer, nodePriceWei, slot.priorGasPriceWei)
  if (gasPriceWei === undefined) return undefined
  const common = { nonce: slot.nonce, gasPriceWei }
  return signer.sign(
    request === undefined
      ? { ...common, to: signer.address, data: '0x', gas: noOpGas }
      : {
          ...common,
          to: forwarder.address,
          data: encodeExecute([request]),
          gas: request.gas + executeGas,
        },
  )
}
