import { DurableObject } from 'cloudflare:workers'
import { faultOf, type Log } from '../log.ts'
import type { Ledger } from './ledger.ts'
import {
  callLedger,
  createSqlLedger,
  type LedgerMethod,
  type LedgerRules,
  ledgerThrough,
  type SqlLedger,
} from './ledger-sql.ts'
import type { Sql, SqlValue } from './sql.ts'
import type { Tended } from './tend.ts'

/** What the composition root gives a ledger's object. */
export type LedgerKeeper = {
  rules: LedgerRules
  /** ms between two rounds while something is open; ten times that while blocks are only watched. */
  tendMs: number
  tend: (ledger: Ledger) => Promise<Tended>
  log: Log
}

/**
 * The ledger as a Durable Object: one relayer's rows in its own SQLite storage, and an alarm that
 * tends whatever is open until nothing is. `keeperOf` is called once an instance.
 */
export function ledgerObject<Env>(keeperOf: (env: Env) => LedgerKeeper) {
  return class LedgerObject extends DurableObject<Env> implements LedgerStub {
    readonly #keeper: LedgerKeeper
    readonly #ledger: SqlLedger

    constructor(state: DurableObjectState, env: Env) {
      super(state, env)
      this.#keeper = keeperOf(env)
      this.#ledger = createSqlLedger(sqlOf(state.storage), this.#keeper.rules, () => Date.now())
    }

    /** Any one method of the ledger, by its name. */
    async run(method: LedgerMethod, ...args: unknown[]): Promise<unknown> {
      const answer = callLedger(this.#ledger, method, args)
      if (opensWork.has(method)) await this.#arm()
      return answer
    }

    /** Looks after what is open, now and until it is settled. */
    async wake(): Promise<void> {
      await this.ctx.storage.setAlarm(Date.now())
    }

    /** Runs at least once for each time it was set, so everything it does may be done twice. */
    override async alarm(): Promise<void> {
      // Armed first: whatever happens below, the chain of alarms goes on.
      await this.ctx.storage.setAlarm(Date.now() + this.#keeper.tendMs)
      try {
        const tended = await this.#keeper.tend(
          ledgerThrough(async (method, args) => callLedger(this.#ledger, method, args)),
        )
        await this.#rest(tended)
      } catch (error) {
        this.#keeper.log({ level: 'error', event: 'tend.failed', message: faultOf(error) })
      }
    }

    /** Sets the next alarm by what is left; work that came meanwhile keeps the short one. */
    async #rest(tended: Tended): Promise<void> {
      if (tended === 'open') return
      const { nonces, queued, carried, mined } = this.#ledger.work()
      if (nonces.length + queued.length + carried.length + mined.length > 0) return
      if (tended === 'idle') return this.ctx.storage.deleteAlarm()
      await this.ctx.storage.setAlarm(Date.now() + this.#keeper.tendMs * 10)
    }

    async #arm(): Promise<void> {
      const next = Date.now() + this.#keeper.tendMs
      const alarm = await this.ctx.storage.getAlarm()
      if (alarm === null || alarm > next) await this.ctx.storage.setAlarm(next)
    }
  }
}

/** After these something may be left to do. */
const opensWork: ReadonlySet<LedgerMethod> = new Set(['claim', 'record', 'adopt'])

/** What the object shows to Workers. */
export type LedgerStub = {
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
