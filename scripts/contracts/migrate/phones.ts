import type { Address, LocalAccount } from 'viem'
import type { Secret } from '../../../src/account/keyed-hash.ts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { inTurns } from './turns.ts'

/** A phone's account, and its account under the new secret where there is one. The number is not kept. */
export type Phone = { account: LocalAccount; heir: LocalAccount | undefined }

/**
 * The numbers in a text, one a line in E.164 form with plus; empty lines are passed over.
 *
 * @throws {PhoneListError} naming the line, and never what stands in it
 */
export function parsePhones(text: string): PhoneNumber[] {
  const phones = new Set<PhoneNumber>()
  for (const [index, line] of text.split('\n').entries()) {
    const number = line.trim()
    if (number === '') continue
    const phone = parseCaller(number)
    if (phone === undefined) throw new PhoneListError(index + 1)
    phones.add(phone)
  }
  return [...phones]
}

/** The accounts of the numbers, by their addresses under the old secret. */
export async function derivePhones(
  numbers: readonly PhoneNumber[],
  { secret, newSecret }: { secret: Secret; newSecret: Secret | undefined },
): Promise<Map<Address, Phone>> {
  const accountOf = createCallerAccounts(secret)
  const heirOf = newSecret === undefined ? undefined : createCallerAccounts(newSecret)
  const phones = new Map<Address, Phone>()
  await inTurns(numbers, async (number) => {
    const account = await accountOf(number)
    phones.set(account.address, { account, heir: await heirOf?.(number) })
  })
  return phones
}

/** A line of the list is no telephone number. */
export class PhoneListError extends Error {
  override readonly name = 'PhoneListError'

  constructor(line: number) {
    super(`line ${line} of the standard input is no number in E.164 form with plus`)
  }
}
