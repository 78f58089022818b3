import type { Lendable } from '../../../../../src/relay/ledger/port.ts'
import { blockOf, type Desk, kindOf, nonceOf } from './desk.ts'

const loanWei = 10n

/**
 * What payments take of what all accounts share is taken from their claim on, until a view of the chain
 * shows it; a claim that ends, and a payment that fails, give it back.
 */
export function tryReserves({
  ledger,
  rules,
  pass,
  expect,
  claim,
  record,
  refuse,
  mine,
}: Desk): void {
  const block = 1_000_000
  const shares = { poolWei: loanWei, capWei: loanWei, outWei: 0n }
  const wanting = (poolWei: bigint, at = block) => {
    const of: Lendable = { poolWei, capWei: 100n * loanWei, outWei: 0n, block: at }
    return { reserves: { ...shares, of } }
  }
  const asks = (name: string, loans: number, at = block) =>
    kindOf(claim(name, wanting(loanWei * BigInt(loans), at)))
  expect('the last loan', asks('lent 1', 1), 'claimed')
  expect('one loan more', asks('lent 2', 1), 'short')
  refuse('lent 1')
  expect('a loan after a refusal', asks('lent 2', 1), 'claimed')
  pass(rules.leaseMs + 1)
  expect('a loan after a lease', asks('lent 3', 1), 'claimed')
  const nonce = ledger.work().nonces.find(({ leaseLive }) => leaseLive)?.nonce
  expect('its record', kindOf(record('lent 3', nonce, { reserves: shares })), 'recorded')
  expect('a loan beside an open one', asks('lent 4', 1), 'short')
  expect('a loan of two', asks('lent 4', 2), 'claimed')
  refuse('lent 4')
  mine('lent 3', nonce ?? 0, block + 5)
  expect('a loan on a view from before', asks('lent 5', 1, block + 4), 'short')
  expect('a loan on a view of its block', asks('lent 5', 1, block + 5), 'claimed')
  refuse('lent 5')
  ledger.confirm('lent 3', blockOf(block + 5).hash)
  expect('a loan on a view from before, later', asks('lent 6', 1, block + 4), 'short')
  const failing = claim('lent 7', wanting(2n * loanWei, block + 5))
  const other = nonceOf(failing)
  record('lent 7', other, { reserves: shares })
  mine('lent 7', other ?? 0, block + 6, 'failed')
  expect('a loan after one that failed', asks('lent 8', 1, block + 5), 'claimed')
  refuse('lent 8')
  ledger.confirm('lent 7', blockOf(block + 6).hash)
}
