import type { Hex } from 'viem'
import type { NotAWallet } from '../chain/payees.ts'
import { decodeRefusal } from '../loan/calls.ts'

/** Tells why a payment is not made: nothing was sent for it, and nothing will be. */
export type Refusal =
  | { kind: 'would_revert'; revertData: Hex }
  | { kind: 'unavailable' }
  /** Exceeds what others' reservations leave of a common resource. */
  | { kind: 'none_left' }
  /**
   * Lacks a valid PIN: the account is blocked or dormant, or the PIN was entered too long ago. Or
   * pays a wallet by a name whose address was replaced lately.
   */
  | { kind: 'not_authorized'; reason: 'blocked' | 'dormant' | 'void' | 'wallet' }
  | { kind: 'not_a_wallet'; payee: NotAWallet }
  /** Is not looked up, so the answer says nothing about what was sent. */
  | { kind: 'too_many_dials' }
  | { kind: 'held' }
  | { kind: 'too_many_open'; max: number }
  | { kind: 'too_many_today'; max: number }
  | { kind: 'too_much_today'; leftWei: bigint }
  /** Spends money that just arrived, while payments of the account are assured by the rest. */
  | { kind: 'unsettled' }
  /** Takes of what is held back until then, because its sender calls it a mistake. */
  | { kind: 'recalled'; wei: bigint; until: number }
  /** Gives back what is not held back any more, or more than that. */
  | { kind: 'not_held' }
  /** Would wait too long; the queue that is there now takes about this many minutes. */
  | { kind: 'crowded'; minutes: number }
  /** Would cost more than the operator's limit. */
  | { kind: 'price_too_high' }
  /** Exceeds what the relayer's key can pay for, with all that is open. */
  | { kind: 'relayer_poor' }
  | { kind: 'paused' }
  /** Meets a node that does not answer, contracts that refuse this relayer, or a wrong clock. */
  | { kind: 'no_answer' | 'contracts' | 'clock' }

export type RefusalOf<Kind extends Refusal['kind']> = Extract<Refusal, { kind: Kind }>

/** Lists the refusals that concern payments of all accounts. */
export const obstacles = [
  ...(['crowded', 'price_too_high', 'relayer_poor', 'paused'] as const),
  ...(['no_answer', 'contracts', 'clock'] as const),
] as const satisfies readonly Refusal['kind'][]

/** Names why payments of all accounts are refused; recorded for operators. */
export type ObstacleKind = (typeof obstacles)[number]

/** Returns the obstacle for all accounts that a refusal names, if any. */
export const findObstacleKind = (refusal: Refusal): ObstacleKind | undefined =>
  obstacles.find((kind) => kind === refusal.kind)

/** Names a refusal for operators; a contract's refusal by its own reason. */
export function nameReason(refusal: Refusal): string {
  if (refusal.kind === 'not_authorized') return refusal.reason
  if (refusal.kind === 'not_a_wallet') return refusal.payee
  if (refusal.kind !== 'would_revert') return refusal.kind
  const { reason } = decodeRefusal(refusal.revertData)
  return reason === 'paused' ? 'loan_paused' : reason
}

/**
 * Tells whether a refusal's screen says nothing of payments. Too many dials are refused before the
 * chain is asked.
 */
export const isSilentOnPayments = (reason: string | undefined): boolean =>
  reason === undefined || reason === 'too_many_dials'
