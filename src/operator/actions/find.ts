import { type Address, getAddress, type Hex } from 'viem'
import * as z from 'zod/mini'
import { hasActivity } from '../../account/activity.ts'
import { isTillNumber } from '../../account/check-digit.ts'
import { listPossibleNumbers } from '../../account/phone.ts'
import { parseAddress } from '../../chain/payees.ts'
import { toPlainDigits } from '../../runtime/digits.ts'
import type { Till } from '../kept/tills.ts'
import { toPaymentSummary } from '../records.ts'
import { caller } from '../schemas/callers.ts'
import { till } from '../schemas/fields.ts'
import { payment } from '../schemas/payments.ts'
import { type ActionOptions, action, otherSecrets, recordInAudit } from './action.ts'
import { describeCaller } from './caller.ts'
import { updateLoanBook } from './loans.ts'

const answer = z.object({
  accounts: z.array(
    z.object({
      by: z.enum(['number', 'till', 'address']),
      /** Names the country whose plan lists the number, since several may list its digits. */
      country: z.nullable(z.string()),
      till: z.nullable(till),
      caller,
    }),
  ),
  payments: z.array(payment),
})

type AccountHit = z.output<typeof answer>['accounts'][number]
type NamedAccount = Omit<AccountHit, 'caller'> & { account: Address }

const maxPayments = 20
/** Limits the requests that read the loan book's latest blocks for one answer. */
const maxLoanRequests = 3

/**
 * Finds every account and payment that fits what a caller reads out, and records each look-up: a
 * number, the start of a hash, a code, a receipt number, a till or its name.
 */
export const findByText = action({
  request: z.object({ text: z.string().check(z.maxLength(80)) }),
  answer,
  async run(options, { text }) {
    const { identity } = await options.readVitals()
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
    if (seen.length === 0) await recordInAudit(options, 'lookup', { found: 'nothing' })
    for (const account of new Set(seen)) await recordInAudit(options, 'lookup', { account })
    return {
      accounts: await Promise.all(
        accounts.map(async ({ account, ...hit }) => ({
          ...hit,
          caller: await describeCaller(options, account),
        })),
      ),
      payments: payments.map((record) => toPaymentSummary(options.deployment.chain, record)),
    }
  },
})

async function findAccounts(options: ActionOptions, name: string): Promise<NamedAccount[]> {
  const { deployment } = options
  const address = parseAddress(name, deployment.chain.id)
  const tills = await findTills(options, name)
  return [
    ...(await findNumbers(options, name)),
    ...tills.map((till) => ({ by: 'till' as const, country: null, till, account: till.account })),
    ...(address
      ? [{ by: 'address' as const, country: null, till: null, account: getAddress(address) }]
      : []),
  ]
}

/** Finds the till of a number, or one of each account that has a till of this name. */
async function findTills({ relayer: { ledger } }: ActionOptions, name: string): Promise<Till[]> {
  if (isTillNumber(name)) return [(await ledger.findTill(name)) ?? []].flat()
  const named = (await ledger.listTills()).filter(
    (till) => till.name.toLowerCase() === name.toLowerCase(),
  )
  return [...new Map(named.map((till) => [till.account, till])).values()]
}

/** Finds the accounts of the numbers that the text may be: of several those that were ever used. */
async function findNumbers(options: ActionOptions, name: string): Promise<NamedAccount[]> {
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

/** Finds payments by an intent, a code, a receipt number, or as much of a hash as screens show. */
async function findNamedPayments({ relayer: { ledger } }: ActionOptions, name: string) {
  const hex = (name.startsWith('0x') ? name : `0x${name}`).toLowerCase() as Hex
  const byIntent = /^0x[0-9a-f]{44}$/.test(hex)
    ? (await ledger.readPage({ intent: hex, limit: 1 })).payments
    : []
  const isHash = /^0x[0-9a-f]{10,64}$/.test(hex) && hex.length !== 42
  // A receipt number may be typed as it stands there, or without its dash, as a phone's may.
  const receipt = /^(?:ref:? *)?([0-9]{3})[- ]?([0-9]{4})$/i.exec(name)
  const isClue = isHash || receipt !== null || /^[0-9]{6}$/.test(name)
  const clue = isHash ? hex : receipt ? `${receipt[1]}-${receipt[2]}` : name
  return [...byIntent, ...(isClue ? await ledger.findPayments(clue, maxPayments) : [])]
}
