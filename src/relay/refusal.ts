import type { Hex } from 'viem'

/** Why a payment is not made: nothing was sent for it, and nothing will be. */
export type Refusal =
  /** The chain would revert the call; with the data of the revert. */
  | { kind: 'would_revert'; revertData: Hex }
  /** The chain could not be asked. */
  | { kind: 'unavailable' }
  /** Others have reserved what there was for all. */
  | { kind: 'none_left' }
  /** What the caller proved to be lets the session pay no more. */
  | { kind: 'not_authorized'; why: 'blocked' | 'dormant' | 'void' }
  /** The phone asks too often. It is not looked at, so nothing is said of what was sent. */
  | { kind: 'too_many_dials' }
  /** Its account has so many whose outcome is not known yet. */
  | { kind: 'too_many_open'; most: number }
  /** Its account has sent what it may in a day. */
  | { kind: 'too_many_today'; most: number }
  | { kind: 'too_much_today'; leftWei: bigint }
  /** Too many wait. About so many minutes later fewer do. */
  | { kind: 'crowded'; minutes: number }
  /** The chain's gas price is above the operator's limit. */
  | { kind: 'price_too_high' }
  /** The relayer's key cannot pay for everything open and for this one. */
  | { kind: 'relayer_poor' }
  /** An operator has said so. */
  | { kind: 'paused' }
  /** The node gave no answer; the contracts refuse this relayer; the process' clock is off. */
  | { kind: 'no_answer' | 'contracts' | 'clock' }

export type RefusalOf<Kind extends Refusal['kind']> = Extract<Refusal, { kind: Kind }>

/** What keeps the relay from carrying one payment more of any account. All else is its payment's own. */
const obstacles = [
  ...(['crowded', 'price_too_high', 'relayer_poor', 'paused'] as const),
  ...(['no_answer', 'contracts', 'clock'] as const),
] as const satisfies readonly Refusal['kind'][]

/** What payments of all accounts are refused for, which is noted for those who run the service. */
export type ObstacleKind = (typeof obstacles)[number]

/** What stands in the way of all; undefined where a refusal is of its own payment. */
export const obstacleIn = (refusal: Refusal): ObstacleKind | undefined =>
  obstacles.find((kind) => kind === refusal.kind)
