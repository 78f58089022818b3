import { createRecent, type Recent } from '../../../runtime/recent.ts'
import { createEvictionReader, type RedisDatabase } from '../../../runtime/redis.ts'
import { createDraft, type LedgerRules, UncommittedListError, type Writes } from '../draft.ts'
import {
  createLedgerPort,
  getDueDelayMs,
  type LedgerParts,
  type Port,
  runStep,
  type Steps,
} from '../port.ts'
import { type AnyRow, assertSchema, schemaWrite, toRowName, type View } from '../rows.ts'
import { maxReadAgeMs } from '../values.ts'
import {
  type ConditionalWrites,
  createCommit,
  createLoad,
  type ReadSet,
  type Snapshot,
  toListName,
  type VersionedRow,
} from './redis-rows.ts'

type RedisLedgerOptions<Any extends Steps> = LedgerParts<Any> & {
  database: RedisDatabase
  name: string
  rules: LedgerRules
  relayer: string
  /** Sets how many ms after a call that adds work a round is due. */
  roundMs: number
  /** Returns ms of a steady clock. With it, what calls write is committed first without a load. */
  steadyMs?: (() => number) | undefined
  /** Is called when a call makes a round due sooner than after `roundMs`. */
  onUrgentRound?: () => void
}

/** Returns the prefix of a ledger's keys. Its braces keep them all on one node of a cluster. */
export const getKeyPrefix = (name: string): string => `ledger:{${name}}`

type RowVersions = Recent<VersionedRow>

type Call = {
  method: string
  args: readonly unknown[]
  resolve: (answer: unknown) => void
  reject: (error: unknown) => void
}

type Readable = Pick<Snapshot, 'now' | 'lists'> & { rows: Pick<Snapshot['rows'], 'get'> }

type ExecutedCalls = ConditionalWrites & {
  /** Hold a function for each of the first calls, which settles its promise. The rest run again. */
  settleFunctions: (() => void)[]
}

/** Limits the calls that share a load and a commit, which is their batch. */
const maxBatchedCalls = 100
const maxBatchAttempts = 50
/** Limits the batches of reads that run at once. Writes run one batch at a time. */
const maxConcurrentReads = 8
const maxCachedRows = 2_000

/**
 * Creates the ledger on Redis. Waiting calls share a load and a commit, or the commit alone. Both
 * are repeated if another process has changed a row that the calls read. A call that rejects may
 * still have been committed. It can be repeated, because it then finds what it has written.
 */
export function createRedisLedger<Any extends Steps>(options: RedisLedgerOptions<Any>): Port<Any> {
  const { database, name, steps, tables } = options
  const keys = [getKeyPrefix(name)]
  const load = createLoad(database, keys, tables)
  const commit = createCommit(database, keys, tables)
  /** Holds rows that may be outdated: they answer a call if its commit finds the same ones. */
  const cachedRows = createRecent<VersionedRow>(maxCachedRows)
  const time = createReckoning(options.steadyMs)
  const ensureSchemaOnce = createSchemaCheck(load, commit, createEvictionReader(database))

  /** Executes calls, commits their writes, and answers them. Returns those that must run later. */
  async function executeAndCommit(calls: readonly Call[]): Promise<readonly Call[]> {
    await ensureSchemaOnce()
    // What a call reads is known only once it runs. So the calls first run on cached rows. If the
    // database has the same ones, their commit is all. Else all that they read is loaded at once,
    // and they run again on that, until a run reads nothing else: it is committed and answered.
    const reckoned = time.reckon()
    const cached = { now: reckoned ?? 0, rows: cachedRows, lists: new Map() }
    let executed = executeCalls(options, cached, calls)
    const { readSet, writes } = executed
    const isKnown = reckoned !== undefined && time.isTrusted() && readSet.lists.size === 0
    if (isKnown && writes.size > 0) {
      if (await finish(cachedRows, { ...executed, at: reckoned, maxAgeMs: maxReckonedMs }))
        return calls.slice(executed.settleFunctions.length)
      time.distrust()
    }
    let now: number | undefined
    for (let attempt = 0; attempt < maxBatchAttempts; attempt++) {
      const loaded = await load(executed.readSet)
      time.note(loaded.now)
      // Lists may depend on the time. If it changed, each run would read lists that are not loaded.
      now ??= loaded.now
      const snapshot = { ...loaded, now }
      for (const [name, row] of snapshot.rows) cachedRows.set(name, row)
      executed = executeCalls(options, snapshot, calls)
      if (!isLoaded(executed.readSet, snapshot)) continue
      const loadedAt = { at: now, maxAgeMs: maxReadAgeMs }
      if (await finish(snapshot.rows, { ...executed, ...loadedAt }))
        return calls.slice(executed.settleFunctions.length)
      now = undefined
    }
    throw new Error(`the ledger's calls could not be committed in ${maxBatchAttempts} attempts`)
  }

  /** Commits what was executed, and answers the calls. Returns false if rows have changed. */
  async function finish(rows: Pick<RowVersions, 'get'>, executed: ExecutedCalls): Promise<boolean> {
    const { settleFunctions, writes, dueDelayMs } = executed
    if (writes.size > 0) {
      const { now, version } = await commit(rows, executed)
      time.note(now)
      if (version === undefined) return false
      for (const [name, { after }] of writes)
        cachedRows.set(name, { version: after === undefined ? '0' : version, row: after })
    }
    if (dueDelayMs !== undefined && dueDelayMs < options.roundMs) options.onUrgentRound?.()
    for (const settle of settleFunctions) settle()
    return true
  }

  const enqueueRead = createBatchQueue(maxConcurrentReads, executeAndCommit)
  const enqueueWrite = createBatchQueue(1, executeAndCommit)
  return createLedgerPort(steps, (method, args) => {
    const enqueue = steps[method]?.kind === 'reads' ? enqueueRead : enqueueWrite
    return new Promise((resolve, reject) => enqueue({ method, args, resolve, reject }))
  })
}

/**
 * Creates the check of the schema's version, which a new ledger is given. It is made once.
 * @throws {Error} the version differs, or a full database drops rows
 */
function createSchemaCheck(
  load: ReturnType<typeof createLoad>,
  commit: ReturnType<typeof createCommit>,
  readEviction: () => Promise<string | undefined>,
): () => Promise<void> {
  let check: Promise<void> | undefined

  async function ensureSchema(): Promise<void> {
    const eviction = (await readEviction()) ?? 'noeviction'
    if (eviction !== 'noeviction')
      throw new Error(`Redis drops rows when it is full (${eviction}): set noeviction`)
    const schema = toRowName('meta', ['schema'])
    const readSet: ReadSet = { methods: [], rows: new Set([schema]), lists: new Map() }
    const writes = new Map([[schema, schemaWrite]])
    const snapshot = await load(readSet)
    const row = snapshot.rows.get(schema)?.row
    if (row !== undefined) return assertSchema(row)
    const { version } = await commit(snapshot.rows, { readSet, writes, dueDelayMs: undefined })
    // Another process was first, maybe one of another version.
    if (version === undefined) await ensureSchema()
  }

  return () => {
    check ??= ensureSchema().catch((error) => {
      check = undefined
      throw error
    })
    return check
  }
}

/** Limits how far a reckoned time may be behind the database's. It may never be ahead. */
const maxReckonedMs = 1_000

/** Sets for how long nothing is committed unloaded after another process has changed a row. */
const distrustMs = 1_000

/** Reckons the database's time by a steady clock: never ahead of it, and never back. */
function createReckoning(steadyMs: (() => number) | undefined) {
  let noted: { now: number; at: number } | undefined
  let distrustedUntil = Number.NEGATIVE_INFINITY
  return {
    /** Takes a time from the database's answer, which is older than the answer. */
    note(now: number): void {
      if (steadyMs !== undefined && now > (noted?.now ?? 0)) noted = { now, at: steadyMs() }
    },
    /** Returns the time in ms; undefined if it is unknown. */
    reckon: (): number | undefined =>
      noted && steadyMs && noted.now + Math.floor(steadyMs() - noted.at),
    isTrusted: (): boolean => (steadyMs?.() ?? 0) >= distrustedUntil,
    distrust(): void {
      distrustedUntil = (steadyMs?.() ?? 0) + distrustMs
    },
  }
}

/** Creates a queue that executes waiting calls in batches, `maxConcurrent` batches at a time. */
function createBatchQueue(
  maxConcurrent: number,
  execute: (calls: readonly Call[]) => Promise<readonly Call[]>,
): (call: Call) => void {
  let waiting: Call[] = []
  let runningCount = 0

  async function runBatch(): Promise<void> {
    // Lets calls of the same moment join the batch.
    await undefined
    const calls = waiting.slice(0, maxBatchedCalls)
    waiting = waiting.slice(maxBatchedCalls)
    try {
      const callsToRepeat = await execute(calls)
      waiting = [...callsToRepeat, ...waiting]
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
    runningCount -= 1
    startBatch()
  }

  function startBatch(): void {
    if (waiting.length === 0 || runningCount === maxConcurrent) return
    runningCount += 1
    void runBatch()
  }

  return (call) => {
    waiting.push(call)
    startBatch()
  }
}

/** Executes calls in order on one snapshot. Each call sees the writes of the calls before it. */
function executeCalls(
  { steps, tables, rules, relayer, roundMs }: RedisLedgerOptions<Steps>,
  snapshot: Readable,
  calls: readonly Call[],
): ExecutedCalls {
  const methods = [...new Set(calls.map(({ method }) => method))]
  const readSet: ReadSet = { methods, rows: new Set(), lists: new Map() }
  const view = createView(snapshot, readSet)
  const settleFunctions: (() => void)[] = []
  let writes: Writes = new Map()
  let dueDelayMs: number | undefined
  for (const { method, args, resolve, reject } of calls) {
    // Writes go to a copy, so that a call that throws leaves none.
    const callWrites: Writes = new Map(writes)
    try {
      const rows = createDraft(tables, view, snapshot.now, callWrites)
      const answer = runStep(steps, { rows, rules, relayer }, method, args)
      settleFunctions.push(() => resolve(answer))
      const hasWritten = callWrites.size > writes.size
      const callDueDelayMs = hasWritten ? getDueDelayMs(steps, method, args, roundMs) : undefined
      if (callDueDelayMs !== undefined)
        dueDelayMs = Math.min(dueDelayMs ?? callDueDelayMs, callDueDelayMs)
      writes = callWrites
    } catch (error) {
      // The call lists rows that earlier calls wrote, so it must run after their commit.
      if (error instanceof UncommittedListError && settleFunctions.length > 0) break
      settleFunctions.push(() => reject(error))
    }
  }
  return { readSet, writes, settleFunctions, dueDelayMs }
}

const isLoaded = ({ rows, lists }: ReadSet, snapshot: Snapshot): boolean =>
  [...rows].every((name) => snapshot.rows.has(name)) &&
  [...lists.keys()].every((id) => snapshot.lists.has(id))

/** Creates a view of a snapshot that records every read. What is not loaded yet reads as empty. */
function createView({ rows, lists }: Readable, readSet: ReadSet): View {
  const readRow = (name: string): AnyRow | undefined => {
    readSet.rows.add(name)
    return rows.get(name)?.row
  }
  return {
    row: (table, ...key) => readRow(toRowName(table, key)),
    list(listing, _, missing) {
      const { table, list, group = '', from = '-inf', olderThanMs, before, newest } = listing
      // To Redis, -1 means no limit.
      const limit = listing.limit < Number.MAX_SAFE_INTEGER ? listing.limit : -1
      const name = toListName(table, list, group)
      const query = { name, from: `${from}`, olderThanMs, before, newest, limit }
      const id = JSON.stringify(query)
      readSet.lists.set(id, query)
      return (lists.get(id) ?? []).flatMap((rowName) => {
        const row = readRow(rowName)
        if (row === undefined) missing.add(rowName)
        return row === undefined ? [] : [row]
      })
    },
  }
}
