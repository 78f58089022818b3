import { type Address, isAddressEqual } from 'viem'
import * as z from 'zod/mini'
import { hasActivity } from '../../account/activity.ts'
import { computeNumberingFingerprint, listFormerForms } from '../../account/numbering.ts'
import { type PhoneNumber, parseCaller } from '../../account/phone.ts'
import { hexAddress, nonNegative, phone } from '../schemas/fields.ts'
import { action, badNumber, otherSecrets, refuseRequest } from './action.ts'

/** Lets numbers in a new form keep their accounts; the last request has `kept`, their total. */
export const keepAccounts = action({
  request: z.object({
    phones: z._default(z.array(phone).check(z.maxLength(20)), []),
    kept: z.optional(nonNegative),
  }),
  /** Counts the kept accounts, and lists those that an operator has to decide. */
  answer: z.object({ kept: z.int(), unclear: z.array(hexAddress) }),
  async run(options, { phones, kept }) {
    const { ownAccounts, country, nameAction, memory, loan, readVitals } = options
    const { ledger } = options.relayer
    const { identity } = await readVitals()
    const changedNames = identity?.kind === 'different' ? identity.names : []
    if (changedNames.some((name) => name !== 'NUMBERING')) return otherSecrets
    const accounts: [Address, Address][] = []
    const unclear: Address[] = []
    for (const typed of phones) {
      const number = parseCaller(typed.trim(), country)
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
    const renumbered = await ledger.renumber({ id: nameAction(), numbering, accounts, kept })
    if (renumbered.kind === 'serving')
      return refuseRequest(409, 'payments are taken: pause them first')
    const { refused: unmoved } = renumbered
    return { kept: accounts.length - unmoved.length, unclear: [...unclear, ...unmoved] }
  },
})
