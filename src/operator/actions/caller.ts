import type { LocalAccount } from 'viem'
import type { CallerAccounts } from '../../account/keys.ts'
import type { Memory } from '../../account/memory.ts'
import type { Country, PhoneNumber } from '../../account/phone.ts'
import { maxTries, unlocked, withoutWish } from '../../account/pin.ts'
import type { LoanReader } from '../../loan/reader.ts'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { Relayer } from '../../relay/relayer.ts'
import { faultOf } from '../../runtime/log.ts'
import type { AskedOf, ToldOf } from '../answers.ts'
import { isoOrNull, linkOf, type Subject, toPaymentSummary } from '../records.ts'

/** Says why nothing is done, with the status of that answer. */
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
  loan: LoanReader
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  newId: () => string
}

/** Holds a number that is kept nowhere: the audit has its account. */
export type Caller = { phone: PhoneNumber; account: LocalAccount }

const shownPayments = 20

export async function lookUpCaller(of: CallerOptions, caller: Caller): Promise<ToldOf<'lookup'>> {
  const { subject, loan, newId } = of
  const { ledger, log } = of.relayer
  const { address: account } = caller.account
  await ledger.note({ id: newId(), action: 'lookup', detail: { account } })
  const told = (wei: Promise<bigint>) =>
    wei.then(String).catch((error: unknown) => {
      log({ level: 'warn', event: 'lookup.failed', message: faultOf(error) })
      return null
    })
  const [page, balanceWei, owedWei] = await Promise.all([
    ledger.page({ account, limit: shownPayments }),
    told(loan.balance(account)),
    told(loan.owed(account)),
  ])
  const payments = page.payments.map((record) => toPaymentSummary(subject.chain, record))
  return { account, balanceWei, owedWei, payments }
}

/** Has a caller's own key deposit what is at its address. The audit has it before anything is sent. */
export async function depositFor(of: CallerOptions, { account }: Caller) {
  const { ledger, log } = of.relayer
  const { address } = account
  await ledger.note({ id: of.newId(), action: 'deposit', detail: { account: address } })
  const message = 'An operator deposits for a caller'
  log({ level: 'warn', event: 'operator.deposit', message })
  return { account: address, deposit: depositOf(of.subject, await of.claimDeposit(account)) }
}

function depositOf({ chain }: Subject, claim: DepositClaim): ToldOf<'deposit'>['deposit'] {
  const shown = <Sent extends { amountWei: bigint; hash: string }>({
    amountWei,
    ...sent
  }: Sent) => ({
    ...sent,
    amountWei: `${amountWei}`,
    explorer: linkOf(chain, sent.hash),
  })
  if (claim.kind === 'sent') return shown(claim)
  if (claim.kind !== 'too_little') return { kind: claim.kind }
  const { kind, thereWei, gasWei, last } = claim
  return { kind, thereWei: `${thereWei}`, gasWei: `${gasWei}`, last: last ? shown(last) : null }
}

const pinActions = {
  unblock: { change: unlocked, message: 'An operator unblocks a caller' },
  'keep-pin': { change: withoutWish, message: 'An operator has a caller keep a PIN' },
} as const

/** Lets a caller spend again, or keep a PIN, once the audit has it. @throws {Error} no answer */
export async function tendPin(of: CallerOptions, caller: Caller, { action }: AskedOf<'pin'>) {
  const { ledger, log } = of.relayer
  const { address: account } = caller.account
  const { change, message } = pinActions[action]
  await ledger.note({ id: of.newId(), action, detail: { account } })
  log({ level: 'warn', event: 'operator.pin', message })
  const { pin, isDormant = false } = await of.memory.change(account, change)
  return {
    account,
    isChosen: pin !== undefined,
    isBlocked: pin !== undefined && pin.tries >= maxTries,
    isDormant,
    replaceableAt: isoOrNull(pin?.replaceableAt),
  }
}
