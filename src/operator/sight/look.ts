import { isAddressEqual } from 'viem'
import { type FactName, factNames, type Seen, type Sight } from '../../relay/ledger/sight.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { faultOf } from '../../runtime/log.ts'
import type { ContractsCall } from './contracts.ts'

/** Questions of one look, but for facts that were never known: two a minute while nothing is open. */
const questionsALook = 2

/** A round that saw nothing new is noted no more often than this. */
const noteMs = 10_000

const nodeTimeoutMs = 5_000

/**
 * Does a round, and notes in the ledger what it saw of the chain, for those who run the service. `ended` is
 * called once something is noted, or could not be.
 */
export async function watched<Answer>(
  relayer: Relayer,
  contracts: ContractsCall,
  round: (relayer: Relayer) => Promise<Answer>,
  ended: (how: 'noted' | 'failed') => void,
): Promise<Answer> {
  const seen: Seen = { facts: {}, node: undefined, round: 'failed' }
  try {
    const answer = await round({ ...relayer, node: observed(relayer, seen) })
    seen.round = 'done'
    return answer
  } finally {
    try {
      if (await look(relayer, contracts, seen)) ended('noted')
    } catch (error) {
      relayer.log({ level: 'warn', event: 'look.failed', message: faultOf(error) })
      ended('failed')
    }
  }
}

/** A node whose answers that are facts are noted as they come. */
function observed({ node, signer }: Relayer, seen: Seen): Relayer['node'] {
  return {
    ...node,
    async head(signal) {
      try {
        const head = await node.head(signal)
        const { number, timestampSeconds } = head
        seen.facts.head = { number, timestampSeconds }
        seen.node = 'answered'
        return head
      } catch (error) {
        seen.node = 'silent'
        throw error
      }
    },
    async gasPrice(signal) {
      const wei = await node.gasPrice(signal)
      seen.facts.gasPrice = { wei: `${wei}` }
      return wei
    },
    async balance(account, signal) {
      const wei = await node.balance(account, signal)
      if (isAddressEqual(account, signer.address)) seen.facts.funds = { wei: `${wei}` }
      return wei
    },
  }
}

/**
 * Asks for the facts that are oldest, few at a time, and notes them with what the round saw itself, but
 * not where that was noted a moment ago: then it says so.
 */
async function look(relayer: Relayer, contracts: ContractsCall, seen: Seen): Promise<boolean> {
  const { ledger, log, rules } = relayer
  const { now, sight } = await ledger.vitals()
  const ageOf = (name: FactName) => now - (sight[name]?.at ?? 0)
  // While something is open rounds ask for most of them by themselves.
  const leastAgeMs = seen.node === undefined ? rules.lookMs : 2 * rules.lookMs
  const due = factNames
    .filter((name) => seen.facts[name] === undefined && ageOf(name) >= leastAgeMs)
    .sort((a, b) => ageOf(b) - ageOf(a))
  const unknown = due.filter((name) => sight[name] === undefined)
  const asked = due.slice(0, Math.max(questionsALook, unknown.length))
  const asking = { ...relayer, node: observed(relayer, seen) }
  for (const name of asked) {
    // What a silent node was asked once tells of all: each question more would take its whole time.
    if (seen.node === 'silent') break
    try {
      await questions[name](asking, { contracts, seen, sight })
    } catch (error) {
      log({ level: 'warn', event: 'look.failed', message: faultOf(error), fact: name })
      // One answer that fails may be this question's own: whether the node is there is told by its head.
      if (seen.node === undefined) await questions.head(asking).catch(() => undefined)
    }
  }
  const isNews = Object.keys(seen.facts).length > 0 || seen.node !== undefined
  const isFailing = seen.round === 'failed' || sight.failingSince !== undefined
  const isDue = now - (sight.roundAt ?? 0) >= noteMs
  const isNoted = isDue || isFailing || (isNews && asked.length > 0)
  if (isNoted) await ledger.saw(seen)
  return isNoted
}

type Known = { contracts: ContractsCall; seen: Seen; sight: Sight }

const questions = {
  head: ({ node, clock }: Relayer) => node.head(clock.timeout(nodeTimeoutMs)),
  gasPrice: ({ node, clock }: Relayer) => node.gasPrice(clock.timeout(nodeTimeoutMs)),
  funds: ({ node, clock, signer }: Relayer) =>
    node.balance(signer.address, clock.timeout(nodeTimeoutMs)),
  async contracts({ node, clock, signer, forwarder }: Relayer, known: Known) {
    const { contracts, seen, sight } = known
    const head = seen.facts.head ?? sight.head
    // A local chain's clock may be ahead of ours.
    const seconds = Math.max(clock.now() / 1_000, head?.timestampSeconds ?? 0)
    const data = await contracts.calldata(Math.floor(seconds))
    const call = { from: signer.address, to: forwarder.address, data }
    seen.facts.contracts = contracts.read(await node.call(call, clock.timeout(nodeTimeoutMs)))
  },
} satisfies Record<FactName, (relayer: Relayer, known: Known) => Promise<unknown>>
