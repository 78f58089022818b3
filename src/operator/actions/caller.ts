import { type Address, getAddress, type LocalAccount } from 'viem'
import type { CallerAccounts } from '../../account/keys.ts'
import type { AccountMemory, Memory } from '../../account/memory.ts'
import type { Country, PhoneNumber } from '../../account/phone.ts'
import { cancelPinRequest, maxTries, unlockPin } from '../../account/pin.ts'
import type { SessionKeys } from '../../account/session-keys.ts'
import type { LoanReader } from '../../loan/reader.ts'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { AccountStanding, DayLimits, SessionTrace } from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { describeFault } from '../../runtime/log.ts'
import type { AskedOf, ToldOf } from '../answers.ts'
import { isoOrNull, type Subject, toIso, toLink, toPaymentSummary } from '../records.ts'

/** Holds a refusal with its HTTP status. */
export type RefusedRequest = { status: 400 | 404 | 409 | 503; error: string }

export const refused = (status: RefusedRequest['status'], error: string): RefusedRequest => ({
  ...{ status, error },
})

export type CallerOptions = {
  relayer: Pick<Relayer, 'ledger' | 'log'>
  subject: Subject
  accounts: CallerAccounts
  country: Country | undefined
  memory: Memory
  keys: SessionKeys
  limits: DayLimits
  loan: LoanReader
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  newId: () => string
}

/** Holds a number, which is stored nowhere, and its account. */
export type Caller = { phone: PhoneNumber; account: LocalAccount }

const shownPayments = 20

export async function lookUpCaller(of: CallerOptions, caller: Caller): Promise<ToldOf<'lookup'>> {
  const { address: account } = caller.account
  await of.relayer.ledger.recordAction({ id: of.newId(), action: 'lookup', detail: { account } })
  return await tellCaller(of, account)
}

/** Describes an account by ledger, chain and memory; null for what does not answer. */
export async function tellCaller(of: CallerOptions, account: Address): Promise<ToldOf<'lookup'>> {
  const { subject, loan } = of
  const { ledger, log } = of.relayer
  const told = <Value>(value: Promise<Value>) =>
    value.catch((error: unknown) => {
      log({ level: 'warn', event: 'lookup.failed', message: describeFault(error) })
      return null
    })
  const [page, standing, takings, balanceWei, debt, memory] = await Promise.all([
    ledger.readPage({ account, limit: shownPayments }),
    ledger.readStanding(account),
    ledger.listTakings(account, 1),
    told(loan.balance(account)),
    told(loan.debt(account)),
    told(of.memory.read(account)),
  ])
  return {
    account,
    balanceWei: balanceWei?.toString() ?? null,
    owedWei: debt?.owedWei.toString() ?? null,
    dueAt: isoOrNull(debt?.owedWei ? debt.dueAt * 1_000 : null),
    payments: page.payments.map((record) => toPaymentSummary(subject.chain, record)),
    till: takings ? { inWei: `${takings.inWei}`, outWei: `${takings.outWei}` } : null,
    pin: memory && describePin(memory),
    ...toldOfStanding(standing, of.limits),
  }
}

function toldOfStanding({ heldAt, open, refusals, today }: AccountStanding, limits: DayLimits) {
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

/** Describes how a caller's session was decided, found by its gateway's name. */
export async function traceSession(
  of: CallerOptions,
  { account: { address: account } }: Caller,
  { gateway, sessionId }: AskedOf<'session'>,
): Promise<ToldOf<'session'> | RefusedRequest> {
  const { ledger } = of.relayer
  await ledger.recordAction({ id: of.newId(), action: 'session', detail: { account } })
  const trace = await ledger.traceSession(await of.keys.session(gateway, sessionId, account))
  if (trace === undefined) return refused(404, 'the ledger has decided no such session')
  return toSession(trace)
}

export const toSession = ({ state, screen, decidedAt, intentId, reason }: SessionTrace) => ({
  ...{ state, decidedAt: toIso(decidedAt), screen: screen.lines.join('\n') },
  ...{ intent: intentId ?? null, reason: reason ?? null },
})

/** Holds an account so that it cannot pay, or releases it; audited in the same step. */
export async function holdAccount(of: CallerOptions, { account, action }: AskedOf<'hold'>) {
  const { ledger, log } = of.relayer
  const message = action === 'hold' ? 'An operator holds an account' : 'An operator releases it'
  const address = getAddress(account)
  const { heldAt, open } = await ledger.setHold(address, action === 'hold', of.newId())
  log({ level: 'warn', event: 'operator.hold', message })
  return { account: address, heldAt: isoOrNull(heldAt), open }
}

/** Deposits the money at a caller's address by its own key; audited before it is sent. */
export async function depositFor(of: CallerOptions, { account }: Caller) {
  const { ledger, log } = of.relayer
  const { address } = account
  await ledger.recordAction({ id: of.newId(), action: 'deposit', detail: { account: address } })
  const message = 'An operator deposits for a caller'
  log({ level: 'warn', event: 'operator.deposit', message })
  return { account: address, deposit: describeDeposit(of.subject, await of.claimDeposit(account)) }
}

function describeDeposit({ chain }: Subject, claim: DepositClaim): ToldOf<'deposit'>['deposit'] {
  const shown = <Sent extends { amountWei: bigint; hash: string }>({
    amountWei,
    ...sent
  }: Sent) => ({
    ...sent,
    amountWei: `${amountWei}`,
    explorer: toLink(chain, sent.hash),
  })
  if (claim.kind === 'sent') return shown(claim)
  if (claim.kind !== 'too_little') return { kind: claim.kind }
  const { kind, thereWei, gasWei, last } = claim
  return { kind, thereWei: `${thereWei}`, gasWei: `${gasWei}`, last: last ? shown(last) : null }
}

const pinActions = {
  unblock: { change: unlockPin, message: 'An operator unblocks a caller' },
  'keep-pin': { change: cancelPinRequest, message: 'An operator has a caller keep a PIN' },
} as const

/** Unblocks or changes a caller's PIN state after auditing it. @throws {Error} no answer */
export async function tendPin(of: CallerOptions, caller: Caller, { action }: AskedOf<'pin'>) {
  const { ledger, log } = of.relayer
  const { address: account } = caller.account
  const { change, message } = pinActions[action]
  await ledger.recordAction({ id: of.newId(), action, detail: { account } })
  log({ level: 'warn', event: 'operator.pin', message })
  return { account, ...describePin(await of.memory.change(account, change)) }
}

function describePin({ pin, isDormant }: AccountMemory) {
  return {
    isChosen: pin !== undefined,
    isBlocked: pin !== undefined && pin.tries >= maxTries,
    isDormant: isDormant === true,
    replaceableAt: isoOrNull(pin?.replaceableAt),
  }
}
