import type { Hex } from 'viem'
import { decodeRefusal } from '../loan/calls.ts'

/** Tells why a payment is not made: nothing was sent for it, and nothing will be. */
export type Refusal =
  /** Would be reverted by the chain, with this data. */
  | { kind: 'would_revert'; revertData: Hex }
  | { kind: 'unavailable' }
  /** Finds that others have reserved what there was for all. */
  | { kind: 'none_left' }
  /** Fails since what the caller proved lets the session pay no more. */
  | { kind: 'not_authorized'; why: 'blocked' | 'dormant' | 'void' }
  /** Is not even looked at, so nothing is said of what was sent. */
  | { kind: 'too_many_dials' }
  /** Is of an account that an operator holds. */
  | { kind: 'held' }
  | { kind: 'too_many_open'; most: number }
  | { kind: 'too_many_today'; most: number }
  | { kind: 'too_much_today'; leftWei: bigint }
  /** Would wait too long; about so many minutes later fewer wait. */
  | { kind: 'crowded'; minutes: number }
  /** Would cost more than the operator's limit. */
  | { kind: 'price_too_high' }
  /** Finds too little on the relayer's key to pay for all that is open and for this one. */
  | { kind: 'relayer_poor' }
  | { kind: 'paused' }
  /** Finds a silent node, contracts that refuse this relayer, or a wrong clock of the process. */
  | { kind: 'no_answer' | 'contracts' | 'clock' }

export type RefusalOf<Kind extends Refusal['kind']> = Extract<Refusal, { kind: Kind }>

/** Lists what keeps the relay from carrying any account's payment. */
const obstacles = [
  ...(['crowded', 'price_too_high', 'relayer_poor', 'paused'] as const),
  ...(['no_answer', 'contracts', 'clock'] as const),
] as const satisfies readonly Refusal['kind'][]

/** Names why payments of all accounts are refused; noted for those who run the service. */
export type ObstacleKind = (typeof obstacles)[number]

/** Returns what stands in the way of all accounts, if that is why. */
export const obstacleIn = (refusal: Refusal): ObstacleKind | undefined =>
  obstacles.find((kind) => kind === refusal.kind)

/** Names a refusal for those who run the service: one of the contract's by what it says. */
export function reasonIn(refusal: Refusal): string {
  if (refusal.kind === 'not_authorized') return refusal.why
  if (refusal.kind !== 'would_revert') return refusal.kind
  const { reason } = decodeRefusal(refusal.revertData)
  return reason === 'paused' ? 'loan_paused' : reason
}
