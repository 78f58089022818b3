import {
  type Address,
  createPublicClient,
  formatEther,
  type Hex,
  http,
  isAddressEqual,
  parseEther,
} from 'viem'
import type { IntentKeys } from '../../../src/account/session-keys.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import {
  type Forwarder,
  intentIdOf,
  isSpending,
  resultsInLogs,
} from '../../../src/relay/forwarder/requests.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import { type Claim, createScreenReader, type Said } from '../oracle/screen-reader.ts'
import { judgeSession } from '../oracle/sessions.ts'
import type { Caller } from './callers.ts'
import type { Delivery, Reply } from './relay-workers.ts'

/** A delivery and what came back. Undefined: nothing did, or nobody waited for it. */
export type Told = { delivery: Delivery; reply: Reply | undefined }

/** What a reply claims of its payment; `broken`: it is nothing that a gateway could show. */
export type ReplyClaim = Claim | 'broken'

/** What the oracle found, in numbers. All but the first two have to be 0. */
export type Verdict = {
  executed: number
  failed: number
  /** Intents that took effect more than once. */
  duplicates: number
  /** Submitted, and neither executed nor failed. */
  lost: number
  /** Refused, and executed all the same; or differing replies to one question. */
  untrue: number
  /** Executed, and nobody asked for it. */
  unasked: number
  /** Accounts whose balance is not what the replies add up to. */
  unbalanced: number
  /** Each of them in a sentence. */
  faults: string[]
}

/** Where the oracle looks: the chain itself, past every proxy. */
export type GroundTruth = {
  anvilUrl: string
  loan: Address
  forwarder: Forwarder
  callers: readonly Caller[]
  intentKeys: IntentKeys
  /** Accounts without a phone that get money. */
  others: readonly Address[]
  /** Balances before anything was delivered. */
  before: ReadonlyMap<Address, bigint>
  /** The loan contract's own money then. */
  reserveWei: bigint
}

/** One event of the forwarder that spent an intent. */
export type Spent = {
  intentId: Hex
  outcome: 'executed' | 'failed'
  from: Address
  /** Wei that a repayment took, by this transaction's event. */
  repaidWei: bigint
  /** Where a transfer went, by this transaction's event. */
  transferred: { to: Address; wei: bigint } | undefined
}

/** Everything that the oracle needs of a chain before the deliveries begin. */
export async function lookBefore(
  truth: Omit<GroundTruth, 'before' | 'reserveWei'>,
): Promise<GroundTruth> {
  return {
    ...truth,
    before: await balancesOf(truth),
    reserveWei: await reserveOf(truth),
  }
}

/** Reads only the chain and the replies, and says what does not fit together. */
export async function judge(truth: GroundTruth, told: readonly Told[]): Promise<Verdict> {
  const faults: string[] = []
  const count = { duplicates: 0, lost: 0, untrue: 0, unasked: 0, unbalanced: 0 }
  const note = (name: keyof typeof count, sentence: string) => {
    count[name] += 1
    faults.push(sentence)
  }
  const spent = await spentOn(truth)
  const byIntent = Map.groupBy(spent, ({ intentId }) => intentId)
  for (const [intentId, events] of byIntent) {
    if (events.length > 1) note('duplicates', `${intentId} took effect ${events.length} times`)
  }

  const expected = new Map(truth.before)
  const sessions = Map.groupBy(told, ({ delivery }) => `${delivery.phone} ${delivery.sessionId}`)
  const asked = new Set<Hex>()
  for (const [session, deliveries] of sessions) {
    const intentId = await intentOf(truth, deliveries[0]?.delivery)
    asked.add(intentId)
    const [event] = byIntent.get(intentId) ?? []
    const told = deliveries.map(({ delivery, reply }) => ({
      text: delivery.text,
      reply: reply?.text,
      said: reply && saidIn(reply),
    }))
    const fate = { isSent: event !== undefined, outcome: event?.outcome }
    for (const { rule, words, one } of judgeSession(told, fate)) {
      note(rule === 'submitted' ? 'lost' : 'untrue', `${session}, by ${one.text}, ${words}`)
    }
    if (event?.outcome === 'executed') applyWish(truth, expected, deliveries, event, note)
  }
  for (const { intentId } of spent) {
    if (!asked.has(intentId)) note('unasked', `${intentId} was executed and nobody asked for it`)
  }

  const after = await balancesOf(truth)
  for (const [account, balance] of after) {
    const wanted = expected.get(account) ?? 0n
    if (wanted === balance) continue
    note(
      'unbalanced',
      `${account} has ${formatEther(balance)} where the replies come to ${formatEther(wanted)}`,
    )
  }
  if ((await reserveOf(truth)) !== truth.reserveWei) {
    note('unbalanced', "the loan contract's own money changed")
  }
  const total = [...after.values()].reduce((sum, balance) => sum + balance, 0n)
  if (
    (await clientOf(truth).readContract({
      ...contractOf(truth),
      functionName: 'totalBalances',
    })) !== total
  ) {
    note('unbalanced', 'the balances do not add up to what the contract counts')
  }
  return {
    executed: spent.filter(({ outcome }) => outcome === 'executed').length,
    failed: spent.filter(({ outcome }) => outcome === 'failed').length,
    ...count,
    faults,
  }
}

/** The intent of a delivery's session. */
export async function intentOf(
  { forwarder, callers, intentKeys }: Pick<GroundTruth, 'forwarder' | 'callers' | 'intentKeys'>,
  delivery: Delivery | undefined,
): Promise<Hex> {
  const caller = callers.find(({ phone }) => phone === delivery?.phone)
  if (caller === undefined || delivery === undefined) {
    throw new Error('a delivery came from nobody that the oracle knows')
  }
  const { sessionId } = delivery
  return intentIdOf(
    forwarder,
    await intentKeys('africas-talking', sessionId, caller.account.address),
  )
}

const readScreen = createScreenReader(demonstration)

/** Reads what a reply says. Undefined: it is no screen, or one of no message. */
function saidIn({ status, text }: Reply): Said | undefined {
  const [, kind, words] = /^(CON|END) ([\s\S]*)$/.exec(text) ?? []
  if (status !== 200 || words === undefined) return undefined
  return readScreen(words, kind === 'CON' ? 'ask' : 'end')
}

/** Returns what a reply claims; where there is none, nothing. */
export const claimOf = (reply: Reply | undefined): ReplyClaim =>
  reply === undefined ? 'none' : (saidIn(reply)?.claim ?? 'broken')

/** Events of the forwarder that spent an intent, in the chain's order. */
export async function spentOn({
  anvilUrl,
  forwarder,
  loan,
}: Pick<GroundTruth, 'anvilUrl' | 'forwarder' | 'loan'>): Promise<Spent[]> {
  const client = clientOf({ anvilUrl })
  const everything = { fromBlock: 0n, strict: true } as const
  const place = (hash: Hex | null, account: Address) => `${hash} ${account}`
  const moved = await client.getContractEvents({ ...contractOf({ loan }), ...everything })
  const transfers = new Map(
    moved.flatMap(({ eventName, args, transactionHash }) =>
      eventName === 'Transferred'
        ? [[place(transactionHash, args.from), { to: args.to, wei: args.amount }] as const]
        : [],
    ),
  )
  const repaid = new Map(
    moved.flatMap(({ eventName, args, transactionHash }) =>
      eventName === 'LoanRepaid'
        ? [[place(transactionHash, args.borrower), args.amount] as const]
        : [],
    ),
  )
  const logs = await client.getLogs({ address: forwarder.address, fromBlock: 0n })
  const spent = (log: (typeof logs)[number]) =>
    resultsInLogs(forwarder, [log]).map((result) => ({ ...result, hash: log.transactionHash }))
  return logs.flatMap(spent).flatMap((result) => {
    const { intentId, from, status: outcome, hash } = result
    if (!isSpending(outcome)) return []
    const at = place(hash, from)
    return {
      intentId,
      outcome,
      from,
      repaidWei: repaid.get(at) ?? 0n,
      transferred: transfers.get(at),
    }
  })
}

/** Adds to what the accounts should have what an executed session was about. */
function applyWish(
  truth: GroundTruth,
  expected: Map<Address, bigint>,
  deliveries: readonly Told[],
  event: Spent,
  note: (name: 'unbalanced', sentence: string) => void,
): void {
  const submitted = deliveries.find(({ reply }) => claimOf(reply) === 'submitted')
  // Without a reply that says so, it has to be what the chain did, and asked once and not declined: who hung
  // up may have asked for something else before it was known what became of the first.
  const declined = new Set(
    deliveries
      .filter(({ reply }) => ['ended', 'closed', 'refused'].includes(claimOf(reply)))
      .map(({ delivery }) => delivery.text),
  )
  const texts = new Set(
    deliveries
      .map(({ delivery }) => delivery.text)
      .filter((text) => isDone(truth, intentIn(text), event) && !declined.has(text)),
  )
  const text = submitted?.delivery.text ?? (texts.size === 1 ? [...texts][0] : undefined)
  const intent = text === undefined ? undefined : intentIn(text)
  if (intent === undefined) {
    note('unbalanced', `${event.intentId} was executed and no question leads to it`)
    return
  }
  const change = (account: Address, wei: bigint): void => {
    expected.set(account, (expected.get(account) ?? 0n) + wei)
  }
  switch (intent.kind) {
    case 'loan':
      change(event.from, parseEther('0.01'))
      return
    case 'repayment':
      if (intent.amountWei !== 'all' && intent.amountWei !== event.repaidWei) {
        note('unbalanced', `${event.intentId} repaid another amount than was typed`)
      }
      change(event.from, -event.repaidWei)
      return
    case 'transfer':
      change(event.from, -intent.amountWei)
      change(accountOf(truth, intent.to), intent.amountWei)
  }
}

/** Whether an event is what a question asks for. */
function isDone(
  truth: GroundTruth,
  intent: Intent | undefined,
  { transferred, repaidWei }: Spent,
): boolean {
  switch (intent?.kind) {
    case undefined:
      return false
    case 'loan':
      return transferred === undefined && repaidWei === 0n
    case 'repayment':
      return repaidWei > 0n
    case 'transfer':
      return (
        transferred?.wei === intent.amountWei &&
        isAddressEqual(transferred.to, accountOf(truth, intent.to))
      )
  }
}

/** The account of a number or an address. */
function accountOf({ callers }: GroundTruth, to: string): Address {
  return callers.find(({ phone }) => phone === to)?.account.address ?? (to as Address)
}

type Intent =
  | { kind: 'transfer'; to: string; amountWei: bigint }
  | { kind: 'loan' }
  | { kind: 'repayment'; amountWei: bigint | 'all' }

/** What a text without detours asks for. */
function intentIn(text: string): Intent | undefined {
  const [choice, ...rest] = text.split('*')
  const [first, second] = rest
  if (choice === '3' && rest.length === 0) return { kind: 'loan' }
  if (choice === '2' && first !== undefined && second !== undefined && rest.length === 2) {
    return { kind: 'transfer', to: first, amountWei: parseEther(second) }
  }
  if (choice === '4' && first === '1' && rest.length === 1) {
    return { kind: 'repayment', amountWei: 'all' }
  }
  if (choice === '4' && first === '2' && second !== undefined && rest.length === 2) {
    return { kind: 'repayment', amountWei: parseEther(second) }
  }
  return undefined
}

async function balancesOf(
  truth: Pick<GroundTruth, 'anvilUrl' | 'loan' | 'callers' | 'others'>,
): Promise<Map<Address, bigint>> {
  const accounts = [...truth.callers.map(({ account }) => account.address), ...truth.others]
  const call = { ...contractOf(truth), functionName: 'getBalance' } as const
  const balances = await Promise.all(
    accounts.map((account) => clientOf(truth).readContract({ ...call, args: [account] })),
  )
  return new Map(accounts.map((account, index) => [account, balances[index] ?? 0n]))
}

type Place = Pick<GroundTruth, 'anvilUrl' | 'loan'>

const clientOf = ({ anvilUrl }: Pick<Place, 'anvilUrl'>) =>
  createPublicClient({ transport: http(anvilUrl), cacheTime: 0 })

const contractOf = ({ loan }: Pick<Place, 'loan'>) =>
  ({ address: loan, abi: microLoanAbi }) as const

const reserveOf = (truth: Place): Promise<bigint> =>
  clientOf(truth).getBalance({ address: truth.loan })
