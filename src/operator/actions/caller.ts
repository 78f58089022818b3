import { type Address, checksumAddress, getAddress, type Hex, isAddressEqual } from 'viem'
import * as z from 'zod/mini'
import type { AccountMemory } from '../../account/memory.ts'
import { shortenName } from '../../account/names.ts'
import { cancelPinRequest, maxPinTries, unlockPin } from '../../account/pin.ts'
import { readReceiveAddress } from '../../loan/reader.ts'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { Answer } from '../../relay/ledger/steps.ts'
import { withTimeLimit } from '../../runtime/clock.ts'
import { tryOrLog } from '../../runtime/log.ts'
import { waitForAll } from '../../runtime/wait-for-all.ts'
import type { PaymentRecord } from '../kept/takings.ts'
import type { Takings } from '../kept/tills.ts'
import {
  type Deployment,
  isoOrNull,
  toIso,
  toLink,
  toPaymentSummary,
  toPrice,
  writeAnswer,
} from '../records.ts'
import { caller, decidedSession, pinState } from '../schemas/callers.ts'
import { hexAddress, hexHash, intentId, phone, phoneOnly, time, wei } from '../schemas/fields.ts'
import { type ActionOptions, action, callerAction, recordInAudit, refuseRequest } from './action.ts'
import { toLoanAnswer } from './loans.ts'
import { readWaiting } from './orders.ts'

const maxPayments = 20
/** Limits how long a look-up waits to know what waits to be credited. */
const waitingTimeoutMs = 2_000

const sessionName = z.string().check(z.maxLength(200))

export const lookUpCaller = callerAction({
  request: phoneOnly,
  answer: caller,
  async run(options, { address: account }) {
    await recordInAudit(options, 'lookup', { account })
    return await describeCaller(options, account)
  },
})

/** Describes an account by ledger, chain and memory; null where chain or memory do not answer. */
export async function describeCaller(options: ActionOptions, account: Address) {
  const { deployment, loan } = options
  const { ledger, log, clock } = options.relayer
  const readIfAble = <Value>(value: Promise<Value>) =>
    tryOrLog(log, { level: 'warn', event: 'lookup.failed' }, () => value)
  const readAddress = readIfAble(readReceiveAddress(loan, deployment.unit, account))
  const readWaits = async () => {
    const address = await readAddress
    return address && (await readWaiting(options, address))
  }
  const read = await waitForAll({
    receiveAddress: readAddress,
    waitingWei: withTimeLimit(clock, waitingTimeoutMs, readIfAble(readWaits()), () => undefined),
    sent: ledger.readPage({ account, limit: maxPayments }),
    received: ledger.findPayments(account, maxPayments),
    standing: ledger.readStanding(account, deployment.loan),
    takings: ledger.listTakings(account, 1, options.settings.timeZone),
    tills: ledger.listTills(),
    recalled: ledger.listRecalled(account),
    balanceWei: readIfAble(loan.readBalance(account)),
    debt: readIfAble(loan.readDebt(account)),
    memory: readIfAble(options.memory.read(account)),
    events: readIfAble(loan.listReceived(account)),
    rate: options.readRate(),
  })
  const { receiveAddress, received, standing, takings, debt, memory } = read
  const payments = mergePayments(read.sent.payments, received)
  return writeAnswer({
    account,
    receiveAddress: receiveAddress && checksumAddress(receiveAddress, deployment.chain.id),
    waitingWei: read.waitingWei,
    balanceWei: read.balanceWei,
    owedWei: debt?.owedWei,
    price: toPrice(read.rate),
    dueAt: isoOrNull(debt?.owedWei ? debt.dueAt * 1_000 : null),
    payments: payments.map(({ direction, ...record }) => ({
      ...toPaymentSummary(deployment.chain, record),
      direction,
    })),
    arrivals: read.events
      ?.filter(({ hash }) => received.every((payment) => payment.hash !== hash))
      .map(({ depth: _, ...event }) => event),
    loan: standing.loan && toLoanAnswer(standing.loan, clock.now()),
    reminded: standing.reminded,
    tills: read.tills.filter((till) => isAddressEqual(till.account, account)),
    till: takings && sumTakings(takings),
    recalled: read.recalled.map(({ intentId: intent, sender, wei, until }) => {
      return { intent, sender, wei, until }
    }),
    pin: memory && describePin(memory),
    ...describeStanding(standing, options.limits),
  })
}

const sumTakings = ({ last: _, ...sums }: Takings) => sums

/** Merges the payments from an account and to it, the newest first. */
function mergePayments(sent: readonly PaymentRecord[], received: readonly PaymentRecord[]) {
  const own = new Set(sent.map(({ intentId }) => intentId))
  return [
    ...sent.map((record) => ({ ...record, direction: 'out' as const })),
    ...received
      .filter(({ intentId }) => !own.has(intentId))
      .map((record) => ({ ...record, direction: 'in' as const })),
  ].sort((a, b) => b.acceptedAt - a.acceptedAt)
}

function describeStanding(
  { heldAt, heldFor, open, refusals, today }: Answer<'readStanding'>,
  limits: ActionOptions['limits'],
) {
  return {
    heldAt,
    heldFor,
    open,
    refusals: refusals.map((refusal) => ({
      ...refusal,
      screen: refusal.screen?.lines.join('\n'),
    })),
    today: { ...today, mostTransfers: limits.transfersADay, mostSentWei: limits.sentADayWei },
  }
}

/** Describes the outcome of a caller's session, which is found by the gateway's id. */
export const traceCallerSession = callerAction({
  request: z.object({ phone, gateway: sessionName, sessionId: sessionName }),
  answer: decidedSession,
  async run(options, { address: account }, { gateway, sessionId }) {
    // A page that shows a session asks again and again: the audit has one entry an hour.
    const hour = Math.floor(options.relayer.clock.now() / 3_600_000)
    await recordInAudit(options, 'session', { account }, `session:${account}:${hour}`)
    const session = options.keys.hashSession(gateway, sessionId, account)
    const trace = await options.relayer.ledger.traceSession(session)
    return trace === undefined
      ? refuseRequest(404, 'the ledger has no such session')
      : toSession(trace)
  },
})

export const toSession = (trace: NonNullable<Answer<'traceSession'>>) => ({
  state: trace.state,
  decidedAt: toIso(trace.decidedAt),
  screen: trace.screen.lines.join('\n'),
  intent: trace.intentId ?? null,
  reason: trace.reason ?? null,
})

/** Parses why an account is held; no phone number fits, spaced or not. A slash parts numbers. */
const holdReason = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(80),
  z.refine(
    (text) => !/\p{Nd}([^\p{L}\p{Nd}/]*\p{Nd}){6}/u.test(text),
    'a reason has no phone number, and no other number of over 6 digits',
  ),
)

/** Holds an account so that it cannot pay, or releases it; audited in the same step. */
export const holdAccount = action({
  request: z.object({
    account: hexAddress,
    action: z.enum(['hold', 'release']),
    reason: z.optional(holdReason),
  }),
  answer: z.object({ account: hexAddress, heldAt: z.nullable(time), open: z.int() }),
  async run({ relayer: { ledger }, nameAction }, { account, action: change, reason }) {
    const address = getAddress(account)
    const mustHold = change === 'hold'
    const { heldAt, open } = await ledger.setHold(address, mustHold, nameAction(), reason)
    return { account: address, heldAt: isoOrNull(heldAt), open }
  },
})

/** Ends what is held back of a payment that its sender calls a mistake; audited in that step. */
export const endRecallFor = callerAction({
  request: z.object({ phone, intent: intentId }),
  answer: z.object({ account: hexAddress, intent: intentId }),
  async run({ relayer: { ledger }, nameAction }, { address: account }, { intent }) {
    const isEnded = await ledger.endRecall(account, intent as Hex, nameAction())
    if (!isEnded) return refuseRequest(404, 'nothing is held of this payment in this account')
    return { account, intent }
  },
})

const lastDeposit = z.object({
  amountWei: wei,
  hash: hexHash,
  block: z.int(),
  explorer: z.string(),
})

/** Describes the result of a deposit, which may be repeated without depositing twice. */
const deposit = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('sent'),
    amountWei: wei,
    hash: hexHash,
    /** Is true if a node took the transaction. */
    isTaken: z.boolean(),
    explorer: z.string(),
  }),
  z.object({
    kind: z.literal('too_little'),
    /** Holds the balance of the account's own address, which is too low for the gas. */
    thereWei: wei,
    gasWei: wei,
    last: z.nullable(lastDeposit),
  }),
  z.object({ kind: z.enum(['under_way', 'price_too_high', 'paused', 'held', 'refused']) }),
])

const creditsItself = refuseRequest(
  409,
  'this deposits the chain’s currency alone: tokens that arrived at the address that Receive shows are credited by its caller there, or by npm run ops -- account sweep. No command moves tokens at the account’s own address: they stay there',
)

/** Deposits the balance of a caller's address, after the audit has recorded the action. */
export const depositFor = callerAction({
  request: phoneOnly,
  answer: z.object({ account: hexAddress, deposit }),
  async run(options, { address, account }) {
    if (options.deployment.unit.token !== null) return creditsItself
    await recordInAudit(options, 'deposit', { account: address })
    const claim = await options.claimDeposit(account)
    return { account: address, deposit: describeDeposit(options.deployment, claim) }
  },
})

function describeDeposit({ chain }: Deployment, claim: DepositClaim): z.output<typeof deposit> {
  const addLink = <Sent extends { hash: string }>(sent: Sent) => ({
    ...sent,
    explorer: toLink(chain, sent.hash),
  })
  if (claim.kind === 'sent') return writeAnswer(addLink(claim))
  if (claim.kind !== 'too_little') return { kind: claim.kind }
  const { balanceWei: thereWei, last, ...rest } = claim
  return writeAnswer({ ...rest, thereWei, last: last && addLink(last) })
}

const pinActions = { unblock: unlockPin, 'keep-pin': cancelPinRequest } as const

export const changePinState = callerAction({
  request: z.object({ phone, action: z.enum(['unblock', 'keep-pin']) }),
  answer: z.extend(pinState, { account: hexAddress }),
  async run(options, { address: account }, { action: name }) {
    await recordInAudit(options, name, { account })
    return { account, ...describePin(await options.memory.change(account, pinActions[name])) }
  },
})

function describePin({ pin, isDormant }: AccountMemory) {
  return {
    isChosen: pin !== undefined,
    isBlocked: pin !== undefined && pin.tries >= maxPinTries,
    isDormant: isDormant === true,
    replaceableAt: isoOrNull(pin?.replaceableAt),
  }
}

/**
 * Offers a verified name to its holder, whom payers see once the holder agrees; null takes all
 * names of an account away. Neither the audit nor the log has the name.
 */
export const verifyName = callerAction({
  request: z.object({ phone, name: z.nullable(z.string().check(z.maxLength(100))) }),
  /** Holds the name as payers see it. */
  answer: z.object({ account: hexAddress, name: z.nullable(z.string()) }),
  async run(options, { address: account }, { name: given }) {
    const name = given === null ? null : shortenName(given)
    if (name === undefined)
      return refuseRequest(400, 'a name has letters alone, 2 to 15 in the first word')
    if (name !== null && !options.settings.recipientNames) {
      return refuseRequest(409, 'RECIPIENT_NAMES is off')
    }
    await recordInAudit(options, name === null ? 'remove-name' : 'verify-name', { account })
    await options.names.verify(account, name)
    return { account, name }
  },
})
