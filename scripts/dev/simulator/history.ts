import type { Address, Hex } from 'viem'
import { encodeCall } from '../../../src/loan/calls.ts'
import type { Payment, Work } from '../../../src/relay/ledger/port.ts'
import type { ScreenMessage } from '../oracle/screen-reader.ts'
import type { PoolRefusal } from '../rootstock-pool/refusals.ts'
import type { Actor } from './actors.ts'
import type { MemoryEvent } from './lender/kept-memory.ts'
import type { MinedTransaction } from './model/chain.ts'
import type { ProcessedRequest } from './model/contracts.ts'
import { termSeconds } from './model/contracts.ts'
import type { ModelTransaction } from './model/signing.ts'
import { type Dial, type Plan, principalWei } from './plan.ts'

/** What is written down while a run lasts. Times are Unix times in ms. */
export const newRecords = () => ({
  phaseStarts: [] as number[],
  /** When the faults and events of each phase are over. */
  quietFrom: [] as number[],
  /** The highest block that rounds had followed by then. */
  followed: [] as (number | undefined)[],
  statements: [] as Statement[],
  /** All bytes that reached a node, by whomever. */
  arrivals: [] as Arrival[],
  /** `payers`: whose requests stood in the blocks that the chain lost. */
  reorganizations: [] as { at: number; removed: number; payers: ReadonlySet<string> }[],
  losses: [] as Loss[],
  /** Transactions of the relayer's key that the relay did not make. */
  foreign: new Set<Hex>(),
  /** By their intents, as they can be read at the end of each phase. */
  payments: [] as ReadonlyMap<string, Payment>[],
  noticed: [] as [rule: NoticedRule, words: string][],
  reorganizationsTold: 0,
  /** How often the relay took what passed a nonce for a transaction of another program. */
  displacedTold: 0,
  /** The nonces that the relay took back, too far ahead of the chain to be reached. */
  givenUp: [] as { at: number; nonce: number }[],
  /** Lists what the relay asked the node, by who asked: a delivery's Worker or the ledger. */
  asked: [] as NodeCall[],
  texted: [] as { at: number; to: string; text: string }[],
  deliveries: [] as Delivery[],
})

export type Records = ReturnType<typeof newRecords>

export type History = Readonly<Records> & {
  plan: Plan
  callers: readonly Address[]
  /** What the chain as it is at the end did with requests, in its order. */
  processed: readonly OnChain[]
  totalsWei: readonly [bigint, bigint]
  work: Work
  audit: readonly string[]
  pool: readonly ModelTransaction[]
  memory: readonly MemoryEvent[]
}

/** Promises that are held against what happens while it does. */
export type NoticedRule = 'uncaught' | 'done'

export type NodeCall = {
  at: number
  by: string
  method: string
  params: readonly unknown[]
  /** The chain's height then, however far behind the replica is that answers. */
  head: number
}

export type Delivery = {
  dial: Dial
  text: string
  phase: 0 | 1
  isProbe: boolean
  account: Address
  /** Names the session in the ledger, and its payment on the chain. */
  session: string
  intentId: Hex
  actor: Actor
  startedAt: number
  /** Marks a time in which the chain showed that nothing could be carried. */
  isHopeless: boolean
  reply: string | undefined
  /** What the reply says; undefined where no message says so. */
  said: ScreenMessage | undefined
  repliedAt: number | undefined
}

export type Statement = {
  at: number
  intentId: string
  to: string
  hash: string | undefined
}

export type Arrival = {
  at: number
  transaction: ModelTransaction
  refusal: PoolRefusal | undefined
  /** Other bytes of the relay's that held the nonce in the pool. */
  over: ModelTransaction | undefined
}

export type OnChain = { mined: MinedTransaction; processed: ProcessedRequest }

export type Loss = {
  at: number
  /** Undefined: everything. */
  row: { table: string; session: string | undefined; nonce: number | undefined } | undefined
}

export function encodeWanted(
  { callers }: Pick<History, 'callers'>,
  { dial: { wanted } }: Pick<Delivery, 'dial'>,
): Hex | undefined {
  switch (wanted.kind) {
    case 'transfer':
    case 'withdrawal':
    case 'purchase': {
      const to = callers[wanted.to]
      if (to === undefined) throw new Error('the plan has a recipient without an account')
      return encodeCall({ kind: 'transfer', to, amountWei: wanted.amountWei })
    }
    case 'loan':
      return encodeCall({ kind: 'loan', principalWei, feeWei: 0n, termSeconds })
    case 'repayment':
      return encodeCall({ kind: 'repayment', amountWei: wanted.amountWei })
    case 'nothing':
      return undefined
  }
}

// Written here a second time, by names: what the ledger's own tables say is judged by it.

export const undecided = ({ queued, stuck, carried }: Work): Payment[] => [
  ...[...queued, ...stuck],
  ...carried,
]

export const unsettled = (work: Work): Payment[] => [...undecided(work), ...work.mined]
