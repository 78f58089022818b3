import type { RedisDatabase } from '../../../runtime/redis.ts'
import { createDraft, ListedTooLate, type Writes } from '../draft.ts'
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
  type Change,
  commitAttempts,
  createCommit,
  createLoad,
  type Kept,
  type Loaded,
  type LoadQuery,
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

/** Holds a batch of executed calls; `ends` answer them after the commit, and later calls wait. */
type ExecutedCalls = Change & { ends: (() => void)[] }

/** Limits the calls that share a load and a commit. */
const maxBatchedCalls = 100
const readsSideBySide = 8
/** Limits the rows that are cached to guess what calls will read. */
const rememberedLimit = 2_000

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
  /** Helps to guess what a call reads; never used for an answer. */
  const remembered = new Map<string, Kept>()
  let opening: Promise<void> | undefined

  const open = () => {
    opening ??= openRows().catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }

  /**
   * @throws {Error} another version has written it
   */
  async function openRows(): Promise<void> {
    const schema = toRowName('meta', ['schema'])
    const wanted: LoadQuery = { methods: [], rows: new Set([schema]), lists: new Map() }
    const writes = new Map([[schema, schemaWrite]])
    const loaded = await load(wanted)
    const row = loaded.rows.get(schema)?.row
    if (row !== undefined) assertSchema(row)
    // Another process may be first, maybe one of another version.
    else if (!(await commit(loaded, { wanted, writes, dueMs: undefined }))) await openRows()
  }

  /** Answers calls from one snapshot; returns those that wait for this commit. */
  async function answer(calls: readonly Call[]): Promise<readonly Call[]> {
    await open()
    let executed = executeCalls(options, { now: 0, rows: remembered, lists: new Map() }, calls)
    let now: number | undefined
    for (let attempt = 0; attempt < commitAttempts; attempt++) {
      const found = await load(executed.wanted)
      // Queries depend on the time: if it moved with each load, they would never be complete.
      now ??= found.now
      const loaded = { ...found, now }
      if (remembered.size > rememberedLimit) remembered.clear()
      for (const [name, row] of loaded.rows) remembered.set(name, row)
      executed = executeCalls(options, loaded, calls)
      if (!isComplete(executed.wanted, loaded)) continue
      const { ends, writes } = executed
      if (writes.size > 0 && !(await commit(loaded, executed))) {
        now = undefined
        continue
      }
      if (executed.dueMs !== undefined && executed.dueMs < options.roundMs)
        options.onUrgentRound?.()
      for (const [name, { after }] of writes) remembered.set(name, { version: '', row: after })
      for (const end of ends) end()
      return calls.slice(ends.length)
    }
    throw new Error('other processes changed what was read again and again')
  }

  const lanes = { reads: createLane(readsSideBySide, answer), writes: createLane(1, answer) }
  return createLedgerPort((method, args) => {
    const lane = methodKinds[method] === 'reads' ? lanes.reads : lanes.writes
    return new Promise((resolve, reject) => lane({ method, args, resolve, reject }))
  })
}

/** Answers up to this many batches of waiting calls at a time. */
function createLane(
  sideBySide: number,
  answer: (calls: readonly Call[]) => Promise<readonly Call[]>,
): (call: Call) => void {
  let waiting: Call[] = []
  let running = 0

  async function run(): Promise<void> {
    // Lets calls of the same moment join.
    await undefined
    const calls = waiting.slice(0, maxBatchedCalls)
    waiting = waiting.slice(maxBatchedCalls)
    try {
      waiting = [...(await answer(calls)), ...waiting]
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
    running -= 1
    next()
  }

  function next(): void {
    if (waiting.length === 0 || running === sideBySide) return
    running += 1
    void run()
  }

  return (call) => {
    waiting.push(call)
    next()
  }
}

/** Runs calls in order over one snapshot: each sees the writes of those before it. */
function executeCalls(
  { rules, relayer, roundMs }: RedisLedgerOptions,
  loaded: Loaded,
  calls: readonly Call[],
): ExecutedCalls {
  const methods = [...new Set(calls.map(({ method }) => method))]
  const wanted: LoadQuery = { methods, rows: new Set(), lists: new Map() }
  const view = createView(loaded, wanted)
  const ends: (() => void)[] = []
  let writes: Writes = new Map()
  let dueMs: number | undefined
  for (const { method, args, resolve, reject } of calls) {
    const own: Writes = new Map(writes)
    try {
      const rows = createDraft(view, loaded.now, own)
      const answer = runStep({ rows, rules, relayer }, method, args)
      ends.push(() => resolve(answer))
      const ownDueMs = own.size > writes.size ? getDueDelayMs(method, args, roundMs) : undefined
      if (ownDueMs !== undefined) dueMs = Math.min(dueMs ?? ownDueMs, ownDueMs)
      writes = own
    } catch (error) {
      if (error instanceof ListedTooLate && ends.length > 0) break
      ends.push(() => reject(error))
    }
  }
  return { wanted, writes, ends, dueMs }
}

const isComplete = ({ rows, lists }: LoadQuery, loaded: Loaded): boolean =>
  [...rows].every((name) => loaded.rows.has(name)) &&
  [...lists.keys()].every((name) => loaded.lists.has(name))

/** Reads loaded rows and records what is missing, which counts as empty until it is loaded. */
function createView({ rows, lists }: Loaded, wanted: LoadQuery): View {
  const readRow = <Name extends TableName>(name: string) => {
    wanted.rows.add(name)
    return rows.get(name)?.row as Row<Name> | undefined
  }
  return {
    row: <Name extends TableName>(table: Name, ...key: Key) => readRow<Name>(toRowName(table, key)),
    list<Name extends TableName>(listing: Listing<Name>) {
      const { table, list, group = '', from = '-inf', olderThanMs, before } = listing
      const { newest, limit, unless } = listing
      const [sums, ...key] = unless ?? []
      if (sums !== undefined && !rows.has(toRowName(sums, key))) return []
      const most = limit < Number.MAX_SAFE_INTEGER ? limit : -1
      const range = { from: `${from}`, olderThanMs, before, newest, limit: most }
      const query = { name: `${table}.${list}:${group}`, ...range }
      const id = JSON.stringify(query)
      wanted.lists.set(id, query)
      return (lists.get(id) ?? []).flatMap((name) => readRow<Name>(name) ?? [])
    },
  }
}
