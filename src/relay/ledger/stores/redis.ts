import type { RedisDatabase } from '../../../runtime/redis.ts'
import { createDraft, UncommittedListError, type Writes } from '../draft.ts'
import {
  createLedgerPort,
  getDueDelayMs,
  type LedgerMethod,
  methodKinds,
  runStep,
} from '../methods.ts'
import type { Ledger, LedgerRules } from '../port.ts'
import {
  assertSchema,
  type Key,
  type Listing,
  type Row,
  schemaWrite,
  type TableName,
  toRowName,
  type View,
} from '../rows.ts'
import {
  type ConditionalWrites,
  createCommit,
  createLoad,
  type LoadQuery,
  maxCommitAttempts,
  type Snapshot,
  type VersionedRow,
} from './redis-rows.ts'

export type RedisLedgerOptions = {
  database: RedisDatabase
  name: string
  rules: LedgerRules
  relayer: string
  /** Sets after how many ms a round is due once a call has opened work. */
  roundMs: number
  /** Is called when a round is due within seconds, sooner than the usual check. */
  onUrgentRound?: () => void
}

/** Returns the prefix of a ledger's keys; the braces keep them in one slot of a cluster. */
export const nameLedgerKey = (name: string): string => `ledger:{${name}}`

type Call = {
  method: LedgerMethod
  args: readonly unknown[]
  resolve: (answer: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Holds what a batch of calls read and wrote. `settleCalls` answer them after the commit, one
 * function a call; the calls after those have to run again.
 */
type ExecutedCalls = ConditionalWrites & { settleCalls: (() => void)[] }

/** Limits the calls that share a load and a commit. */
const maxBatchedCalls = 100
const maxConcurrentReads = 8
/** Limits the rows that are cached to find out what calls will read. */
const maxCachedRows = 2_000

/**
 * Creates the ledger on Redis. Waiting calls share one load and one commit, retried if another
 * process wrote a row that was read. A call that fails may have been executed: called again, it
 * finds its own token or its own state.
 */
export function createRedisLedger(options: RedisLedgerOptions): Ledger {
  const { database, name } = options
  const keys = [nameLedgerKey(name)]
  const load = createLoad(database, keys)
  const commit = createCommit(database, keys)
  /** Holds rows that may be outdated: they are never the source of an answer. */
  const cachedRows = new Map<string, VersionedRow>()
  let schemaCheck: Promise<void> | undefined

  const checkSchemaOnce = () => {
    schemaCheck ??= checkSchema().catch((error) => {
      schemaCheck = undefined
      throw error
    })
    return schemaCheck
  }

  /**
   * Checks the schema version, and writes it into a new ledger.
   * @throws {Error} another version has written it
   */
  async function checkSchema(): Promise<void> {
    const schema = toRowName('meta', ['schema'])
    const wanted: LoadQuery = { methods: [], rows: new Set([schema]), lists: new Map() }
    const writes = new Map([[schema, schemaWrite]])
    const snapshot = await load(wanted)
    const row = snapshot.rows.get(schema)?.row
    if (row !== undefined) assertSchema(row)
    // Another process may be first, maybe one of another version.
    else if (!(await commit(snapshot, { wanted, writes, dueMs: undefined }))) await checkSchema()
  }

  /**
   * Executes calls over one snapshot, commits their writes, and then answers them. Returns the
   * calls that have to run after this commit.
   */
  async function executeAndCommit(calls: readonly Call[]): Promise<readonly Call[]> {
    await checkSchemaOnce()
    // A call tells what it reads only by running. So the calls first run on cached rows, which may
    // be outdated: of that run only `wanted` is used, to load these rows at once. They run again on
    // what was loaded, until a run reads nothing else. Only that run is committed and answered.
    let executed = executeCalls(options, { now: 0, rows: cachedRows, lists: new Map() }, calls)
    let now: number | undefined
    for (let attempt = 0; attempt < maxCommitAttempts; attempt++) {
      const loaded = await load(executed.wanted)
      // Queries depend on the time: if it moved with each load, they would never be complete.
      now ??= loaded.now
      const snapshot = { ...loaded, now }
      if (cachedRows.size > maxCachedRows) cachedRows.clear()
      for (const [name, row] of snapshot.rows) cachedRows.set(name, row)
      executed = executeCalls(options, snapshot, calls)
      if (!isComplete(executed.wanted, snapshot)) continue
      const { settleCalls, writes, dueMs } = executed
      if (writes.size > 0 && !(await commit(snapshot, executed))) {
        now = undefined
        continue
      }
      if (dueMs !== undefined && dueMs < options.roundMs) options.onUrgentRound?.()
      // Their versions are not known here, and not needed: no commit is based on the cache.
      for (const [name, { after }] of writes) cachedRows.set(name, { version: '', row: after })
      for (const settle of settleCalls) settle()
      return calls.slice(settleCalls.length)
    }
    throw new Error('other processes changed what was read again and again')
  }

  const enqueueRead = createBatchQueue(maxConcurrentReads, executeAndCommit)
  const enqueueWrite = createBatchQueue(1, executeAndCommit)
  return createLedgerPort((method, args) => {
    const enqueue = methodKinds[method] === 'reads' ? enqueueRead : enqueueWrite
    return new Promise((resolve, reject) => enqueue({ method, args, resolve, reject }))
  })
}

/** Creates a queue that runs waiting calls in batches, up to this many batches at a time. */
function createBatchQueue(
  maxConcurrent: number,
  execute: (calls: readonly Call[]) => Promise<readonly Call[]>,
): (call: Call) => void {
  let waiting: Call[] = []
  let running = 0

  async function runBatch(): Promise<void> {
    // Lets calls of the same moment join.
    await undefined
    const calls = waiting.slice(0, maxBatchedCalls)
    waiting = waiting.slice(maxBatchedCalls)
    try {
      waiting = [...(await execute(calls)), ...waiting]
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
    running -= 1
    startBatch()
  }

  function startBatch(): void {
    if (waiting.length === 0 || running === maxConcurrent) return
    running += 1
    void runBatch()
  }

  return (call) => {
    waiting.push(call)
    startBatch()
  }
}

/** Runs calls in order over one snapshot: each sees the writes of those before it. */
function executeCalls(
  { rules, relayer, roundMs }: RedisLedgerOptions,
  snapshot: Snapshot,
  calls: readonly Call[],
): ExecutedCalls {
  const methods = [...new Set(calls.map(({ method }) => method))]
  const wanted: LoadQuery = { methods, rows: new Set(), lists: new Map() }
  const view = createView(snapshot, wanted)
  const settleCalls: (() => void)[] = []
  let writes: Writes = new Map()
  let dueMs: number | undefined
  for (const { method, args, resolve, reject } of calls) {
    // A call that throws must leave no writes.
    const callWrites: Writes = new Map(writes)
    try {
      const rows = createDraft(view, snapshot.now, callWrites)
      const answer = runStep({ rows, rules, relayer }, method, args)
      settleCalls.push(() => resolve(answer))
      const hasWritten = callWrites.size > writes.size
      const callDueMs = hasWritten ? getDueDelayMs(method, args, roundMs) : undefined
      if (callDueMs !== undefined) dueMs = Math.min(dueMs ?? callDueMs, callDueMs)
      writes = callWrites
    } catch (error) {
      // It lists rows that calls before it wrote, so it runs again after their commit.
      if (error instanceof UncommittedListError && settleCalls.length > 0) break
      settleCalls.push(() => reject(error))
    }
  }
  return { wanted, writes, settleCalls, dueMs }
}

const isComplete = ({ rows, lists }: LoadQuery, snapshot: Snapshot): boolean =>
  [...rows].every((name) => snapshot.rows.has(name)) &&
  [...lists.keys()].every((id) => snapshot.lists.has(id))

/** Reads loaded rows and records what is missing, which counts as empty until it is loaded. */
function createView({ rows, lists }: Snapshot, wanted: LoadQuery): View {
  const readRow = <Name extends TableName>(name: string) => {
    wanted.rows.add(name)
    return rows.get(name)?.row as Row<Name> | undefined
  }
  return {
    row: <Name extends TableName>(table: Name, ...key: Key) => readRow<Name>(toRowName(table, key)),
    list<Name extends TableName>(listing: Listing<Name>) {
      const { table, list, group = '', from = '-inf', olderThanMs, before } = listing
      const { newest, totalRow } = listing
      const [totalTable, ...totalKey] = totalRow ?? []
      // These rows are many, and needed only if their total is lost: that has to be loaded first.
      if (totalTable !== undefined && !rows.has(toRowName(totalTable, totalKey))) return []
      // To Redis, -1 means no limit.
      const limit = listing.limit < Number.MAX_SAFE_INTEGER ? listing.limit : -1
      const range = { from: `${from}`, olderThanMs, before, newest, limit }
      const query = { name: `${table}.${list}:${group}`, ...range }
      const id = JSON.stringify(query)
      wanted.lists.set(id, query)
      return (lists.get(id) ?? []).flatMap((name) => readRow<Name>(name) ?? [])
    },
  }
}
