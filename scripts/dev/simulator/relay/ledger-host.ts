import type { Tended } from '../../../../src/relay/ledger/keeper.ts'
import { type KeptLedger, keepLedger } from '../../../../src/relay/ledger/keeper.ts'
import type { Leasing, Ledger, LedgerRules, Refusing } from '../../../../src/relay/ledger/port.ts'
import { tables } from '../../../../src/relay/ledger/rows.ts'
import { type LedgerMethod, ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import type { Sql } from '../../../../src/relay/ledger/stores/sql.ts'
import { createSqlLedger, type SqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import type { Log } from '../../../../src/runtime/log.ts'
import type { Random } from '../../random.ts'
import type { Actor } from '../actors.ts'
import type { NoticedRule } from '../history.ts'
import type { LosableTable } from '../plan.ts'
import { type Alarm, type AlarmOptions, createAlarm } from './alarm.ts'
import { auditLedger } from './audit.ts'
import { watchClaims } from './claims.ts'
import type { Wires } from './wires.ts'

export type CallOutcome = { ok: true; value: unknown } | { ok: false; error: Error }

/** A Durable Object's life around the real ledger: its storage and alarm outlive it. */
export type LedgerHost = {
  /** Runs a method in the object, at once; `done` is called once, when it has answered or died. */
  call(
    name: string,
    method: LedgerMethod,
    args: unknown[],
    done: (outcome: CallOutcome) => void,
  ): void
  /** Ends the object and all that runs in it. For some time it cannot be reached. */
  crash(downMs: number): void
  /** What the scheduled trigger does. */
  wake(): void
  /** All rows and the alarm are gone. */
  loseEverything(): void
  /** One row is gone: which, or undefined where the table has none. */
  loseRow(table: LosableTable, random: Random): LostRow | undefined
  /** The ledger behind it all, for the run's judge: as a fresh object would read it. */
  peek(): SqlLedger
  /** What is wrong with the rows of a ledger in which nothing is open. It is empty afterwards. */
  audit(): string[]
}

export type LostRow = { key: string; session: string | undefined; nonce: number | undefined }

export type LedgerHostOptions = AlarmOptions & {
  wires: Wires
  storage: Sql
  rules: LedgerRules
  /** Whose nonces it hands out. */
  relayer: string
  tendMs: number
  /** What an object does in its rounds, as long as it lives. */
  newTend: () => (ledger: Ledger) => Promise<Tended>
  log: Log
  /** A step failed of itself: its caller hears of a broken line. */
  threw: (method: LedgerMethod, error: unknown) => void
  /** Something is not what was asked for. */
  noticed: (rule: NoticedRule, words: string) => void
}

/** How long an object takes to come back that died of itself. */
const restartMs = 40

type Instance = {
  kept: KeptLedger
  actors: Set<Actor>
  calls: Set<(outcome: CallOutcome) => void>
}

export function createLedgerHost(options: LedgerHostOptions): LedgerHost {
  const { scheduler, storage, rules } = options
  let instance: Instance | undefined
  let downUntil = 0

  let isWhole = true
  let isAudited = false
  const store = openStore(options, (method, args, answer) => {
    if (isAudited || !alarm.isRinging()) return
    const isTaken = method === 'lease' && (answer as { kind: string }).kind === 'taken'
    if (isTaken) options.rounds().refused((args[0] as Leasing).nonce)
    const isInVain = method === 'requeue' && (answer as unknown[]).length === 0
    if (isInVain) options.rounds().requeuedInVain()
  })
  const current = watchClaims({
    ...{ ledger: store.ledger, leaseMs: rules.leaseMs, now: store.now, isWhole: () => isWhole },
    found: (words) => options.noticed('claimed', words),
  })
  store.clear()

  const die = () => crash(restartMs)
  const alarm = createAlarm(options, { downUntil: () => downUntil, living, die })

  function living(): Instance {
    instance ??= newInstance(options, current, alarm)
    return instance
  }

  function crash(downMs: number): void {
    const dead = instance
    instance = undefined
    store.forget()
    downUntil = scheduler.now() + downMs
    if (dead === undefined) return
    for (const actor of dead.actors) actor.isAlive = false
    alarm.interrupt(downUntil)
    const error = new Error('Durable Object reset.')
    for (const done of dead.calls) done({ ok: false, error })
  }

  return {
    call(name, method, args, done) {
      if (downUntil > scheduler.now()) {
        return done({ ok: false, error: new Error('Durable Object is not there.') })
      }
      runCall(options, { ...living(), alarm, die }, { name, method, args, done })
    },
    crash,
    wake() {
      if (downUntil > scheduler.now()) return
      const soon = scheduler.now() + options.tendMs
      const dueAt = alarm.time()
      if (dueAt === null || dueAt > soon) alarm.set(dueAt === null ? scheduler.now() : soon)
    },
    loseEverything() {
      isWhole = false
      die()
      store.clear()
      alarm.set(null)
    },
    loseRow(table, random) {
      const lost = dropRow(storage, table, random)
      if (lost === undefined) return undefined
      isWhole = false
      store.forget()
      return lost
    },
    peek: () => store.ledger,
    audit() {
      isAudited = true
      return auditLedger({ storage, rules, ...store })
    },
  }
}

type Call = {
  name: string
  method: LedgerMethod
  args: unknown[]
  done: (outcome: CallOutcome) => void
}

/** A call in a living object: it dies with it, unless it has answered by then. */
function runCall(
  options: LedgerHostOptions,
  { kept, actors: own, calls, alarm, die }: Instance & { alarm: Alarm; die: () => void },
  { name, method, args, done }: Call,
): void {
  const actor = options.actors.create(name, die)
  own.add(actor)
  const before = calls.size === 0 ? alarm.time() : undefined
  const finish = (outcome: CallOutcome) => {
    if (!calls.delete(finish)) return
    own.delete(actor)
    done(outcome)
  }
  calls.add(finish)
  options.actors
    .run(actor, () => (kept.ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args))
    .then(
      (value) => {
        if (calls.has(finish)) judgeAlarm(options, alarm, { method, args, before })
        finish({ ok: true, value })
      },
      (error: Error) => finish({ ok: false, error }),
    )
}

/** After which a round has to look. */
const opening: readonly LedgerMethod[] = ['claim', 'record', 'adopt', 'endRestore']

/** What opens work is looked after in its time, what others refuse is looked at soon, and what only reads calls for no round. */
function judgeAlarm(
  { scheduler, tendMs, noticed }: LedgerHostOptions,
  alarm: Alarm,
  { method, args, before }: Pick<Call, 'method' | 'args'> & { before: number | null | undefined },
): void {
  const time = alarm.time()
  if (alarm.isRinging()) return
  const isOfferedAgain = method === 'sent' && args[1] !== 'taken'
  const isLookedAgain = method === 'refuse' && (args[0] as Refusing).obstacle !== undefined
  const soonMs = isOfferedAgain || isLookedAgain ? Math.min(5_000, tendMs) : undefined
  const dueMs = opening.includes(method) ? tendMs : soonMs
  if (dueMs === undefined) {
    const isMoved = before !== undefined && time !== before
    if (isMoved) noticed('armed', `another round is due after ${method}, which opens nothing`)
  } else if (time === null || time > scheduler.now() + dueMs) {
    noticed('armed', `no round is due soon after ${method}`)
  }
}

/** The object as it comes to life: nothing runs in it. */
function newInstance(
  { wires: { own }, scheduler, rules, relayer, tendMs, newTend, log }: LedgerHostOptions,
  ledger: SqlLedger,
  alarm: Alarm,
): Instance {
  const port = {
    getAlarm: () => own('getAlarm', alarm.time),
    setAlarm: (time: number) => own('setAlarm', () => alarm.set(time)),
    deleteAlarm: () => own('deleteAlarm', () => alarm.set(null)),
  }
  const keeper = { rules, relayer, tendMs, tend: newTend(), log }
  return {
    kept: keepLedger(ledger, port, keeper, scheduler.now),
    actors: new Set(),
    calls: new Set(),
  }
}

/** The rows of the object, and a ledger over them that remembers nothing of what was lost. */
type Store = {
  /** Each call tells of its answer, and of an error that it throws. */
  ledger: SqlLedger
  opened: () => SqlLedger
  now: () => number
  /** Lets the ledger's own clock go ahead of all others. */
  pass: (ms: number) => void
  /** What it remembers beside its rows. */
  forget: () => void
  /** All rows. */
  clear: () => void
}

function openStore(
  { scheduler, storage, rules, relayer, threw }: LedgerHostOptions,
  answered: (method: LedgerMethod, args: readonly unknown[], answer: unknown) => void,
): Store {
  let ledger: SqlLedger | undefined
  let laterMs = 0
  const now = () => scheduler.now() + laterMs
  const opened = () => (ledger ??= createSqlLedger(storage, { rules, relayer, now }))
  opened()
  return {
    ledger: ledgerThrough<SqlLedger>((method, args) => {
      try {
        const answer = (opened()[method] as (...args: unknown[]) => unknown)(...args)
        answered(method, args, answer)
        return answer
      } catch (error) {
        threw(method, error)
        throw error
      }
    }),
    ...{ opened, now },
    pass(ms) {
      laterMs += ms
    },
    forget() {
      ledger = undefined
    },
    clear() {
      for (const table of Object.keys(tables)) storage.exec(`DELETE FROM ${table}`)
      ledger = undefined
    },
  }
}

/** Drops a row that is drawn, and says which; undefined where there is none. */
function dropRow(storage: Sql, table: LosableTable, random: Random): LostRow | undefined {
  const rows = storage
    .exec<{ row: string }>(`SELECT row FROM ${table}`)
    .map(({ row }): Record<string, string | number | null> => JSON.parse(row))
  if (rows.length === 0) return undefined
  const row = random.pick(rows)
  const column = {
    sessions: 'session',
    payments: 'session',
    nonces: 'nonce',
    transactions: 'hash',
  }[table]
  const key = row[column]
  if (key === undefined || key === null) return undefined
  storage.exec(`DELETE FROM ${table} WHERE ${column} = ?`, key)
  return {
    key: `${key}`,
    session: typeof row.session === 'string' ? row.session : undefined,
    nonce: typeof row.nonce === 'number' ? row.nonce : undefined,
  }
}
