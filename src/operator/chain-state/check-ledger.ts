import { isAddressEqual } from 'viem'
import { soonMs } from '../../chain/chains.ts'
import {
  type ChainFact,
  type ObservationReport,
  type Observations,
  withSeen,
} from '../../relay/ledger/observations.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { RoundResult } from '../../relay/ledger/schedule.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { describeFault } from '../../runtime/log.ts'
import type { CheckName } from '../answers.ts'
import { runChecks } from '../health.ts'
import { findStuckNonce } from '../stuck-nonce.ts'
import type { LookAtContracts } from './contracts.ts'

/** Limits the node requests per check, except for facts that are unknown or expired. */
const questionsALook = 2
/** Drops a fact after this many checks without a round. */
const staleLooks = 4
/** Limits how often a round without news is recorded. */
const noteMs = 10_000
/** Sets how soon a failing fact is read again, in shortest pauses between rounds. */
const againLooks = 3
const nodeTimeoutMs = 5_000

/** Runs a round and records what it read; while health fails the next round comes soon. */
export async function watched(
  relayer: Relayer,
  lookAtContracts: LookAtContracts,
  round: (relayer: Relayer) => Promise<RoundResult>,
  ended: (how: 'noted' | 'failed') => void,
): Promise<RoundResult> {
  const seen: ObservationReport = { facts: {}, node: undefined, round: 'failed' }
  const looked = () =>
    checkLedger(relayer, lookAtContracts, seen, ended).catch((error) => {
      relayer.log({ level: 'warn', event: 'look.failed', message: describeFault(error) })
      ended('failed')
      return false
    })
  try {
    const tended = await round({ ...relayer, node: observed(relayer, seen) })
    seen.round = 'done'
    return (await looked()) && tended !== 'soon' ? 'failing' : tended
  } catch (error) {
    await looked()
    throw error
  }
}

function observed({ node, signer, clock }: Relayer, seen: ObservationReport): Relayer['node'] {
  return {
    ...node,
    async head(signal) {
      try {
        const head = await node.head(signal)
        const { number, timestampSeconds } = head
        seen.facts.head = { number, timestampSeconds, readAt: clock.now() }
        seen.node = 'answered'
        return head
      } catch (error) {
        seen.node = 'silent'
        throw error
      }
    },
    async gasPrice(signal) {
      const wei = await node.gasPrice(signal)
      seen.facts.gasPrice = { wei: `${wei}`, readAt: clock.now() }
      return wei
    },
    async balance(account, signal) {
      const wei = await node.balance(account, signal)
      if (isAddressEqual(account, signer.address)) {
        seen.facts.funds = { wei: `${wei}`, readAt: clock.now() }
      }
      return wei
    },
  }
}

const looksFor: Partial<Record<CheckName, readonly LookName[]>> = {
  node: ['head', 'contracts'],
  relayer_funds: ['funds', 'gasPrice'],
  gas_price: ['gasPrice'],
  contracts: ['contracts'],
}

const failingFor = (relayer: Relayer, vitals: Vitals): readonly LookName[] =>
  runChecks({ vitals, budget: undefined, terms: relayer, aheadMs: 0 }).flatMap(
    ({ name, state }) => (state === 'failing' && looksFor[name]) || [],
  )

/** Reads the oldest facts and the failing ones again; returns whether health still fails. */
async function checkLedger(
  relayer: Relayer,
  lookAtContracts: LookAtContracts,
  seen: ObservationReport,
  ended: (how: 'noted') => void,
): Promise<boolean> {
  const { ledger, log, rules, clock } = relayer
  const vitals = await ledger.readVitals()
  const { now, observations: sight } = vitals
  const isStuck = findStuckNonce({ vitals, terms: relayer }) !== undefined
  const wrong = [...failingFor(relayer, vitals), ...(isStuck ? (['poolCount'] as const) : [])]
  const measureAge = (name: LookName) => now - (sight[name]?.at ?? 0)
  // While something is open, rounds read most facts anyway.
  const leastAgeMs = seen.node === undefined ? rules.lookMs : 2 * rules.lookMs
  const isDueAfter = (ageMs: number) => (name: LookName) =>
    seen.facts[name] === undefined && measureAge(name) >= ageMs
  const again = wrong.filter(isDueAfter(againLooks * soonMs(rules.roundMs)))
  const due = lookNames.filter(isDueAfter(leastAgeMs)).sort((a, b) => measureAge(b) - measureAge(a))
  const stale = due.filter((name) => measureAge(name) >= staleLooks * rules.lookMs)
  const oldest = due.slice(0, Math.max(questionsALook, stale.length))
  const asked = [...new Set([...again, ...oldest])]
  const asking = { ...relayer, node: observed(relayer, seen) }
  for (const name of asked) {
    // One time-out is enough: each further request would wait as long.
    if (seen.node === 'silent') break
    try {
      await questions[name](asking, { lookAtContracts, seen, sight })
    } catch (error) {
      log({ level: 'warn', event: 'look.failed', message: describeFault(error), fact: name })
      // One answer that fails may be this question's own: whether the node is there is told by its
      // head.
      if (seen.node === undefined) await questions.head(asking).catch(() => undefined)
    }
  }
  const isNews = Object.keys(seen.facts).length > 0 || seen.node !== undefined
  const isFailing = seen.round === 'failed' || sight.failingSince !== undefined
  const isDue = now - (sight.roundAt ?? 0) >= noteMs
  const isNoted = isDue || isFailing || (isNews && (asked.length > 0 || wrong.length > 0))
  if (isNoted) {
    await ledger.recordObservations({ ...seen, now: clock.now() })
    ended('noted')
  }
  return failingFor(relayer, { ...vitals, observations: withSeen(sight, seen, now + 1) }).length > 0
}

type LookName = keyof typeof questions

type Known = { lookAtContracts: LookAtContracts; seen: ObservationReport; sight: Observations }

const questions = {
  head: ({ node, clock }: Relayer) => node.head(clock.timeout(nodeTimeoutMs)),
  gasPrice: ({ node, clock }: Relayer) => node.gasPrice(clock.timeout(nodeTimeoutMs)),
  funds: ({ node, clock, signer }: Relayer) =>
    node.balance(signer.address, clock.timeout(nodeTimeoutMs)),
  async contracts(relayer: Relayer, { lookAtContracts, seen, sight }: Known) {
    const head = seen.facts.head ?? sight.head
    // A local chain's clock may be ahead of ours.
    const seconds = Math.max(relayer.clock.now() / 1_000, head?.timestampSeconds ?? 0)
    const found = await lookAtContracts(relayer, Math.floor(seconds))
    seen.facts.contracts = { ...found, readAt: relayer.clock.now() }
  },
  async poolCount({ node, signer, clock }: Relayer, { seen }: Known) {
    const signal = clock.timeout(nodeTimeoutMs)
    const number = await node.transactionCount(signer.address, signal, 'pending')
    seen.facts.poolCount = { number, readAt: clock.now() }
  },
} satisfies Partial<Record<ChainFact, (relayer: Relayer, known: Known) => Promise<unknown>>>

/** Lists what every look asks for in turn. */
const lookNames = ['head', 'gasPrice', 'funds', 'contracts'] as const
