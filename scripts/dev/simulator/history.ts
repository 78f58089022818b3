import type { Address, Hex } from 'viem'
import { encodeCall } from '../../../src/loan/calls.ts'
import type { Payment } from '../../../src/relay/ledger/payments/payment-states.ts'
import type { Work } from '../../../src/relay/ledger/work.ts'
import type { ScreenMessage } from '../oracle/screen-reader.ts'
import type { PoolRefusal } from '../rootstock-pool/refusals.ts'
import type { Actor } from './actors.ts'
import type { MemoryEvent } from './lender/kept-memory.ts'
import type { ChainState, MinedTransaction } from './model/chain.ts'
import { type ProcessedRequest, termSeconds } from './model/contracts.ts'
import type { ModelTransaction } from './model/signing.ts'
import type { Dial, Plan } from './plan.ts'

/** Creates the records of a run; times are Unix times in ms. */
export const newRecords = () => ({
  phaseStarts: [] as number[],
  statements: [] as Statement[],
  /** All transactions that reached a node, whoever sent them. */
  arrivals: [] as Arrival[],
  /** `payers` are the accounts with requests in the blocks that the chain lost. */
  reorganizations: [] as { at: number; removed: number; payers: ReadonlySet<string> }[],
  /** When the ledger lost all its rows, or the last ones. */
  losses: [] as { at: number }[],
  /** Transactions of the relayer's key that the relay did not make. */
  foreign: new Set<Hex>(),
  /** The payments by intent, as read at the end of each phase. */
  payments: [] as ReadonlyMap<string, Payment>[],
  /** The errors that nothing caught. */
  uncaught: [] as string[],
  /** Names what the relay has logged. */
  logged: new Set<string>(),
  /** The nonces that the relay abandoned, because they were too far ahead of the chain. */
  givenUp: [] as { at: number; nonce: number }[],
  /** Lists what the relay asked the node, by who asked: a delivery's Worker or the ledger. */
  asked: [] as { at: number; by: string; method: string }[],
  deliveries: [] as Delivery[],
  /** What wallets sent to the addresses that they were shown, in the token's own parts. */
  sent: [] as { account: Address; parts: bigint }[],
  /** The feed's price of one unit from each time on, in millionths of local money; zero: none. */
  prices: [] as { at: number; micros: bigint }[],
  /** When a rate was not learnt from the feed, or refused. */
  unread: [] as number[],
})

export type Records = ReturnType<typeof newRecords>

export type History = Readonly<Records> & {
  plan: Plan
  callers: readonly Address[]
  /** The requests that the final chain processed, in its order. */
  processed: readonly OnChain[]
  totalsWei: readonly [bigint, bigint]
  work: Work
  audit: readonly string[]
  /** Returns the number of the highest block at a time (Unix time in ms). */
  readHead: (at: number) => number
  /** Reads what an account had in the block that was final at a time (Unix time in ms). */
  readFinal: (at: number, account: Address) => { number: number; wei: bigint }
  /** What became of the tokens at inlets, in the end. */
  inlets: ChainState['inlets']
  pool: readonly ModelTransaction[]
  memory: readonly MemoryEvent[]
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
  /** Tells that the chain showed during the delivery that no payment was possible. */
  isHopeless: boolean
  reply: string | undefined
  /** What the reply says; undefined where no message says so. */
  said: ScreenMessage | undefined
  repliedAt: number | undefined
}

export type Statement = { at: number; intentId: string; to: string; hash: string | undefined }

export type Arrival = {
  at: number
  transaction: ModelTransaction
  refusal: PoolRefusal | undefined
  /** The relay's own transaction that held the nonce in the pool. */
  over: ModelTransaction | undefined
}

export type OnChain = { mined: MinedTransaction; processed: ProcessedRequest }

/** Encodes what a delivery asks for; `inUnit` counts in the unit what was typed for an amount. */
export function encodeWanted(
  { callers, plan: { setup } }: Pick<History, 'callers' | 'plan'>,
  { dial: { wanted }, account }: Pick<Delivery, 'dial' | 'account'>,
  inUnit: (wei: bigint) => bigint,
): Hex | undefined {
  switch (wanted.kind) {
    case 'transfer':
    case 'withdrawal':
    case 'purchase': {
      const to = callers[wanted.to]
      if (to === undefined) throw new Error('the plan has a recipient without an account')
      return encodeCall({ kind: 'transfer', to, amountWei: inUnit(wanted.amountWei) })
    }
    case 'loan': {
      const { principalWei } = setup
      return encodeCall({ kind: 'loan', principalWei, feeWei: 0n, termSeconds })
    }
    case 'repayment': {
      const { amountWei } = wanted
      const isAll = amountWei === 'all'
      return encodeCall({ kind: 'repayment', amountWei: isAll ? amountWei : inUnit(amountWei) })
    }
    case 'deposit':
      return encodeCall({ kind: 'deposit', account, amountWei: 'all' })
    case 'nothing':
      return undefined
  }
}

// Named here again, because these names judge what the ledger's own tables say.

export const undecided = ({ waiting, stuck, carried }: Work) => [...waiting, ...stuck, ...carried]

export const unsettled = (work: Work): Payment[] => [...undecided(work), ...work.mined]
