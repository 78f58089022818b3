import type { LocalAccount } from 'viem'
import type { CallerAccounts } from '../../account/keys.ts'
import { type Country, parseCaller } from '../../account/phone.ts'
import type { DepositClaim } from '../../relay/claim-deposit.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'
import type { DepositAnswer } from '../answers.ts'
import type { Subject } from '../records.ts'

/** What came of an operator's attempt to deposit for a caller. */
export type Deposited =
  | ({ kind: 'told' } & DepositAnswer)
  | { kind: 'bad_number' }
  /** The ledger was begun with other secrets: the account would be a wrong one. */
  | { kind: 'other_secrets' }

export type DepositOptions = {
  subject: Subject
  relayer: Relayer
  accounts: CallerAccounts
  country: Country | undefined
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  newId: () => string
}

/**
 * Has a caller's own key deposit what is at its address. The number is kept nowhere: the audit has its
 * account, and has it before anything is sent.
 */
export async function depositFor(
  { subject, relayer, accounts, country, claimDeposit, newId }: DepositOptions,
  phone: string,
  { identity }: Vitals,
): Promise<Deposited> {
  const number = parseCaller(phone.trim(), country)
  if (number === undefined) return { kind: 'bad_number' }
  if (identity?.kind !== 'same') return { kind: 'other_secrets' }
  const account = await accounts(number)
  const { address } = account
  const { ledger, log } = relayer
  await ledger.note({ id: newId(), action: 'deposit', detail: { account: address } })
  log({ level: 'warn', event: 'operator.deposit', message: 'An operator deposits for a caller' })
  return { kind: 'told', account: address, deposit: told(subject, await claimDeposit(account)) }
}

function told({ chain }: Subject, claim: DepositClaim): DepositAnswer['deposit'] {
  const linkOf = (hash: string) => `${chain.explorer}/tx/${hash}`
  switch (claim.kind) {
    case 'sent': {
      const { kind, amountWei, hash, isTaken } = claim
      return { kind, amountWei: `${amountWei}`, hash, isTaken, explorer: linkOf(hash) }
    }
    case 'too_little': {
      const { kind, thereWei, gasWei, last } = claim
      const before = last && {
        ...last,
        amountWei: `${last.amountWei}`,
        explorer: linkOf(last.hash),
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
