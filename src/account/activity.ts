import type { Address } from 'viem'
import type { Memory } from './memory.ts'

export type ActivitySources = {
  memory?: Pick<Memory, 'read'> | undefined
  ledger: { listPayments(account: Address, limit: number): Promise<readonly unknown[]> }
  loan: {
    readBalance(account: Address): Promise<bigint>
    readOwed(account: Address): Promise<bigint>
  }
}

/**
 * Tells whether an account has a recorded dial, a PIN, a payment, a balance or a debt.
 * @throws {Error} memory, ledger or node does not answer
 */
export async function hasActivity(account: Address, sources: ActivitySources): Promise<boolean> {
  const { memory, ledger, loan } = sources
  const stored = await memory?.read(account)
  if (stored !== undefined && (stored.hasDialled || stored.pin !== undefined)) return true
  if ((await ledger.listPayments(account, 1)).length > 0) return true
  return (await loan.readBalance(account)) + (await loan.readOwed(account)) > 0n
}
