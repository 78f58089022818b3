import { isAddressEqual } from 'viem'
import { getUrgentRoundMs } from '../../chain/chains.ts'
import {
  addReport,
  type ChainFact,
  type ObservationReport,
  type Observations,
} from '../../relay/ledger/observations.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { describeFault } from '../../runtime/log.ts'
import { findStuckNonce, runChecks } from '../health.ts'
import type { Vitals, WholeLedger } from '../kept/steps.ts'
import type { CheckName } from '../schemas/health.ts'
import type { ReadContracts, ReadToken } from './contracts.ts'

/** Holds the readers of facts; `readToken` is undefined for a pool of the currency. */
type Readers = { readContracts: ReadContracts; readToken: ReadToken | undefined }

/** Limits the facts that are read after a round, except stale ones. */
const maxReadsPerRound = 2
const staleMultiple = 4
/** Sets the longest time between two records of a healthy relayer's rounds, in ms. */
const recordIntervalMs = 10_000
/** Sets after how many urgent rounds urgent facts are read again. */
const retryAfterRounds = 3
const nodeTimeoutMs = 5_000

/** Runs a round and records what it read. While health fails, returns `failing` or `soon`. */
export async function runObservedRound<Result extends string>(
  relayer: Relayer<WholeLedger>,
  readers: Readers,
  round: (relayer: Relayer) => Promise<Result>,
  onCheckEnd: (outcome: 'recorded' | 'failed') => void,
): Promise<Result | 'failing'> {
  const report: ObservationReport = { facts: {}, node: undefined, round: 'failed' }
  const refreshAfterRound = () =>
    refreshFacts(relayer, readers, report, () => onCheckEnd('recorded')).catch((error) => {
      relayer.log({ level: 'warn', event: 'look.failed', message: describeFault(error) })
      onCheckEnd('failed')
      return false
    })
  try {
    const result = await round({ ...relayer, node: observeNode(relayer, report) })
    report.round = 'done'
    return (await refreshAfterRound()) && result !== 'soon' ? 'failing' : result
  } catch (error) {
    await refreshAfterRound()
    throw error
  }
}

/** Returns the relayer's node, whose answers are added to the report. */
function observeNode({ node, signer, clock }: Relayer, report: ObservationReport): Relayer['node'] {
  return {
    ...node,
    async getHead(signal) {
      try {
        const head = await node.getHead(signal)
        const { number, timestampSeconds } = head
        report.facts.head = { number, timestampSeconds, readAt: clock.now() }
        report.node = 'answered'
        return head
      } catch (error) {
        report.node = 'silent'
        throw error
      }
    },
    async getGasPrice(signal) {
      const value = await node.getGasPrice(signal)
      report.facts.gasPriceWei = { value, readAt: clock.now() }
      return value
    },
    async getBalance(account, signal) {
      const value = await node.getBalance(account, signal)
      if (isAddressEqual(account, signer.address)) {
        report.facts.balanceWei = { value, readAt: clock.now() }
      }
      return value
    },
  }
}

const factsByCheck: Partial<Record<CheckName, readonly FactName[]>> = {
  node: ['head', 'contracts'],
  relayer_funds: ['balanceWei', 'gasPriceWei'],
  gas_price: ['gasPriceWei'],
  contracts: ['contracts'],
}

const listFailingFacts = (relayer: Relayer, vitals: Vitals): readonly FactName[] =>
  runChecks({ vitals, budget: undefined, terms: relayer, aheadMs: 0 }).flatMap(
    ({ name, state }) => (state === 'failing' && factsByCheck[name]) || [],
  )

/** Reads facts again and records the report, if it is due. Returns whether health still fails. */
async function refreshFacts(
  relayer: Relayer<WholeLedger>,
  readers: Readers,
  report: ObservationReport,
  onRecorded: () => void,
): Promise<boolean> {
  const vitals = await relayer.ledger.readVitals()
  const { now, observations } = vitals
  const isStuck = findStuckNonce({ vitals, terms: relayer }) !== undefined
  const stuckFacts = isStuck ? (['poolNonce'] as const) : []
  const failingFacts = [...listFailingFacts(relayer, vitals), ...stuckFacts]
  // What was mined since may have lent, or repaid.
  const isPoolOld = (vitals.lastMinedAt ?? 0) >= (observations.contracts?.at ?? 0)
  const urgentFacts = [...failingFacts, ...(isPoolOld ? (['contracts'] as const) : [])]
  const readable = polledFacts.filter((name) => name !== 'token' || readers.readToken !== undefined)
  const chosenFacts = chooseFacts(relayer, vitals, report, { readable, urgentFacts })
  await readFacts(relayer, chosenFacts, { ...readers, report, observations })
  const hasNewFacts = Object.keys(report.facts).length > 0 || report.node !== undefined
  const isFailing = report.round === 'failed' || observations.failingSince !== undefined
  const isRecordDue = now - (observations.roundAt ?? 0) >= recordIntervalMs
  // What a round itself reads while all is well can wait until a record is due.
  const isNews = hasNewFacts && (chosenFacts.length > 0 || failingFacts.length > 0)
  if (isRecordDue || isFailing || isNews) {
    await relayer.ledger.recordObservations({ ...report, now: relayer.clock.now() })
    onRecorded()
  }
  // With one ms added, new facts are later than an obstacle that was recorded at this moment.
  const after = { ...vitals, observations: addReport(observations, report, now + 1) }
  return listFailingFacts(relayer, after).length > 0
}

/** Chooses the facts to read: the urgent ones, and those not read for the longest time. */
function chooseFacts(
  { rules }: Relayer,
  { now, observations }: Vitals,
  report: ObservationReport,
  { readable, urgentFacts }: Record<'readable' | 'urgentFacts', readonly FactName[]>,
): FactName[] {
  const { readIntervalMs } = rules
  const getAge = (name: FactName) => now - (observations[name]?.at ?? 0)
  const isDueAfter = (ageMs: number) => (name: FactName) =>
    report.facts[name] === undefined && getAge(name) >= ageMs
  const retryAfterMs = retryAfterRounds * getUrgentRoundMs(rules.roundMs)
  // While payments are open, rounds read most facts anyway.
  const minAgeMs = report.node === undefined ? readIntervalMs : 2 * readIntervalMs
  const dueFacts = readable.filter(isDueAfter(minAgeMs)).sort((a, b) => getAge(b) - getAge(a))
  const staleFacts = dueFacts.filter((name) => getAge(name) >= staleMultiple * readIntervalMs)
  const oldestFacts = dueFacts.slice(0, Math.max(maxReadsPerRound, staleFacts.length))
  return [...new Set([...urgentFacts.filter(isDueAfter(retryAfterMs)), ...oldestFacts])]
}

/** Reads facts from the node and adds them to the report. Ends early if the node is silent. */
async function readFacts(
  relayer: Relayer<WholeLedger>,
  names: readonly FactName[],
  context: ReaderContext,
): Promise<void> {
  const { report } = context
  const observedRelayer = { ...relayer, node: observeNode(relayer, report) }
  for (const name of names) {
    // One time-out is enough: each further request would wait as long.
    if (report.node === 'silent') break
    try {
      await factReaders[name](observedRelayer, context)
    } catch (error) {
      const message = describeFault(error)
      relayer.log({ level: 'warn', event: 'look.failed', message, fact: name })
      // Only a failed read of the head shows that the node is silent.
      if (report.node === undefined) await factReaders.head(observedRelayer).catch(() => undefined)
    }
  }
}

type FactName = keyof typeof factReaders

type ReaderContext = Readers & { report: ObservationReport; observations: Observations }

const factReaders = {
  head: ({ node, clock }: Relayer) => node.getHead(clock.timeout(nodeTimeoutMs)),
  gasPriceWei: ({ node, clock }: Relayer) => node.getGasPrice(clock.timeout(nodeTimeoutMs)),
  balanceWei: ({ node, clock, signer }: Relayer) =>
    node.getBalance(signer.address, clock.timeout(nodeTimeoutMs)),
  async contracts(relayer: Relayer, { readContracts, report, observations }: ReaderContext) {
    const head = report.facts.head ?? observations.head
    // A local chain's clock may be ahead of ours.
    const seconds = Math.max(relayer.clock.now() / 1_000, head?.timestampSeconds ?? 0)
    const reading = await readContracts(relayer, Math.floor(seconds))
    report.facts.contracts = { ...reading, readAt: relayer.clock.now() }
  },
  async token(relayer: Relayer, { readToken, report }: ReaderContext) {
    const state = await readToken?.(relayer)
    report.facts.token = state && { state, readAt: relayer.clock.now() }
  },
  async poolNonce({ node, signer, clock }: Relayer, { report }: ReaderContext) {
    const signal = clock.timeout(nodeTimeoutMs)
    const value = await node.getTransactionCount(signer.address, signal, 'pending')
    report.facts.poolNonce = { value, readAt: clock.now() }
  },
} satisfies Partial<Record<ChainFact, (relayer: Relayer, known: ReaderContext) => Promise<unknown>>>

/** Lists the facts that are read again regularly, the oldest first. */
const polledFacts = ['head', 'gasPriceWei', 'balanceWei', 'contracts', 'token'] as const
