import type { LocalAccount } from 'viem'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { DepositAnswer } from '../answers.ts'
import { linkOf, type Subject } from '../records.ts'
import { type CallerOptions, callerBy, type RefusedRequest } from './caller.ts'

export type DepositOptions = CallerOptions & {
  subject: Subject
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
}

/** Has a caller's own key deposit what is at its address. The audit has it before anything is sent. */
export async function depositFor(
  options: DepositOptions,
  { phone }: { phone: string },
  vitals: Vitals,
): Promise<DepositAnswer | RefusedRequest> {
  const caller = await callerBy(options, phone, vitals)
  if ('error' in caller) return caller
  const { account } = caller
  const { address } = account
  const { subject, relayer, claimDeposit, newId } = options
  await relayer.ledger.note({ id: newId(), action: 'deposit', detail: { account: address } })
  const message = 'An operator deposits for a caller'
  relayer.log({ level: 'warn', event: 'operator.deposit', message })
  return { account: address, deposit: told(subject, await claimDeposit(account)) }
}

function told({ chain }: Subject, claim: DepositClaim): DepositAnswer['deposit'] {
  switch (claim.kind) {
    case 'sent': {
      const { kind, amountWei, hash, isTaken } = claim
      return { kind, amountWei: `${amountWei}`, hash, isTaken, explorer: linkOf(chain, hash) }
    }
    case 'too_little': {
      const { kind, thereWei, gasWei, last = null } = claim
      const before = last && {
        ...last,
        amountWei: `${last.amountWei}`,
        explorer: linkOf(chain, last.hash),
      }
      return { kind, thereWei: `${thereWei}`, gasWei: `${gasWei}`, last: before }
    }
    case 'under_way':
    case 'price_too_high':
    case 'paused':
    case 'refused':
      return { kind: claim.kind }
  }
}
