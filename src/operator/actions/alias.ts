import { type Address, isAddressEqual } from 'viem'
import type { CallerAccounts } from '../../account/keys.ts'
import { formerForms, numberingFingerprint } from '../../account/numbering.ts'
import { isOpened } from '../../account/opened.ts'
import { type PhoneNumber, parseCaller } from '../../account/phone.ts'
import type { Vitals } from '../../relay/ledger/port.ts'
import type { AskedOf } from '../answers.ts'
import { type CallerOptions, refused } from './caller.ts'

export type AliasOptions = CallerOptions & {
  /** Derives accounts from a number's form only. */
  ownAccounts: CallerAccounts
}

export const badNumber = refused(400, 'this is not a phone number, such as +254700000001')
/** Refuses the request if the ledger began with other secrets: the account would be wrong. */
export const otherSecrets = refused(409, 'the ledger was begun with other secrets')

/** Keeps the accounts of numbers whose form changed. @throws {Error} no answer */
export async function keepAccounts(
  of: AliasOptions,
  asked: AskedOf<'alias'>,
  { identity }: Vitals,
) {
  const { ownAccounts, country, newId, memory, loan } = of
  const { ledger, log } = of.relayer
  const { phones, kept } = asked
  const differs = identity?.kind === 'different' ? identity.names : []
  if (differs.some((name) => name !== 'NUMBERING')) return otherSecrets
  const accounts: [Address, Address][] = []
  const unclear: Address[] = []
  for (const phone of phones) {
    const number = parseCaller(phone.trim(), country)
    if (number === undefined) return badNumber
    const { address: present } = await ownAccounts(number)
    const opened: Address[] = []
    for (const form of [number, ...formerForms(number)] as PhoneNumber[]) {
      const { address } = await ownAccounts(form)
      if (await isOpened(address, { memory, loan, ledger })) opened.push(address)
    }
    const [first = present] = opened
    if (opened.length > 1) unclear.push(present)
    else if (!isAddressEqual(first, present)) accounts.push([present, first])
  }
  const numbering = numberingFingerprint()
  const renumbered = await ledger.renumber({ id: newId(), numbering, accounts, kept })
  if (renumbered.kind === 'serving') return refused(409, 'payments are taken: pause them first')
  log({ level: 'warn', event: 'operator.alias', message: 'An operator has numbers keep accounts' })
  const { refused: left } = renumbered
  return { kept: accounts.length - left.length, unclear: [...unclear, ...left] }
}
