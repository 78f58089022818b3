import { describeFault } from '../../runtime/log.ts'
import { getIdentity } from '../identity.ts'
import type { RoundResult } from '../ledger/schedule.ts'
import { isOpen, type Work } from '../ledger/work.ts'
import type { Relayer } from '../relayer.ts'
import { execute } from './execute.ts'
import { type ChainSnapshot, isAnyDueSoon, isPoolFull, type LedgerSnapshot } from './facts.ts'
import { isSend, plan, stages } from './plan.ts'
import { askAccountState, askForFollow, askForStage } from './snapshot.ts'

/** Runs one round: plans from snapshots, and changes the ledger by idempotent compare-and-sets. */
export async function runRound(relayer: Relayer): Promise<RoundResult> {
  await prune(relayer)
  const work = await relayer.ledger.readWork(getIdentity(relayer))
  if (judgeRound(work) === 'idle') return 'idle'
  const { differences = [] } = work
  if (differences.length > 0) return leaveAlone(relayer, work, differences)
  return runStages(relayer, { work, refused: new Set() })
}

async function runStages(relayer: Relayer, first: LedgerSnapshot): Promise<RoundResult> {
  let ledger = first
  let chain = await askForFollow(relayer, ledger)
  let isSent = false
  for (const stage of stages) {
    for (;;) {
      if (stage !== 'follow') chain = await askForStage(stage, relayer, ledger, chain)
      const actions = plan(stage, ledger, chain, relayer)
      const outcome = await execute(relayer, actions)
      isSent ||= actions.some(isSend)
      if (actions.some(({ kind }) => kind === 'awaitChain')) return 'open'
      if (outcome.kind === 'same') break
      const refused = new Set(ledger.refused)
      if (outcome.kind === 'refused') refused.add(outcome.nonce)
      ledger = { work: await relayer.ledger.readWork(), refused }
      // Only after a refused nonce, which no later plan uses, is a stage planned again.
      if (outcome.kind !== 'refused') break
    }
  }
  if (isOpen(ledger.work)) await recordAccountState(relayer, first, chain)
  const work = isSent ? await relayer.ledger.readWork() : ledger.work
  const { chainNonce } = chain
  const isSoon = isAnyDueSoon(work, chainNonce, relayer) || isPoolFull(work, chainNonce, relayer)
  return isSoon ? 'soon' : judgeRound(work)
}

/** Records prices and counts, so that payments need not ask for them. */
async function recordAccountState(
  relayer: Relayer,
  { work }: LedgerSnapshot,
  chain: ChainSnapshot,
): Promise<void> {
  try {
    const { accountState, checked: reading } = await askAccountState(relayer, work, chain)
    await relayer.ledger.recordAccountState(chain.head.hash, accountState, reading)
  } catch (error) {
    relayer.log({ level: 'warn', event: 'readings.failed', message: describeFault(error) })
  }
}

/** Deletes old rows; a failure does not stop the round. */
async function prune({ ledger, log }: Relayer): Promise<void> {
  try {
    await ledger.prune()
  } catch (error) {
    log({ level: 'warn', event: 'prune.failed', message: describeFault(error) })
  }
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
