import { formatUnits } from 'viem'
import { sampleTills } from '../menu-ways.ts'
import { createRandom } from '../random.ts'
import type { PoolRefusal } from '../rootstock-pool/refusals.ts'
import type { Setup } from './draw/setup.ts'
import { type Money, toLocal } from './money.ts'
import { secondMs } from './units.ts'

/** A whole history before it happens; the rest of a plan stays valid without any of its items. */
export type Plan = { seed: number; setup: Setup; items: readonly Item[] }

/** What a caller wants, independent of the menu. */
export type WantedPayment =
  | { kind: 'transfer' | 'withdrawal' | 'purchase'; to: number; amountWei: bigint }
  /** A deposit credits what arrived at the caller's inlet. */
  | { kind: 'loan' | 'deposit' }
  | { kind: 'repayment'; amountWei: bigint | 'all' }
  /** No payment: a changed PIN, or a session that wrong answers end. */
  | { kind: 'nothing' }

/** An event or a dial, `at` ms after the start of its phase. */
export type Item = { phase: 0 | 1; at: number } & (
  | Dial
  | { kind: 'reorganization'; depth: number; blocks: number }
  /** Two alternating branches; `blocks` replace as many blocks, with other hashes. */
  | { kind: 'alternation'; depth: number; blocks: number; forMs: number }
  | { kind: 'eviction'; share: number }
  | { kind: 'price'; forMs: number; times: number }
  /** The least gas price changes for good, so waiting transactions need a higher price. */
  | { kind: 'lasting_price'; times: number }
  | { kind: 'shortage'; forMs: number }
  | { kind: 'foreign'; nonce: 'next' | 'after_pool'; times: number }
  | { kind: 'unlisted'; forMs: number }
  | { kind: 'pause'; forMs: number }
  /** All of an account's money leaves: as its key had announced, or with it to a successor. */
  | { kind: 'withdrawal'; caller: number; isMove?: boolean }
  /** A caller's own key sends money to a stranger, without the relay. */
  | { kind: 'direct'; caller: number; wei: bigint }
  /** A stranger pays a caller, and pays somebody else if that leaves the chain. */
  | { kind: 'gift'; caller: number; wei: bigint }
  /** The ledger loses all its rows, or what it wrote in the last `tailMs`. */
  | { kind: 'loss' }
  | { kind: 'tail_loss'; tailMs: number }
  | { kind: 'restart'; downMs: number }
  | { kind: 'worker_restart'; worker: number }
  | { kind: 'node_down'; forMs: number; share: number }
  | { kind: 'no_blocks'; forMs: number }
  /** The relayer gets its other key, after a drain if it has a time, or keeps its former one. */
  | { kind: 'rotation'; drainMs: number; forMs: number }
  /** Workers read a count of the relayer's transactions that is this much too high. */
  | { kind: 'miscount'; forMs: number; by: number }
  /** One node refuses all that it is sent, before or after the others, or as the only node. */
  | { kind: 'false_verdict'; forMs: number; refusal: PoolRefusal; place: NodePlace }
  | { kind: 'unlock'; caller: number }
  /** One unit costs this from now on, in millionths of local money; nobody knows what if zero. */
  | { kind: 'rate'; micros: bigint }
  /** A stranger credits what arrived at a caller's inlet. */
  | { kind: 'sweep'; caller: number }
)

/** Returns when an item and its consequences are over, in ms from its phase's start. */
export function findEnd(item: Item): number {
  return item.at + ('forMs' in item ? item.forMs : 0)
}

/** Tells whether a header proves the receipt of a transaction, where nodes are not believed. */
export const isProvable = ({ seed, setup: { unproved } }: Plan, hash: string): boolean =>
  unproved === 'believed' || !createRandom(seed, `proof ${hash}`).chance(unproved)

export type NodePlace = 'first' | 'last' | 'only'

/** Time within which a round comes, even one that only watches, and sees what has happened. */
export const watchedWithinMs = ({ setup }: Plan): number => 10 * setup.rules.roundMs + 30 * secondMs

export const inOrder = (items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => a.phase - b.phase || a.at - b.at)

export type Dial = {
  kind: 'dial'
  id: number
  session: string
  caller: number
  text: string
  wanted: WantedPayment
  worker: number
  pin?: TypedPin
  /** Holds how much of the token a wallet sends to the address that is shown. */
  sends?: bigint
}

type TypedPin = {
  /** Replaces the present step and the text up to it, since a step of a session is one try. */
  own?: string
  step?: string
  sets?: string
}

/** The balance of each caller at the start, in the steps of amounts. */
export const startMillis = 20

/** The tills of a lender's callers: the first one's is an agent's, the second one is for bills. */
export const tills = [...sampleTills.values()]

/** The reference of each paid bill. */
const billReference = 'AB-12'

/** Returns a caller's number; others type its national form. */
export const getPhone = (caller: number): string => `+2547${digitsOf(caller)}`
const typedPhone = (caller: number): string => `07${digitsOf(caller)}`
const digitsOf = (caller: number): string => `${caller}`.padStart(8, '0')

/** Returns the answers that a caller types for a payment, without the PIN. */
export function writeText(wanted: WantedPayment, money: Money): string {
  const write = (wei: bigint) =>
    money.isLocal ? `${toLocal(wei, money)}` : formatUnits(wei, money.unit.decimals)
  switch (wanted.kind) {
    case 'transfer':
      return `2*${typedPhone(wanted.to)}*${write(wanted.amountWei)}`
    case 'withdrawal':
      return `7*${tills[wanted.to]?.till}*${write(wanted.amountWei)}`
    case 'purchase':
      return `10*${tills[wanted.to]?.till}*${billReference}*${write(wanted.amountWei)}`
    case 'loan':
      return money.unit.token === null ? '3' : '3*1'
    case 'deposit':
      return '6*1'
    case 'repayment':
      return wanted.amountWei === 'all' ? '4*1' : `4*2*${write(wanted.amountWei)}`
    case 'nothing':
      return '9*9*9'
  }
}
