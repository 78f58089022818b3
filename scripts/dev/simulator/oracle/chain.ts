import { decodeRefusal } from '../../../../src/loan/calls.ts'
import { ledgerRules } from '../../../../src/relay/ledger/draft.ts'
import { type History, unsettled } from '../history.ts'
import { Status } from '../model/contracts.ts'
import { isLeftFar, lifetimeMs, type Report } from './circumstances.ts'

export function judgeChain(history: History, found: Report): void {
  const { arrivals, totalsWei, processed, plan } = history
  if (totalsWei[0] !== totalsWei[1]) {
    found('conserved', `${totalsWei[0]} wei have become ${totalsWei[1]}`)
  }
  for (const { transaction, refusal, over } of arrivals) {
    const { hash, gasPriceWei } = transaction
    if (gasPriceWei > plan.setup.maxGasPriceWei) {
      found('priced', `${hash} offers ${gasPriceWei} wei`)
    }
    const isUnderbid =
      refusal === 'underbid' && gasPriceWei >= (over?.gasPriceWei ?? gasPriceWei + 1n)
    if (!isUnderbid) continue
    found('bump', `${hash} does not outbid ${over?.hash}`, 'lost_rows', 'foreign')
  }
  for (const { processed: result } of processed) {
    if (result.status !== Status.failed) continue
    const { reason } = decodeRefusal(result.returnData)
    if (reason !== 'balance_too_low' && reason !== 'no_liquidity') continue
    const rule = reason === 'no_liquidity' ? 'lent' : 'overdrawn'
    const words = `${result.intentId} passed on what another payment had used up`
    found(rule, words, 'no_preflight', 'lost_rows', 'reorganized', 'disturbed')
  }
}

/** The calls that are made for a single payment; other calls serve all payments. */
const ownQuestions = [
  'eth_getTransactionReceipt',
  'eth_sendRawTransaction',
  'eth_call',
  'eth_getLogs',
  'eth_getTransactionByHash',
]

/** Counts the rounds that sent in the same block as another round. */
function sendAgain(asked: History['asked'], rounds: ReadonlySet<string>): number {
  const sends = asked.filter((one) => rounds.has(one.by) && one.method === 'eth_sendRawTransaction')
  const blocks = new Set(sends.map(({ head }) => head))
  return new Set(sends.map(({ by }) => by)).size - blocks.size
}

/** Judges that a payment which is open for long causes no more calls. */
export function judgeBudget(history: History, found: Report): void {
  const { asked, quietFrom, plan } = history
  const quiet = quietFrom.at(-1) ?? Number.POSITIVE_INFINITY
  const shared = asked.filter(
    ({ at, by, method }) => at > quiet && by.startsWith('round') && !ownQuestions.includes(method),
  )
  const [first, last] = [shared[0], shared.at(-1)]
  if (first === undefined || last === undefined) return
  const { blockMs, rules } = plan.setup
  const rounds = new Set(shared.map(({ by }) => by))
  // They come by chance: more often than usual for a while, and then the first round catches up.
  const blocks = 1.25 * ((last.at - first.at) / blockMs) + 5
  // What rounds had not followed by then is followed block by block, as far as it is watched.
  const missed = Math.min(first.head - followedTo(history, first.head), rules.watchBlocks)
  // Where deadlines pass without a block each round asks for the block that is final, too.
  const isPaused = plan.items.some((one) => one.kind === 'no_blocks' && one.forMs > lifetimeMs)
  const own = rounds.size * (isPaused ? 2 : 1)
  // Before what a batch had no gas for goes out again, the chain is asked for it.
  const skipped = history.processed.filter((one) => one.processed.status === Status.skipped)
  // Of each block that passes over what waits, the pool is asked whether it still has that.
  const again = 2 * sendAgain(asked, rounds) + skipped.length
  if (shared.length <= own + missed + 3 * blocks + again) return
  const words = `${rounds.size} rounds of about ${Math.ceil(blocks)} blocks ask ${shared.length} times`
  found('budget', words, 'lost_rows', 'reorganized', 'foreign')
}

/** Returns the highest followed block; without one, rounds follow down to our first block. */
function followedTo({ followed, processed }: History, head: number): number {
  return followed.at(-1) ?? Math.min(head, ...processed.map(({ mined }) => mined.block.number))
}

/** Judges what is left at the end, and reports what was noticed during the run. */
export function judgeEnd(history: History, found: Report): void {
  const { foreign } = history
  const open = [
    ...history.work.nonces.map(({ nonce }) => `nonce ${nonce} is recorded`),
    ...unsettled(history.work).map(({ order, state }) => `${order.request.intentId} is ${state}`),
  ]
  if (open.length > 0) found('settled', open.join('; '))
  for (const transaction of open.length > 0 ? [] : history.pool) {
    const { nonce, hash } = transaction
    const own = { foreign: foreign.has(hash), left_far: () => isLeftFar(history, transaction) }
    found('gap', `nonce ${nonce} (${hash}) waits`, own, 'lost_rows')
  }
  for (const words of open.length > 0 ? [] : history.audit) found('counted', words)
  for (const [rule, words] of history.noticed) found(rule, words)
  for (const payments of history.payments) {
    for (const [intentId, { state, attempts }] of payments) {
      if (state !== 'expired') continue
      const in_vain = attempts >= ledgerRules.maxAttempts
      found('made', `${intentId} has expired`, 'was_down', { in_vain }, 'lost_rows', 'outlasted')
    }
  }
  if (history.reorganizationsTold > 0) {
    found('stated', 'the log tells of a reorganization, and there was none', 'reorganized')
  }
  if (history.displacedTold > 0) {
    const words = 'the log tells of a transaction of another program, and there was none'
    found('stated', words, 'foreign', 'lost_rows', 'reorganized')
  }
}
