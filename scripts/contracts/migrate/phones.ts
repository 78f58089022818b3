import type { Address, LocalAccount } from 'viem'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import type { Secret } from '../../../src/account/secrets.ts'
import { inLanes } from '../../dev/lanes.ts'
import { StackError } from '../../stack/report.ts'
import { lanes } from '../reads.ts'

/** Holds a phone's account, and its successor if there is one; the number is not kept. */
export type Phone = { account: LocalAccount; heir: LocalAccount | undefined }

/** Reads numbers, one a line (E.164 with plus). @throws {StackError} naming only the line */
export function parsePhones(text: string): PhoneNumber[] {
  const phones = linesOf(text).map(
    ([line, number]) =>
      parseCaller(number) ?? refuseLine(line, 'is no number in E.164 form with plus'),
  )
  return [...new Set(phones)]
}

/** Holds a number and the line that has it, with the words that follow it there, if any do. */
export type Borrower = { line: number; phone: PhoneNumber; limit: string | undefined }

/** Reads numbers, each with a limit if one follows it. @throws {StackError} naming only the line */
export function parseBorrowers(text: string): Borrower[] {
  const seen = new Set<string>()
  return linesOf(text).flatMap(([line, words]) => {
    const [number = '', limit, ...rest] = words.split(/\s+/)
    const phone = parseCaller(number)
    if (phone === undefined || rest.length > 0) {
      return refuseLine(line, 'is no number in E.164 form with plus, or one with a limit')
    }
    if (seen.has(`${phone} ${limit}`)) return []
    if (seen.has(phone)) return refuseLine(line, 'has a number once more, with another limit')
    seen.add(phone).add(`${phone} ${limit}`)
    return [{ line, phone, limit }]
  })
}

/** Numbers of one owner, and the one that comes in their place. */
type Owner = { numbers: readonly string[]; heir?: PhoneNumber }

/** Reads a former and a present number a line. @throws {StackError} naming only the line */
export function parseAliases(text: string): Owner[] {
  const seen = new Set<string>()
  return linesOf(text).map(([line, pair]) => {
    const [former = '', typed = '', ...rest] = pair.split(/\s+/)
    const present = parseCaller(typed)
    const isPair = /^\+[1-9][0-9]{6,14}$/.test(former) && former !== present && rest.length === 0
    if (!isPair || present === undefined || seen.has(former) || seen.has(present)) {
      return refuseLine(line, 'has no two numbers of its own in E.164 form with plus')
    }
    seen.add(former).add(present)
    return { numbers: [former], heir: present }
  })
}

function linesOf(text: string): [line: number, words: string][] {
  const lines = text.split('\n').map((words, index): [number, string] => [index + 1, words.trim()])
  return lines.filter(([, words]) => words !== '')
}

export function refuseLine(line: number, fault: string): never {
  throw new StackError(`line ${line} of the standard input ${fault}`)
}

/** Derives the accounts of numbers, by address, each with the account that replaces it. */
export async function derivePhones(
  owners: readonly Owner[],
  { secret, newSecret = secret }: { secret: Secret; newSecret?: Secret | undefined },
): Promise<Map<Address, Phone>> {
  const accountOf = createCallerAccounts(secret)
  const heirOf = createCallerAccounts(newSecret)
  const phones = new Map<Address, Phone>()
  await inLanes(lanes, owners, async ({ numbers, heir: present }) => {
    const heir = present && (await heirOf(present))
    for (const number of numbers) {
      const account = await accountOf(number as PhoneNumber)
      phones.set(account.address, { account, heir })
    }
  })
  return phones
}
