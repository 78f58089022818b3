import { DurableObject } from 'cloudflare:workers'
import { type KeptLedger, keepLedger, type LedgerKeeper } from './kept-ledger.ts'
import type { Ledger } from './ledger.ts'
import { createSqlLedger, type LedgerMethod, ledgerThrough } from './ledger-sql.ts'
import type { Sql, SqlValue } from './sql.ts'

/**
 * The ledger as a Durable Object: one relayer's rows in its own SQLite storage, and an alarm that
 * tends whatever is open until nothing is. `keeperOf` is called once an instance.
 */
export function ledgerObject<Env>(keeperOf: (env: Env) => LedgerKeeper) {
  return class LedgerObject extends DurableObject<Env> implements LedgerStub {
    readonly #kept: KeptLedger

    constructor(state: DurableObjectState, env: Env) {
      super(state, env)
      const keeper = keeperOf(env)
      const now = () => Date.now()
      const ledger = createSqlLedger(sqlOf(state.storage), keeper.rules, now)
      this.#kept = keepLedger(ledger, state.storage, keeper, now)
    }

    run(method: LedgerMethod, ...args: unknown[]): Promise<unknown> {
      return this.#kept.run(method, args)
    }

    wake(): Promise<void> {
      return this.#kept.wake()
    }

    override alarm(): Promise<void> {
      return this.#kept.ring()
    }
  }
}

/** What the object shows to Workers. */
export type LedgerStub = {
  /** Any one method of the ledger, by its name. */
  run(method: LedgerMethod, ...args: unknown[]): Promise<unknown>
  wake(): Promise<void>
}

/** The ledger's port over calls to its object. `stubOf` gives a new stub: one that failed stays broken. */
export function createObjectLedger(stubOf: () => LedgerStub): Ledger {
  return ledgerThrough((method, args) => stubOf().run(method, ...args))
}

function sqlOf(storage: DurableObjectStorage): Sql {
  return {
    exec: <Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]) =>
      storage.sql.exec<Row>(query, ...bindings).toArray(),
    transaction: (work) => storage.transactionSync(work),
  }
}
