import type { Address } from 'viem'
import type { Memory } from './memory.ts'

export type Traces = {
  memory?: Pick<Memory, 'read'> | undefined
  ledger: { listPayments(account: Address, limit: number): Promise<readonly unknown[]> }
  loan: { balance(account: Address): Promise<bigint>; owed(account: Address): Promise<bigint> }
}

/** Tells whether a dial, payment, balance or debt of an account is known. @throws {Error} */
export async function isOpened(account: Address, traces: Traces): Promise<boolean> {
  const { memory, ledger, loan } = traces
  const kept = await memory?.read(account)
  if (kept !== undefined && (kept.hasDialled || kept.pin !== undefined)) return true
  if ((await ledger.listPayments(account, 1)).length > 0) return true
  return (await loan.balance(account)) + (await loan.owed(account)) > 0n
}
