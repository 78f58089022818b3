import type { LocalAccount } from 'viem'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { DepositAnswer } from '../answers.ts'
import { linkOf, type Subject } from '../records.ts'
import { type CallerOptions, callerBy, type NoCaller } from './caller.ts'

export type Deposited = ({ kind: 'told' } & DepositAnswer) | NoCaller

export type DepositOptions = CallerOptions & {
  subject: Subject
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
}

/** Has a caller's own key deposit what is at its address. The audit has it before anything is sent. */
export async function depositFor(
  options: DepositOptions,
  phone: string,
  vitals: Vitals,
): Promise<Deposited> {
  const caller = await callerBy(options, phone, vitals)
  if (caller.kind !== 'caller') return caller
  const { account } = caller
  const { address } = account
  const { subject, relayer, claimDeposit, newId } = options
  const { ledger, log } = relayer
  await ledger.note({ id: newId(), action: 'deposit', detail: { account: address } })
  log({ level: 'warn', event: 'operator.deposit', message: 'An operator deposits for a caller' })
  return { kind: 'told', account: address, deposit: told(subject, await claimDeposit(account)) }
}

function told({ chain }: Subject, claim: DepositClaim): DepositAnswer['deposit'] {
  switch (claim.kind) {
    case 'sent': {
      const { kind, amountWei, hash, isTaken } = claim
      return { kind, amountWei: `${amountWei}`, hash, isTaken, explorer: linkOf(chain, hash) }
    }
    case 'too_little': {
      const { kind, thereWei, gasWei, last } = claim
      const before = last && {
        ...last,
        amountWei: `${last.amountWei}`,
        explorer: linkOf(chain, last.hash),
      }
      return { kind, thereWei: `${thereWei}`, gasWei: `${gasWei}`, last: before ?? null }
    }
    case 'under_way':
    case 'price_too_high':
    case 'paused':
    case 'refused':
      return { kind: claim.kind }
  }
}
