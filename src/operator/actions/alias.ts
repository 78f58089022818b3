import { type Address, isAddressEqual } from 'viem'
import { hasActivity } from '../../account/activity.ts'
import type { CallerAccounts } from '../../account/caller-accounts.ts'
import { computeNumberingFingerprint, listFormerForms } from '../../account/numbering.ts'
import { type PhoneNumber, parseCaller } from '../../account/phone.ts'
import type { Vitals } from '../kept/steps.ts'
import type { ActionRequest } from '../schemas/actions.ts'
import { type CallerOptions, refuseRequest } from './caller.ts'

export type AliasOptions = CallerOptions & {
  /** Derives accounts from a number's form, without former accounts. */
  ownAccounts: CallerAccounts
}

export const badNumber = refuseRequest(400, 'this is not a phone number, such as +254700000001')
/** Refuses a request because other secrets would derive another account. */
export const otherSecrets = refuseRequest(409, 'the ledger was begun with other secrets')

/**
 * Keeps the accounts of numbers whose form changed.
 * @throws {Error} ledger, memory or node do not answer
 */
export async function keepAccounts(
  options: AliasOptions,
  request: ActionRequest<'alias'>,
  { identity }: Vitals,
) {
  const { ownAccounts, country, newId, memory, loan } = options
  const { ledger, log } = options.relayer
  const { phones, kept } = request
  const changedNames = identity?.kind === 'different' ? identity.names : []
  if (changedNames.some((name) => name !== 'NUMBERING')) return otherSecrets
  const accounts: [Address, Address][] = []
  const unclear: Address[] = []
  for (const phone of phones) {
    const number = parseCaller(phone.trim(), country)
    if (number === undefined) return badNumber
    const { address: currentAddress } = await ownAccounts(number)
    const activeAccounts: Address[] = []
    for (const form of [number, ...listFormerForms(number)] as PhoneNumber[]) {
      const { address } = await ownAccounts(form)
      if (await hasActivity(address, { memory, loan, ledger })) activeAccounts.push(address)
    }
    const [first = currentAddress] = activeAccounts
    if (activeAccounts.length > 1) unclear.push(currentAddress)
    else if (!isAddressEqual(first, currentAddress)) accounts.push([currentAddress, first])
  }
  const numbering = computeNumberingFingerprint()
  const renumbered = await ledger.renumber({ id: newId(), numbering, accounts, kept })
  if (renumbered.kind === 'serving')
    return refuseRequest(409, 'payments are taken: pause them first')
  log({
    level: 'warn',
    event: 'operator.alias',
    message: 'An operator keeps the accounts of renumbered callers',
  })
  const { refused: unmoved } = renumbered
  return { kept: accounts.length - unmoved.length, unclear: [...unclear, ...unmoved] }
}
