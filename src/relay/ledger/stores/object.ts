import { DurableObject } from 'cloudflare:workers'
import { describeFault } from '../../../runtime/log.ts'
import type { AcceptPayment, OfferAnswer, PaymentOffer } from '../acceptance.ts'
import { createLedgerPort, type LedgerParts, type Port, type Steps } from '../port.ts'
import { SchemaError } from '../rows.ts'
import { type LedgerSchedule, type ScheduledLedger, scheduleLedger } from '../schedule.ts'
import type { SetBack, SetBackAnswer } from '../steps.ts'
import { createSqlLedger, type Sql, type SqlValue } from './sqlite.ts'

export type LedgerStub<Any extends Steps> = Port<Any> & {
  accept: AcceptPayment
  wake(): Promise<void>
  /** Makes the next {@link LedgerStub.restart} begin with all rows as they were before. */
  setBack(to: SetBack): Promise<SetBackAnswer>
  /** Aborts the object, and with it this call. The next call starts the object again. */
  restart(): Promise<void>
}

type LedgerHost<Any extends Steps> = LedgerSchedule<Any> & {
  createAcceptor: (ledger: Port<Any>) => AcceptPayment
}

type Opened<Any extends Steps> = ScheduledLedger<Any> & { accept: AcceptPayment }

/** Creates the class of the ledger's Durable Object: rows in its SQLite, rounds by its alarm. */
export function createLedgerObject<Env, Any extends Steps>(
  { steps, tables }: LedgerParts<Any>,
  getHost: (env: Env) => LedgerHost<Any>,
) {
  class LedgerObject extends DurableObject<Env> {
    /** Holds the error instead if another version has written the rows. */
    readonly #opened: Opened<Any> | SchemaError

    static {
      // A Worker can call only methods of the prototype.
      for (const method of Object.keys(steps)) {
        const value = function (this: LedgerObject, ...args: unknown[]): unknown {
          return this.#call(method, args)
        }
        Object.defineProperty(LedgerObject.prototype, method, { value })
      }
    }

    constructor(state: DurableObjectState, env: Env) {
      super(state, env)
      try {
        this.#opened = this.#open(getHost(env))
      } catch (error) {
        // Such rows can be set back, by which this version may know them again.
        if (!(error instanceof SchemaError)) throw error
        this.#opened = error
      }
    }

    #open(host: LedgerHost<Any>): Opened<Any> {
      const { storage } = this.ctx
      const now = () => Date.now()
      const { rules, relayer } = host
      const ledger = createSqlLedger(createSql(storage), { steps, tables, rules, relayer, now })
      const scheduled = scheduleLedger(steps, ledger, storage, host, now)
      return { ...scheduled, accept: host.createAcceptor(scheduled.ledger) }
    }

    /** @throws {SchemaError} another version has written the rows */
    #get(): Opened<Any> {
      if (this.#opened instanceof SchemaError) throw this.#opened
      return this.#opened
    }

    #call(method: string, args: unknown[]): unknown {
      return (this.#get().ledger[method] as (...args: unknown[]) => unknown)(...args)
    }

    async accept(offer: PaymentOffer): Promise<OfferAnswer> {
      return await this.#get().accept(offer)
    }

    async wake(): Promise<void> {
      await this.#get().wake()
    }

    async setBack(to: SetBack): Promise<SetBackAnswer> {
      const { storage } = this.ctx
      try {
        const bookmark = 'time' in to ? await storage.getBookmarkForTime(to.time) : to.bookmark
        return { kind: 'set_back', undo: await storage.onNextSessionRestoreBookmark(bookmark) }
      } catch (error) {
        return { kind: 'refused', reason: describeFault(error) }
      }
    }

    async restart(): Promise<void> {
      this.ctx.abort('an operator sets the ledger back')
    }

    override async alarm(): Promise<void> {
      await this.#get().runDueRound()
    }
  }
  return LedgerObject as unknown as new (
    state: DurableObjectState,
    env: Env,
  ) => DurableObject<Env> & LedgerStub<Any>
}

/** Creates a ledger that calls the object, each time on a new stub: a failed stub stays broken. */
export function createObjectLedger<Any extends Steps>(steps: Any, getStub: () => LedgerStub<Any>) {
  return createLedgerPort(steps, (method, args) => {
    const stub = getStub()
    return (stub[method] as (...args: unknown[]) => Promise<unknown>)(...args)
  })
}

function createSql(storage: DurableObjectStorage): Sql {
  return {
    exec: <Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]) =>
      storage.sql.exec<Row>(query, ...bindings).toArray(),
    transaction: (work) => storage.transactionSync(work),
  }
}
