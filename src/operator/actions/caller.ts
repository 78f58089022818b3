import type { LocalAccount } from 'viem'
import type { CallerAccounts } from '../../account/keys.ts'
import { type Country, type PhoneNumber, parseCaller } from '../../account/phone.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'

/** Says why nothing is done, with the status of that answer. */
export type RefusedRequest = { status: 400 | 404 | 409 | 503; error: string }

/** Gives what actions for a caller need. */
export type CallerOptions = {
  relayer: Pick<Relayer, 'ledger' | 'log'>
  accounts: CallerAccounts
  country: Country | undefined
  newId: () => string
}

export const badNumber: RefusedRequest = { status: 400, error: 'this is not a phone number' }
/** Refuses where the ledger was begun with other secrets, since the account would be a wrong one. */
export const otherSecrets: RefusedRequest = {
  status: 409,
  error: 'the ledger was begun with other secrets',
}

/** Finds the account of a number. The number is kept nowhere: the audit has its account. */
export async function callerBy(
  { accounts, country }: Pick<CallerOptions, 'accounts' | 'country'>,
  typed: string,
  { identity }: Pick<Vitals, 'identity'>,
): Promise<RefusedRequest | { phone: PhoneNumber; account: LocalAccount }> {
  const phone = parseCaller(typed.trim(), country)
  if (phone === undefined) return badNumber
  if (identity?.kind !== 'same') return otherSecrets
  return { phone, account: await accounts(phone) }
}
