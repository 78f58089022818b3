import { tryOrLog } from '../../runtime/log.ts'
import { getIdentity } from '../identity.ts'
import type { AccountState, FactReading } from '../ledger/records/chain.ts'
import type { RoundResult } from '../ledger/schedule.ts'
import { isOpen, type Work } from '../ledger/work.ts'
import type { Relayer } from '../relayer.ts'
import { assureOutcomes } from './assure.ts'
import { carryPayments } from './carry.ts'
import { execute, isSend } from './execute.ts'
import { listAssurableSoon, type Plan, type RoundFacts } from './facts.ts'
import { followChain } from './follow.ts'
import { type Asking, answerStage, askOrLog } from './questions.ts'
import { isDueSoon, resendTransactions } from './resend.ts'
import { settleOutcomes } from './settle.ts'

/** Runs one round: plans by answers, and changes the ledger by idempotent compare-and-sets. */
export async function runRound(relayer: Relayer): Promise<RoundResult> {
  const { ledger, log } = relayer
  // Deletes old rows; a failure does not stop the round.
  await tryOrLog(log, { level: 'warn', event: 'prune.failed' }, () => ledger.prune())
  const work = await ledger.readWork(getIdentity(relayer))
  if (judgeRound(work) === 'idle') return 'idle'
  const { differences = [] } = work
  if (differences.length > 0) return leaveAlone(relayer, work, differences)
  const followed = await answerStage(relayer, followChain(work, relayer))
  if (followed.facts !== undefined) return runStages(relayer, work, followed)
  await execute(relayer, followed.actions)
  return 'open'
}

/**
 * Runs a round's stages, each planned by itself, since it changes what the next one uses: what the
 * chain holds is settled, what cannot fail any more is assured, transactions are sent again, and
 * waiting payments are carried.
 */
async function runStages(relayer: Relayer, first: Work, followed: Plan): Promise<RoundResult> {
  const { ledger, rules } = relayer
  let { work, facts, isSent } = { work: first, facts: followed.facts, isSent: false }
  /** Executes a plan, and tells whether the ledger refused a nonce. */
  async function perform(plan: Plan): Promise<boolean> {
    const outcome = await execute(relayer, plan.actions)
    facts = plan.facts
    isSent ||= plan.actions.some(isSend)
    if (outcome.kind !== 'same') work = await ledger.readWork()
    if (outcome.kind !== 'refused') return false
    facts = { ...facts, refused: new Set([...facts.refused, outcome.nonce]) }
    return true
  }
  await perform(followed)
  for (const stage of [settleOutcomes, assureOutcomes, resendTransactions, carryPayments]) {
    // Only after a refused nonce, which no later plan uses, is a stage planned again.
    while (await perform(await answerStage(relayer, stage(work, facts, relayer)))) {}
  }
  if (isOpen(work)) await recordAccountState(relayer, first, facts)
  if (isSent) work = await ledger.readWork()
  const isUrgent = listAssurableSoon(work, relayer, facts.head).length > 0
  return isUrgent || isDueSoon(work, facts.chainNonce, rules) ? 'soon' : judgeRound(work)
}

/** Records prices and counts, so that payments need not ask for them. */
async function recordAccountState(relayer: Relayer, work: Work, facts: RoundFacts): Promise<void> {
  const reading = findNextReading(work, facts)
  const { gasPriceWei, chainNonce } = facts
  await tryOrLog(relayer.log, { level: 'warn', event: 'readings.failed' }, async () => {
    const answer = reading && (await answerStage(relayer, takeReading(reading)))
    const accountState = {
      chainNonce,
      ...(gasPriceWei !== undefined && { gasPriceWei }),
      ...answer,
    }
    await relayer.ledger.recordAccountState(facts.head.hash, accountState, answer && reading)
  })
}

function findNextReading({ nextReading, nonces }: Work, facts: RoundFacts) {
  const { isNewHead, chainNonce, reportedNonce, poolNonce } = facts
  if (!isNewHead || reportedNonce !== undefined) return undefined
  if (poolNonce === undefined) return nextReading
  // If the pool holds more than ours, the next nonce may be from a replica that lags.
  const own = nonces.filter(({ nonce }) => nonce >= chainNonce)
  return poolNonce > chainNonce + own.length ? 'reportedNonce' : undefined
}

function* takeReading(name: FactReading): Asking<AccountState | undefined> {
  const ask = {
    gasPriceWei: () => askOrLog('readings.failed', 'getGasPrice'),
    balanceWei: () => askOrLog('readings.failed', 'getBalance'),
    reportedNonce: () => askOrLog('readings.failed', 'getNextNonce', 'latest'),
  }[name]
  const answer = yield* ask()
  return answer === undefined ? undefined : { [name]: answer }
}

/** Reports that the ledger belongs to another key or forwarder, and changes nothing in it. */
function leaveAlone({ log }: Relayer, work: Work, differences: readonly string[]): RoundResult {
  if (isOpen(work)) {
    log({
      level: 'error',
      event: 'identity.different',
      message: `A ledger with open payments was begun with other values of: ${differences.join(', ')}`,
    })
  }
  return 'watching'
}

function judgeRound(work: Work): RoundResult {
  if (isOpen(work)) return 'open'
  return work.watching ? 'watching' : 'idle'
}
