import type { LocalAccount } from 'viem'
import type { CallerAccounts } from '../../account/keys.ts'
import { type Country, type PhoneNumber, parseCaller } from '../../account/phone.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { Relayer } from '../../relay/relayer.ts'

/** What is needed for whatever an operator does for a caller. */
export type CallerOptions = {
  relayer: Pick<Relayer, 'ledger' | 'log'>
  accounts: CallerAccounts
  country: Country | undefined
  newId: () => string
}

/** Why a number leads to nobody. `other_secrets`: the ledger was begun with other ones, so the account would be a wrong one. */
export type NoCaller = { kind: 'bad_number' | 'other_secrets' }

/** Finds whose account a number leads to. The number is kept nowhere: the audit has its account. */
export async function callerBy(
  { accounts, country }: Pick<CallerOptions, 'accounts' | 'country'>,
  typed: string,
  { identity }: Pick<Vitals, 'identity'>,
): Promise<NoCaller | { kind: 'caller'; phone: PhoneNumber; account: LocalAccount }> {
  const phone = parseCaller(typed.trim(), country)
  if (phone === undefined) return { kind: 'bad_number' }
  if (identity?.kind !== 'same') return { kind: 'other_secrets' }
  return { kind: 'caller', phone, account: await accounts(phone) }
}
