import type { Address } from 'viem'
import { z } from 'zod'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { createOperatorClient } from '../../ops/operator-client.ts'
import { readJson, writeJson } from '../files.ts'
import { demoNumbers } from '../phone/page/handset.ts'
import { StackError } from '../report.ts'
import type { Secrets } from '../secrets.ts'
import { depositCalls, type Treasury } from './treasury.ts'

export const demoCallers = demoNumbers.map(toPhone)

/** Is one coin, or 100 of a token. */
export const getDemoDeposit = (isOverToken: boolean): bigint =>
  isOverToken ? 10n ** 8n : 10n ** 18n

type DemoMoney = {
  loan: Address
  token: Address | undefined
  secrets: Secrets
  recordFile: string
}

/** Gives the demo callers their money, each once for this deployment and these secrets. */
export async function fundDemoCallers(
  treasury: Treasury,
  { loan, token, secrets, recordFile }: DemoMoney,
): Promise<void> {
  const funded = new Set(z.array(z.string()).safeParse(readJson(recordFile)).data)
  const accountOf = createCallerAccounts(secrets.ACCOUNT_KEY_SECRET)
  for (const phone of demoCallers) {
    const { address } = await accountOf(phone)
    if (funded.has(address)) continue
    await treasury.payLoan(loan, depositCalls, [address], getDemoDeposit(token !== undefined))
    writeJson(recordFile, [...funded.add(address)])
  }
}

const agentNames = ['Mama Duka', 'Soko Letu']

/** Gives the second and the third demo caller a till each, once, and returns a line for each. */
export async function addDemoAgents(origin: string, token: string): Promise<string[]> {
  const { act } = createOperatorClient({ origin, token, nodeUrl: undefined })
  const agents = agentNames.map((name, index) => ({ name, phone: demoCallers[index + 1] ?? '' }))
  const add = async ({ name, phone }: (typeof agents)[number]) => {
    const { till } = await act('agents/add', { name, phone, kind: 'agent' })
    return `${name} (${phone}) has the till ${till}`
  }
  return await Promise.all(agents.map(add))
}

export function toPhone(text: string): PhoneNumber {
  const phone = parseCaller(text)
  if (phone !== undefined) return phone
  throw new StackError(`"${text}" is not a phone number in international form: +254700000001`)
}
