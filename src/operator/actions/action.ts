import type { Address, Hex, LocalAccount } from 'viem'
import type * as z from 'zod/mini'
import type { CallerAccounts } from '../../account/caller-accounts.ts'
import type { Memory } from '../../account/memory.ts'
import type { Names } from '../../account/names.ts'
import { type Country, type PhoneNumber, parseCaller } from '../../account/phone.ts'
import type { SessionKeys } from '../../account/secrets.ts'
import type { Rate } from '../../loan/local-worth.ts'
import type { LoanReader } from '../../loan/reader.ts'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { Ledger, SetBack, SetBackAnswer } from '../../relay/ledger/steps.ts'
import type { RecallTimes } from '../../relay/ledger/values.ts'
import type { PaymentAnswer } from '../../relay/pay/answers.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { AlertNotice } from '../kept/alerts.ts'
import type { Vitals, WholeLedger } from '../kept/steps.ts'
import type { Deployment } from '../records.ts'

export type RefusedRequest = { status: 400 | 403 | 404 | 409 | 503; error: string }

export const refuseRequest = (status: RefusedRequest['status'], error: string): RefusedRequest => ({
  status,
  error,
})

export const badNumber = refuseRequest(400, 'this is not a phone number, such as +254700000001')
/** Refuses a request because other secrets would derive another account. */
export const otherSecrets = refuseRequest(409, 'the ledger was begun with other secrets')

/** Describes a cash-out; a caller is paid at most once per `key`. */
type CashOutOrder = {
  key: string
  phone: PhoneNumber
  to: Address
  amountWei: bigint | 'all'
}

type Paid = Promise<{ intentId: Hex; answer: PaymentAnswer }>

/** Makes payments of callers' accounts that operators ask for, each once per `key`. */
export type OperatorPayments = {
  cashOut: (order: CashOutOrder) => Paid
  /** Credits what arrived at the account's inlet. */
  sweep: (order: Pick<CashOutOrder, 'key' | 'phone'>) => Paid
}

export type ActionOptions = OperatorPayments & {
  relayer: Relayer<WholeLedger>
  deployment: Deployment
  accounts: CallerAccounts
  /** Derives accounts from a number's form, without former accounts. */
  ownAccounts: CallerAccounts
  country: Country | undefined
  memory: Memory
  names: Names
  keys: SessionKeys
  /** Encrypts numbers for messages; undefined if none are sent. */
  smsSeals?: { sealNumber: (phone: PhoneNumber, subject: string) => Promise<string> } | undefined
  limits: Parameters<Ledger['findKnownRefusal']>[1]
  /** Holds what the menu goes by, too. The days of tills begin in `timeZone`; UTC if undefined. */
  settings: { recipientNames: boolean; recalls: RecallTimes; timeZone?: string | undefined }
  loan: LoanReader
  /** Reads the price of one unit in local money; undefined without an accepted one. */
  readRate: () => Promise<Rate | undefined>
  identity: () => Promise<Parameters<Ledger['identify']>[0]>
  /** Reads the ledger's state. @throws {Error} the ledger gave no answer */
  readVitals: () => Promise<Vitals>
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  /** Sets the ledger back to a former state; undefined if the store has no history. */
  setBack: ((to: SetBack) => Promise<SetBackAnswer>) | undefined
  /** Posts a notice to the webhook; undefined if none is set. */
  postNotice: ((notice: AlertNotice) => Promise<void>) | undefined
  /** Returns the id of an audit entry of this operator: a new one, or of what happens once. */
  nameAction: (once?: string) => string
}

type Form<Request, Answer> = { request: Request; answer: Answer }

type Outcome<Answer extends z.ZodMiniType> = Promise<z.output<Answer> | RefusedRequest>

export type DeclaredAction = Form<z.ZodMiniType, z.ZodMiniType> & {
  run: (options: ActionOptions, request: never) => Promise<unknown>
}

export const action = <Request extends z.ZodMiniType, Answer extends z.ZodMiniType>(
  declared: Form<Request, Answer> & {
    run: (options: ActionOptions, request: z.output<Request>) => Outcome<Answer>
  },
) => declared

/** Holds a caller's account, and the number, which is never stored. */
export type Caller = { phone: PhoneNumber; account: LocalAccount; address: Address }

/** Declares an action on a number's account, if the ledger began with the same secrets. */
export const callerAction = <
  Request extends z.ZodMiniType<{ phone: string }>,
  Answer extends z.ZodMiniType,
>({
  run,
  ...form
}: Form<Request, Answer> & {
  run: (options: ActionOptions, caller: Caller, request: z.output<Request>) => Outcome<Answer>
}) => ({
  ...form,
  async run(options: ActionOptions, request: z.output<Request>): Outcome<Answer> {
    const { identity } = await options.readVitals()
    const phone = parseCaller(request.phone.trim(), options.country)
    if (phone === undefined) return badNumber
    if (identity?.kind !== 'same') return otherSecrets
    const account = await options.accounts(phone)
    return await run(options, { phone, account, address: account.address }, request)
  },
})

/** Records an action in the audit, without a phone number. It is done only after that. */
export const recordInAudit = (
  { relayer: { ledger }, nameAction }: ActionOptions,
  name: string,
  detail: Readonly<Record<string, string>> = {},
  once?: string,
): Promise<void> => ledger.recordAction({ id: nameAction(once), action: name, detail })
