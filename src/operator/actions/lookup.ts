import type { LoanReader } from '../../loan/reader.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import { faultOf } from '../../runtime/log.ts'
import type { LookupAnswer } from '../answers.ts'
import { type Subject, toPaymentSummary } from '../records.ts'
import { type CallerOptions, callerBy, type RefusedRequest } from './caller.ts'

export type LookupOptions = CallerOptions & {
  subject: Subject
  loan: Pick<LoanReader, 'balance' | 'owed'>
}

const shownPayments = 20

/** Finds the account of a caller's number, with what it has and what it paid last. */
export async function lookUpCaller(
  options: LookupOptions,
  { phone }: { phone: string },
  vitals: Vitals,
): Promise<LookupAnswer | RefusedRequest> {
  const caller = await callerBy(options, phone, vitals)
  if ('error' in caller) return caller
  const { address: account } = caller.account
  const { subject, relayer, loan, newId } = options
  const { ledger, log } = relayer
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
