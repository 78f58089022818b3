import {
  type Address,
  createPublicClient,
  type Hex,
  http,
  isAddressEqual,
  type Log,
  parseEventLogs,
  parseUnits,
} from 'viem'
import type { IntentKeys } from '../../../src/account/secrets.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { getOne, type Unit } from '../../../src/loan/amounts.ts'
import {
  decodeResults,
  deriveIntentId,
  type Forwarder,
  spendsIntent,
} from '../../../src/relay/forwarder/requests.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import { type Claim, createScreenReader, type ScreenMessage } from '../oracle/screen-reader.ts'
import { judgeSession } from '../oracle/sessions.ts'
import type { Caller } from './callers.ts'
import type { Delivery, Reply } from './relay-workers.ts'

/** Holds a delivery and its reply; undefined without a reply. */
export type Told = { delivery: Delivery; reply: Reply | undefined }

/** Holds the oracle's findings; `lost` counts "submitted" ones neither executed nor failed. */
export type Verdict = { executed: number; failed: number; lost: number; faults: string[] }

export type GroundTruth = {
  anvilUrl: string
  loan: Address
  unit: Unit
  forwarder: Forwarder
  callers: readonly Caller[]
  intentKeys: IntentKeys
}

/** Describes a movement of money; `wei` is undefined for a whole debt or balance. */
type Move =
  | { kind: 'transfer'; to: string; wei: bigint | undefined }
  | { kind: 'loan' | 'repayment' | 'withdrawal'; wei: bigint | undefined }

/** Holds a forwarder's event that spent an intent, and what the loan contract moved by it. */
type Spent = {
  intentId: Hex
  from: Address
  outcome: 'executed' | 'failed'
  moved: { from: Address; move: Move } | undefined
}

/** Compares the replies with the chain alone, and returns contradictions. */
export async function judge(truth: GroundTruth, told: readonly Told[]): Promise<Verdict> {
  const faults: string[] = []
  let lost = 0
  const { spent, moves } = await spentOn(truth)
  const executed = spent.filter(({ outcome }) => outcome === 'executed').length
  if (moves !== executed) faults.push(`${moves} payments moved money, and ${executed} executed`)
  const byIntent = Map.groupBy(spent, ({ intentId }) => intentId)
  for (const [intentId, events] of byIntent) {
    if (events.length > 1) faults.push(`${intentId} took effect ${events.length} times`)
  }
  const sessions = Map.groupBy(told, ({ delivery }) => `${delivery.phone} ${delivery.sessionId}`)
  const asked = new Set<Hex>()
  for (const [session, deliveries] of sessions) {
    const intentId = await intentOf(truth, deliveries[0]?.delivery)
    asked.add(intentId)
    const [event] = byIntent.get(intentId) ?? []
    const replies = deliveries.map(({ delivery, reply }) => ({
      text: delivery.text,
      reply: reply?.text,
      said: reply && readReply(reply),
    }))
    const fate = { isSent: event !== undefined, outcome: event?.outcome }
    for (const { rule, words, one } of judgeSession(replies, fate)) {
      if (rule === 'submitted') lost += 1
      faults.push(`${session}, by ${one.text}, ${words}`)
    }
    if (event?.outcome === 'executed' && !isAsked(truth, deliveries, event)) {
      faults.push(`${session} moved what no question of it leads to`)
    }
  }
  for (const { intentId } of spent) {
    if (!asked.has(intentId)) faults.push(`${intentId} was executed and nobody asked for it`)
  }
  return { executed, failed: spent.length - executed, lost, faults }
}

export async function intentOf(
  { forwarder, callers, intentKeys }: GroundTruth,
  delivery: Delivery | undefined,
): Promise<Hex> {
  const caller = callers.find(({ phone }) => phone === delivery?.phone)
  if (caller === undefined || delivery === undefined) {
    throw new Error('a delivery came from nobody that the oracle knows')
  }
  const { address } = caller.account
  return deriveIntentId(forwarder, await intentKeys('africas-talking', delivery.sessionId, address))
}

const readScreen = createScreenReader(demonstration)

function readReply({ status, text }: Reply): ScreenMessage | undefined {
  const [, kind, words] = /^(CON|END) ([\s\S]*)$/.exec(text) ?? []
  if (status !== 200 || words === undefined) return undefined
  return readScreen(words, kind === 'CON' ? 'ask' : 'end')
}

/** Returns a reply's claim; `broken` for what no gateway could show; undefined without a reply. */
export const readClaim = (reply: Reply | undefined): Claim | 'broken' =>
  reply === undefined ? 'none' : (readReply(reply)?.claim ?? 'broken')

/** Reads the spent intents in the chain's order, and how often the contract moved money. */
export async function spentOn(truth: GroundTruth): Promise<{ spent: Spent[]; moves: number }> {
  const client = createPublicClient({ transport: http(truth.anvilUrl), cacheTime: 0 })
  const address = [truth.loan, truth.forwarder.address]
  const logs = await client.getLogs({ address, fromBlock: 0n })
  let moves = 0
  let moved: Spent['moved']
  const spent = logs.flatMap((log): Spent[] => {
    const key = `${log.blockHash} ${log.logIndex}`
    const said = decodedLogs.get(key) ?? readLog(truth, log)
    decodedLogs.set(key, said)
    if (said.moved !== undefined) {
      moves += 1
      moved = said.moved
    }
    if (said.result === undefined || !spendsIntent(said.result.status)) return []
    const { intentId, from, status: outcome } = said.result
    // The forwarder's event follows the events of the call.
    const own = moved
    moved = undefined
    return [{ intentId, from, outcome, moved: own }]
  })
  return { spent, moves }
}

/** Decoded logs by block and index, because all logs are read again and again. */
const decodedLogs = new Map<string, ReturnType<typeof readLog>>()

function readLog({ forwarder, loan }: GroundTruth, log: Log) {
  const isLoan = isAddressEqual(log.address, loan)
  const [event] = isLoan ? parseEventLogs({ abi: microLoanAbi, logs: [log] }) : []
  const [result] = decodeResults(forwarder, [log])
  return { moved: event && readMove(event), result }
}

type LoanEvent = ReturnType<typeof parseEventLogs<typeof microLoanAbi, true>>[number]

function readMove({ eventName, args }: LoanEvent): Spent['moved'] {
  switch (eventName) {
    case 'Transferred':
      return { from: args.from, move: { kind: 'transfer', to: args.to, wei: args.amount } }
    case 'LoanIssued':
      return { from: args.borrower, move: { kind: 'loan', wei: args.amount } }
    case 'LoanRepaid':
      return { from: args.borrower, move: { kind: 'repayment', wei: args.amount } }
    case 'Withdrawn':
      return { from: args.account, move: { kind: 'withdrawal', wei: args.amount } }
    default:
      return undefined
  }
}

/** Tells whether a session moved what it told, or, if it told nothing, what it asked for. */
function isAsked(truth: GroundTruth, deliveries: readonly Told[], { from, moved }: Spent): boolean {
  if (moved === undefined || !isAddressEqual(moved.from, from)) return false
  const claimed = (...claims: ReturnType<typeof readClaim>[]) =>
    deliveries.filter(({ reply }) => claims.includes(readClaim(reply)))
  const [submitted] = claimed('submitted')
  const declined = claimed('ended', 'closed', 'refused').map(({ delivery }) => delivery.text)
  const open = deliveries.filter(({ delivery }) => !declined.includes(delivery.text))
  return (submitted === undefined ? open : [submitted]).some(({ delivery }) =>
    isSame(truth, parseMove(delivery.text, truth.unit), moved.move),
  )
}

function isSame({ callers }: GroundTruth, asked: Move | undefined, moved: Move): boolean {
  if (asked?.kind === 'transfer' && moved.kind === 'transfer') {
    const to = callers.find(({ phone }) => phone === asked.to)?.account.address ?? asked.to
    const isSameAmount = (asked.wei ?? moved.wei) === moved.wei
    return isSameAmount && isAddressEqual(to as Address, moved.to as Address)
  }
  return asked?.kind === moved.kind && (asked.wei ?? moved.wei) === moved.wei
}

/** Returns what a text without detours asks for. */
function parseMove(text: string, unit: Unit): Move | undefined {
  const parse = (amount: string) => parseUnits(amount, unit.decimals)
  const [, to, sent, loan, repaid] =
    /^(?:2\*([^*]+)\*([^*]+)|(3)|4\*(1|2\*[^*]+))$/.exec(text) ?? []
  if (to !== undefined && sent !== undefined) {
    return { kind: 'transfer', to, wei: sent === 'all' ? undefined : parse(sent) }
  }
  if (loan !== undefined) return { kind: 'loan', wei: getOne(unit) / 100n }
  if (repaid === undefined) return undefined
  return { kind: 'repayment', wei: repaid === '1' ? undefined : parse(repaid.slice(2)) }
}
