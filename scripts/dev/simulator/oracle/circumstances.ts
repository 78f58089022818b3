import type { Hex } from 'viem'
import { requestLifetimeSeconds } from '../../../../src/relay/forwarder/requests.ts'
import type { History } from '../history.ts'
import { Status } from '../model/contracts.ts'
import type { Item } from '../plan.ts'
import type { Excuse, Rule, Verdict, Violation } from './rules.ts'

export const lifetimeMs = requestLifetimeSeconds * 1000

/** The ledger keeps sessions for so many days: a session id that comes later is another session. */
export const retentionDays = 8

export const isSpending = (status: number): boolean =>
  status === Status.executed || status === Status.failed

export const has = ({ plan }: Pick<History, 'plan'>, ...kinds: Item['kind'][]): boolean =>
  plan.items.some(({ kind }) => kinds.includes(kind))

/** Tells whether node or chain stood still, or a crowd waited, for longer than a request lasts. */
const isOutlasted = ({ plan: { setup, items } }: History): boolean =>
  items.some(
    (item) =>
      (item.kind === 'node_down' ||
        item.kind === 'no_blocks' ||
        (item.kind === 'unlisted' && setup.callers > 100)) &&
      item.forMs > lifetimeMs,
  )

/** Tells whether the chain took back a block that was final. */
export const isUndoneFinal = ({ plan, reorganizations }: History): boolean =>
  reorganizations.some(({ removed }) => removed >= plan.setup.rules.confirmations)

/** The excuses that hold for a whole history. */
const shared = {
  was_down: ({ plan }) => plan.setup.outageDays !== undefined,
  lost_rows: ({ losses }) => losses.length > 0,
  reorganized: ({ reorganizations }) => reorganizations.length > 0,
  foreign: ({ foreign }) => foreign.size > 0,
  lied: (history) => has(history, 'false_verdict'),
  distrusted: (history) => has(history, 'unlisted'),
  no_preflight: ({ plan }) => !plan.setup.preflight,
  disturbed: (history) => has(history, 'withdrawal', 'direct', 'pause', 'foreign', 'unlisted'),
  outlasted: isOutlasted,
} satisfies Partial<Record<Excuse, (history: History) => boolean>>

/** Shared excuses by name, and others with the condition that decides them. */
export type Excuses = readonly (
  | keyof typeof shared
  | Partial<Record<Excuse, boolean | (() => boolean)>>
)[]

export type Report = (rule: Rule, words: string, ...unless: Excuses) => void

export function createFindings(history: History): Verdict & { found: Report } {
  const violations: Violation[] = []
  const excused: Partial<Record<Excuse, number>> = {}
  return {
    violations,
    excused,
    found(rule, words, ...unless) {
      const own = unless.map((one) =>
        typeof one === 'string' ? { [one]: shared[one](history) } : one,
      )
      for (const [name, is] of own.flatMap(Object.entries) as [Excuse, unknown][]) {
        if (!(typeof is === 'function' ? is() : is)) continue
        excused[name] = (excused[name] ?? 0) + 1
        return
      }
      violations.push({ rule, words })
    },
  }
}

/** Tells whether a transaction of an abandoned nonce was sent, so that a pool may hold it. */
export function isLeftFar(
  { plan, givenUp, arrivals }: History,
  { hash, nonce }: { hash: Hex; nonce: number },
): boolean {
  const taken = givenUp.findLast((one) => one.nonce === nonce)
  if (!plan.setup.isRoomy || taken === undefined) return false
  return arrivals.some(({ at, transaction }) => transaction.hash === hash && at <= taken.at)
}
