import { type Address, encodeFunctionData } from 'viem'
import { z } from 'zod'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import type { ChainNode } from '../chain/node.ts'
import { readJson, writeJson } from '../files.ts'
import { StackError } from '../report.ts'
import type { Secrets } from '../secrets.ts'
import type { Treasury } from './treasury.ts'

/** Numbers that a local stack gives money to, so that there is something to send. */
export const demoCallers = ['+254700000001', '+254700000002', '+254700000003'].map(toPhone)

export const demoDepositWei = 10n ** 18n

async function depositFor(
  { treasury, loan, secrets }: Bank,
  phone: PhoneNumber,
  amountWei: bigint,
): Promise<void> {
  const { address } = await createCallerAccounts(secrets.ACCOUNT_KEY_SECRET)(phone)
  await treasury.send({
    to: loan,
    valueWei: amountWei,
    data: encodeFunctionData({ abi: microLoanAbi, functionName: 'depositFor', args: [address] }),
  })
}

/** What a deposit takes: who pays on which chain, into which contract, and whose callers they are. */
export type Bank = { node: ChainNode; treasury: Treasury; loan: Address; secrets: Secrets }

/** Gives the demo callers their money, each once for this deployment and these secrets. */
export async function fundDemoCallers(bank: Bank, recordFile: string): Promise<void> {
  const funded = new Set(z.array(z.string()).safeParse(readJson(recordFile)).data)
  for (const phone of demoCallers) {
    const { address } = await createCallerAccounts(bank.secrets.ACCOUNT_KEY_SECRET)(phone)
    if (funded.has(address)) continue
    await depositFor(bank, phone, demoDepositWei)
    funded.add(address)
    writeJson(recordFile, [...funded])
  }
}

export function toPhone(text: string): PhoneNumber {
  const phone = parseCaller(text)
  if (phone === undefined)
    throw new StackError(`"${text}" is not a phone number in international form: +254700000001`)
  return phone
}
