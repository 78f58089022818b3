import { type Address, type Hex, parseEther } from 'viem'
import type { TestChain } from '../../../scripts/dev/chain.ts'
import { createTreasury } from '../../../scripts/dev/relays/callers.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import type { Deployment } from '../../support/deployment.ts'
import { type Ended, runScript } from '../../support/processes.ts'

export const token = 'the-token-of-this-test'
export const authorized = { authorization: `Bearer ${token}` }

/** Gives the account of a number so much of the currency, on a chain that mines by itself. */
export async function give(
  chain: TestChain,
  phone: string,
  amount = '1',
  secret = chain.bindings.ACCOUNT_KEY_SECRET as Hex,
): Promise<Address> {
  const { address } = await callerAccount(secret, phone as PhoneNumber)
  if (amount !== '0') await createTreasury(chain).deposit([address], parseEther(amount))
  return address
}

export type Dialled = { phone: string; sessionId: string; text: string }

/** Posts what a gateway would, and gives the screen. */
export async function dial(
  { ask }: Deployment,
  { phone, sessionId, text }: Dialled,
): Promise<string> {
  const body = new URLSearchParams({ phoneNumber: phone, sessionId, text })
  return `${(await ask('/ussd', { method: 'POST', body })).body}`
}

/** Runs a command of operators to its end, with their token. */
export const operate = (
  script: string,
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ended> =>
  runScript(`scripts/ops/${script}`, args, { input, env: { OPERATOR_TOKEN: token, ...env } })
