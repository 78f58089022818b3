import type { Address, LocalAccount } from 'viem'
import type { Secret } from '../../../src/account/keyed-hash.ts'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { formerForms } from '../../../src/account/numbering.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { StackError } from '../../stack/report.ts'
import { inTurns } from './turns.ts'

/** A phone's account, and the one that takes its place where there is one. The number is not kept. */
export type Phone = { account: LocalAccount; heir: LocalAccount | undefined }

/**
 * The numbers in a text, one a line in E.164 form with plus; empty lines are passed over.
 *
 * @throws {StackError} naming the line, and never what stands in it
 */
export function parsePhones(text: string): PhoneNumber[] {
  const phones = new Set<PhoneNumber>()
  for (const [index, line] of text.split('\n').entries()) {
    const number = line.trim()
    if (number === '') continue
    const phone = parseCaller(number)
    if (phone === undefined) throw lineFault(index + 1)
    phones.add(phone)
  }
  return [...phones]
}

/** A number that was given up, as accounts were derived from it, and the one that came in its place. */
export type Alias = { former: PhoneNumber; present: PhoneNumber }

/**
 * The pairs of numbers in a text, a former and a present one in each line, in E.164 form with plus; empty
 * lines are passed over. The former is taken as it stands: today's numbering plan may not know it any
 * more, or make another one of it.
 *
 * @throws {StackError} naming the line, and never what stands in it: not two numbers, or one of them
 * in another line as well
 */
export function parseAliases(text: string): Alias[] {
  const aliases: Alias[] = []
  const seen = new Set<PhoneNumber>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [former = '', typed = '', ...rest] = line.trim().split(/\s+/)
    const present = parseCaller(typed)
    const isPair = /^\+[1-9][0-9]{6,14}$/.test(former) && present !== undefined && rest.length === 0
    const pair = [former as PhoneNumber, present ?? (former as PhoneNumber)] as const
    if (!isPair || new Set([...seen, ...pair]).size < seen.size + 2) {
      throw lineFault(index + 1, 'has no two numbers of its own in E.164 form with plus')
    }
    for (const number of pair) seen.add(number)
    aliases.push({ former: pair[0], present: pair[1] })
  }
  return aliases
}

/** The accounts of former numbers, by their addresses, each with the present number's as its heir. */
export async function deriveAliases(
  aliases: readonly Alias[],
  secret: Secret,
): Promise<Map<Address, Phone>> {
  const accountOf = createCallerAccounts(secret)
  const phones = new Map<Address, Phone>()
  await inTurns(aliases, async ({ former, present }) => {
    const account = await accountOf(former)
    phones.set(account.address, { account, heir: await accountOf(present) })
  })
  return phones
}

/** The accounts of the numbers, in each form that one may have been opened under, by their addresses under the old secret. */
export async function derivePhones(
  numbers: readonly PhoneNumber[],
  { secret, newSecret }: { secret: Secret; newSecret: Secret | undefined },
): Promise<Map<Address, Phone>> {
  const accountOf = createCallerAccounts(secret)
  const heirOf = newSecret === undefined ? undefined : createCallerAccounts(newSecret)
  const phones = new Map<Address, Phone>()
  await inTurns(numbers, async (number) => {
    const heir = await heirOf?.(number)
    for (const form of [number, ...formerForms(number)]) {
      const account = await accountOf(form as PhoneNumber)
      phones.set(account.address, { account, heir })
    }
  })
  return phones
}

function lineFault(line: number, fault = 'is no number in E.164 form with plus'): StackError {
  return new StackError(`line ${line} of the standard input ${fault}`)
}
