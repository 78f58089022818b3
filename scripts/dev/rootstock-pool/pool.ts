import type { Address, Hex } from 'viem'
import { type AccountPool, type Arrival, createAccountPool } from './account-pool.ts'
import { type PoolRefusal, poolRefusals } from './refusals.ts'
import { brokenFirst, type RootstockRules } from './rules.ts'
import { intrinsicGas, type SignedTransaction } from './transaction.ts'

export type Added =
  | { kind: 'pending' }
  /** A nonce before it is missing: it waits, and its sender is not told. */
  | { kind: 'queued' }
  | { kind: 'refused'; message: string }

/** Transactions that wait, and the rules by which they come, wait and go. */
export type Pool = {
  add(transaction: SignedTransaction, arrival: Omit<Arrival, 'minGasPriceWei'>): Added
  /** Those that may be mined as far as the pool knows, by sender and nonce. */
  pending(): SignedTransaction[]
  /** Those behind a missing nonce. */
  queued(): SignedTransaction[]
  find(hash: Hex): { transaction: SignedTransaction; state: 'pending' | 'queued' } | undefined
  /** The nonce after the sender's highest pending one. */
  nextNonce(account: Address, stateNonce: number): number
  /** Pending transactions that the account's nonce allows, the highest-priced sender first. */
  minable(stateNonces: ReadonlyMap<Address, number>): SignedTransaction[]
  /** Drops what has waited too long, and names it. */
  evict(head: number, nowMs: number): Hex[]
  remove(hash: Hex): boolean
  clear(): Hex[]
}

/** Makes RSKj's pool of the pools of its accounts. */
export function createPool(rules: RootstockRules): Pool {
  const accounts = new Map<Address, AccountPool<SignedTransaction>>()
  const takeFromQuota = createQuotas(rules)

  function poolOf(account: Address): AccountPool<SignedTransaction> {
    const known = accounts.get(account)
    if (known !== undefined) return known
    const made = createAccountPool<SignedTransaction>({
      ...rules,
      also: {
        first: (transaction) => brokenFirst(rules, transaction),
        alone: (transaction) =>
          intrinsicGas(transaction) > transaction.gas ? 'basic_cost' : undefined,
        last: takeFromQuota,
      },
    })
    accounts.set(account, made)
    return made
  }

  const all = (list: (pool: AccountPool<SignedTransaction>) => SignedTransaction[]) =>
    [...accounts].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, pool]) => list(pool))
  const pending = () => all((pool) => pool.pending())
  const queued = () => all((pool) => pool.queued())

  return {
    add(transaction, arrival) {
      const { minGasPriceWei } = rules
      const pool = poolOf(transaction.from)
      const refusal = pool.add(transaction, { ...arrival, minGasPriceWei })
      if (refusal !== undefined) {
        return { kind: 'refused', message: wordsOf(refusal, transaction, rules) }
      }
      const isQueued = pool.queued().some(({ hash }) => hash === transaction.hash)
      return { kind: isQueued ? 'queued' : 'pending' }
    },
    pending,
    queued,
    find(hash) {
      const waits = pending().find((one) => one.hash === hash)
      if (waits !== undefined) return { transaction: waits, state: 'pending' }
      const isQueued = queued().find((one) => one.hash === hash)
      return isQueued && { transaction: isQueued, state: 'queued' }
    },
    nextNonce: (account, stateNonce) => poolOf(account).nextNonce(stateNonce),
    minable: (stateNonces) =>
      byPriceThenNonce(
        [...stateNonces].map(([account, stateNonce]) => {
          const own = poolOf(account).minable(stateNonce)
          const cheap = own.findIndex(({ gasPriceWei }) => gasPriceWei < rules.minGasPriceWei)
          return cheap < 0 ? own : own.slice(0, cheap)
        }),
      ),
    evict: (head, nowMs) => all((pool) => pool.evict(head, nowMs)).map(({ hash }) => hash),
    remove: (hash) => [...accounts.values()].some((pool) => pool.remove(hash)),
    clear() {
      const hashes = all((pool) => pool.all()).map(({ hash }) => hash)
      accounts.clear()
      return hashes
    },
  }
}

/** Says why a transaction is refused, in RSKj's words. */
function wordsOf(
  refusal: PoolRefusal,
  { raw, gas }: SignedTransaction,
  { maxBytes, blockGas }: RootstockRules,
): string {
  const values: Record<string, unknown> = { bytes: (raw.length - 2) / 2, maxBytes, gas, blockGas }
  return poolRefusals[refusal].rskj.replaceAll(/\{(\w+)\}/g, (_, name) => `${values[name]}`)
}

/** Takes gas from a sender's quota. Where it has not enough left nothing is taken, and that is a fault. */
function createQuotas(
  rules: RootstockRules,
): (transaction: SignedTransaction, arrival: Arrival) => PoolRefusal | undefined {
  const quotas = new Map<Address, { gas: bigint; atMs: number }>()
  return ({ from, gas }, { nowMs }) => {
    if (rules.quota === undefined) return undefined
    const { newAccountGas, maxGas, gasPerSecond } = rules.quota
    const before = quotas.get(from) ?? { gas: newAccountGas, atMs: nowMs }
    const refilled = before.gas + (gasPerSecond * BigInt(Math.trunc(nowMs - before.atMs))) / 1000n
    const available = refilled < maxGas ? refilled : maxGas
    const isEnough = gas <= available
    quotas.set(from, { gas: isEnough ? available - gas : available, atMs: nowMs })
    return isEnough ? undefined : 'quota'
  }
}

/** Merges the senders' lists by the price of their first transactions (RSKj's PendingState). */
function byPriceThenNonce(senders: SignedTransaction[][]): SignedTransaction[] {
  const merged: SignedTransaction[] = []
  for (;;) {
    const [best] = senders
      .filter(({ length }) => length > 0)
      .sort(([a], [b]) => Number((b?.gasPriceWei ?? 0n) - (a?.gasPriceWei ?? 0n)))
    const next = best?.shift()
    if (next === undefined) return merged
    merged.push(next)
  }
}
