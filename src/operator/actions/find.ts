import { type Address, getAddress, type Hex } from 'viem'
import { hasActivity } from '../../account/activity.ts'
import { parseAddress } from '../../account/address.ts'
import { isTillNumber } from '../../account/check-digit.ts'
import { listPossibleNumbers } from '../../account/phone.ts'
import { toPlainDigits } from '../../runtime/digits.ts'
import type { Vitals } from '../kept/steps.ts'
import type { PaymentRecord } from '../kept/takings.ts'
import { toPaymentSummary } from '../records.ts'
import type { ActionAnswer, ActionRequest } from '../schemas/actions.ts'
import { otherSecrets } from './alias.ts'
import { type CallerOptions, describeCaller, type RefusedRequest } from './caller.ts'
import { type LoanBookOptions, updateLoanBook } from './loans.ts'

type AccountHit = ActionAnswer<'find'>['accounts'][number]
type NamedAccount = Omit<AccountHit, 'caller'> & { account: Address }

const maxPayments = 20
/** Limits the requests that read the loan book's latest blocks for one answer. */
const maxLoanRequests = 3

/** Finds every account and payment that fits what a caller reads out, and records each look-up. */
export async function findByText(
  options: CallerOptions & LoanBookOptions,
  { text }: ActionRequest<'find'>,
  { identity }: Vitals,
): Promise<ActionAnswer<'find'> | RefusedRequest> {
  const { deployment, relayer, newId } = options
  // As screens write it, a hash ends with dots.
  const name = toPlainDigits(text.trim()).replace(/[.…]+$/, '')
  const numbers = listPossibleNumbers(name, options.country)
  if (numbers.length > 0 && identity?.kind !== 'same') return otherSecrets
  const [accounts, payments] = await Promise.all([
    findAccounts(options, name),
    findNamedPayments(options, name),
  ])
  if (accounts.length > 0) await updateLoanBook(options, maxLoanRequests).catch(() => undefined)
  const seen = [...accounts, ...payments].map(({ account }) => account)
  const details = seen.length === 0 ? [{ found: 'nothing' }] : toDetails(seen)
  for (const detail of details) {
    await relayer.ledger.recordAction({ id: newId(), action: 'lookup', detail })
  }
  return {
    accounts: await Promise.all(
      accounts.map(async ({ account, ...hit }) => ({
        ...hit,
        caller: await describeCaller(options, account),
      })),
    ),
    payments: payments.map((record) => toPaymentSummary(deployment.chain, record)),
  }
}

const toDetails = (accounts: readonly string[]) =>
  [...new Set(accounts)].map((account) => ({ account }))

async function findAccounts(options: CallerOptions, name: string): Promise<NamedAccount[]> {
  const { deployment, relayer } = options
  const address = parseAddress(name, deployment.chain.id)
  const till = isTillNumber(name) ? await relayer.ledger.findTill(name) : undefined
  return [
    ...(await findNumbers(options, name)),
    ...(till ? [{ by: 'till' as const, country: null, till, account: till.account }] : []),
    ...(address
      ? [{ by: 'address' as const, country: null, till: null, account: getAddress(address) }]
      : []),
  ]
}

/** Finds the accounts of the numbers that the text may be: of several those that were ever used. */
async function findNumbers(options: CallerOptions, name: string): Promise<NamedAccount[]> {
  const { accounts, country, loan, memory, relayer } = options
  const possible = await Promise.all(
    listPossibleNumbers(name, country).map(async ({ phone, country: listedBy = null }) => ({
      by: 'number' as const,
      country: listedBy,
      till: null,
      account: (await accounts(phone)).address,
    })),
  )
  if (possible.length < 2) return possible
  const sources = { ledger: relayer.ledger, loan, memory }
  const used = await Promise.all(possible.map(({ account }) => hasActivity(account, sources)))
  return possible.filter((_, index) => used[index])
}

/** Finds payments by an intent, a code, or at least as much of a hash as screens show. */
async function findNamedPayments(
  { relayer: { ledger } }: CallerOptions,
  name: string,
): Promise<PaymentRecord[]> {
  const hex = (name.startsWith('0x') ? name : `0x${name}`).toLowerCase() as Hex
  const byIntent = /^0x[0-9a-f]{44}$/.test(hex)
    ? (await ledger.readPage({ intent: hex, limit: 1 })).payments
    : []
  const isHash = /^0x[0-9a-f]{10,64}$/.test(hex) && hex.length !== 42
  const byHash = isHash ? await ledger.findPayments(hex, maxPayments) : []
  const byCode = /^[0-9]{6}$/.test(name) ? await ledger.findPayments(name, maxPayments) : []
  return [...byIntent, ...byHash, ...byCode]
}
