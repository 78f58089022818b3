import type { Address } from 'viem'
import { z } from 'zod'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { demoNumbers } from '../../../src/pages/phone/handset.ts'
import { readJson, writeJson } from '../files.ts'
import { StackError } from '../report.ts'
import type { Secrets } from '../secrets.ts'
import type { Treasury } from './treasury.ts'

export const demoCallers = demoNumbers.map(toPhone)

export const demoDepositWei = 10n ** 18n

/** Gives the demo callers their money, each once for this deployment and these secrets. */
export async function fundDemoCallers(
  treasury: Treasury,
  { loan, secrets, recordFile }: { loan: Address; secrets: Secrets; recordFile: string },
): Promise<void> {
  const funded = new Set(z.array(z.string()).safeParse(readJson(recordFile)).data)
  const accountOf = createCallerAccounts(secrets.ACCOUNT_KEY_SECRET)
  for (const phone of demoCallers) {
    const { address } = await accountOf(phone)
    if (funded.has(address)) continue
    await treasury.callLoan(loan, 'depositFor', [address], demoDepositWei)
    writeJson(recordFile, [...funded.add(address)])
  }
}

export function toPhone(text: string): PhoneNumber {
  const phone = parseCaller(text)
  if (phone !== undefined) return phone
  throw new StackError(`"${text}" is not a phone number in international form: +254700000001`)
}
