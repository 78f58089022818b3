import { type Address, getAddress, isAddressEqual, type LocalAccount } from 'viem'
import type { CallerAccounts } from '../../account/caller-accounts.ts'
import type { AccountMemory, Memory } from '../../account/memory.ts'
import type { Country, PhoneNumber } from '../../account/phone.ts'
import { cancelPinRequest, maxPinTries, unlockPin } from '../../account/pin.ts'
import type { SessionKeys } from '../../account/session-keys.ts'
import type { LoanReader } from '../../loan/reader.ts'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { Answer, Ledger } from '../../relay/ledger/steps.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { describeFault } from '../../runtime/log.ts'
import type { WholeLedger } from '../kept/steps.ts'
import type { PaymentRecord } from '../kept/takings.ts'
import { type Deployment, isoOrNull, toIso, toLink, toPaymentSummary } from '../records.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import { toLoanAnswer } from './loans.ts'

/** Refuses a request with an HTTP status. */
export type RefusedRequest = { status: 400 | 404 | 409 | 503; error: string }

export const refuseRequest = (status: RefusedRequest['status'], error: string): RefusedRequest => ({
  status,
  error,
})

type DayLimits = Parameters<Ledger['findKnownRefusal']>[1]

export type CallerOptions = {
  relayer: Pick<Relayer<WholeLedger>, 'ledger' | 'log' | 'clock'>
  deployment: Deployment
  accounts: CallerAccounts
  country: Country | undefined
  memory: Memory
  keys: SessionKeys
  limits: DayLimits
  loan: LoanReader
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  newId: () => string
}

/** Holds a caller's account, and the number, which is never stored. */
export type Caller = { phone: PhoneNumber; account: LocalAccount }

const maxPayments = 20

export async function lookUpCaller(
  options: CallerOptions,
  caller: Caller,
): Promise<ActionAnswer<'lookup'>> {
  const { address: account } = caller.account
  const id = options.newId()
  await options.relayer.ledger.recordAction({ id, action: 'lookup', detail: { account } })
  return await describeCaller(options, account)
}

/** Describes an account by ledger, chain and memory; null where chain or memory do not answer. */
export async function describeCaller(
  options: CallerOptions,
  account: Address,
): Promise<ActionAnswer<'lookup'>> {
  const { deployment, loan } = options
  const { ledger, log, clock } = options.relayer
  const readOrNull = <Value>(value: Promise<Value>) =>
    value.catch((error: unknown) => {
      log({ level: 'warn', event: 'lookup.failed', message: describeFault(error) })
      return null
    })
  const [sent, received, standing, takings, tills, balanceWei, debt, memory, events] =
    await Promise.all([
      ledger.readPage({ account, limit: maxPayments }),
      ledger.findPayments(account, maxPayments),
      ledger.readStanding(account, deployment.loan),
      ledger.listTakings(account, 1),
      ledger.listTills(),
      readOrNull(loan.readBalance(account)),
      readOrNull(loan.readDebt(account)),
      readOrNull(options.memory.read(account)),
      readOrNull(loan.listReceived(account)),
    ])
  const payments = mergePayments(sent.payments, received)
  return {
    account,
    balanceWei: balanceWei?.toString() ?? null,
    owedWei: debt?.owedWei.toString() ?? null,
    dueAt: isoOrNull(debt?.owedWei ? debt.dueAt * 1_000 : null),
    payments: payments.map(({ direction, ...record }) => ({
      ...toPaymentSummary(deployment.chain, record),
      direction,
    })),
    arrivals:
      events
        ?.filter(({ hash }) => received.every((payment) => payment.hash !== hash))
        .map(({ amountWei, depth: _, ...event }) => ({ ...event, amountWei: `${amountWei}` })) ??
      null,
    loan: standing.loan ? toLoanAnswer(standing.loan, clock.now()) : null,
    tills: tills.filter((till) => isAddressEqual(till.account, account)),
    till: takings ? { inWei: `${takings.inWei}`, outWei: `${takings.outWei}` } : null,
    pin: memory && describePin(memory),
    ...describeStanding(standing, options.limits),
  }
}

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
  { heldAt, open, refusals, today }: Answer<'readStanding'>,
  limits: DayLimits,
) {
  return {
    heldAt: isoOrNull(heldAt),
    open,
    refusals: refusals.map(({ reason, at, screen }) => ({
      reason,
      at: toIso(at),
      screen: screen?.lines.join('\n') ?? null,
    })),
    today: {
      transfers: today.transfers,
      mostTransfers: limits.transfersADay ?? null,
      sentWei: `${today.sentWei}`,
      mostSentWei: limits.sentADayWei?.toString() ?? null,
    },
  }
}

/** Describes the outcome of a caller's session, which is found by the gateway's id. */
export async function traceSession(
  options: CallerOptions,
  { account: { address: account } }: Caller,
  { gateway, sessionId }: ActionRequest<'session'>,
): Promise<ActionAnswer<'session'> | RefusedRequest> {
  const { ledger } = options.relayer
  await ledger.recordAction({ id: options.newId(), action: 'session', detail: { account } })
  const session = await options.keys.hashSession(gateway, sessionId, account)
  const trace = await ledger.traceSession(session)
  if (trace === undefined) return refuseRequest(404, 'the ledger has no such session')
  return toSession(trace)
}

export const toSession = ({
  state,
  screen,
  decidedAt,
  intentId,
  reason,
}: NonNullable<Answer<'traceSession'>>) => ({
  state,
  decidedAt: toIso(decidedAt),
  screen: screen.lines.join('\n'),
  intent: intentId ?? null,
  reason: reason ?? null,
})

/** Holds an account so that it cannot pay, or releases it; audited in the same step. */
export async function holdAccount(
  options: CallerOptions,
  { account, action }: ActionRequest<'hold'>,
) {
  const { ledger, log } = options.relayer
  const message =
    action === 'hold' ? 'An operator holds an account' : 'An operator releases an account'
  const address = getAddress(account)
  const { heldAt, open } = await ledger.setHold(address, action === 'hold', options.newId())
  log({ level: 'warn', event: 'operator.hold', message })
  return { account: address, heldAt: isoOrNull(heldAt), open }
}

/** Deposits the balance of a caller's address, after the audit has recorded the action. */
export async function depositFor(options: CallerOptions, { account }: Caller) {
  const { ledger, log } = options.relayer
  const { address } = account
  const detail = { account: address }
  await ledger.recordAction({ id: options.newId(), action: 'deposit', detail })
  const message = 'An operator deposits for a caller'
  log({ level: 'warn', event: 'operator.deposit', message })
  const claim = await options.claimDeposit(account)
  return { account: address, deposit: describeDeposit(options.deployment, claim) }
}

function describeDeposit(
  { chain }: Deployment,
  claim: DepositClaim,
): ActionAnswer<'deposit'>['deposit'] {
  const describeSent = <Sent extends { amountWei: bigint; hash: string }>({
    amountWei,
    ...sent
  }: Sent) => ({ ...sent, amountWei: `${amountWei}`, explorer: toLink(chain, sent.hash) })
  if (claim.kind === 'sent') return describeSent(claim)
  if (claim.kind !== 'too_little') return { kind: claim.kind }
  const { kind, balanceWei, gasWei, last } = claim
  return {
    kind,
    thereWei: `${balanceWei}`,
    gasWei: `${gasWei}`,
    last: last ? describeSent(last) : null,
  }
}

const pinActions = {
  unblock: { change: unlockPin, message: 'An operator unblocks a caller' },
  'keep-pin': {
    change: cancelPinRequest,
    message: "An operator cancels the reset of a caller's PIN",
  },
} as const

/** Unblocks a caller, or cancels a PIN reset. @throws {Error} ledger or memory do not answer */
export async function changePinState(
  options: CallerOptions,
  caller: Caller,
  { action }: ActionRequest<'pin'>,
) {
  const { ledger, log } = options.relayer
  const { address: account } = caller.account
  const { change, message } = pinActions[action]
  await ledger.recordAction({ id: options.newId(), action, detail: { account } })
  log({ level: 'warn', event: 'operator.pin', message })
  return { account, ...describePin(await options.memory.change(account, change)) }
}

function describePin({ pin, isDormant }: AccountMemory) {
  return {
    isChosen: pin !== undefined,
    isBlocked: pin !== undefined && pin.tries >= maxPinTries,
    isDormant: isDormant === true,
    replaceableAt: isoOrNull(pin?.replaceableAt),
  }
}
