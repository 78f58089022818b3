import { z } from 'zod'
import type { RedisDatabase, RedisScript } from '../../runtime/redis.ts'
import { createDraft, ListedTooLate, type Writes } from './draft.ts'
import { TEND } from './due-queue.ts'
import { armLua, commitLua, loadLua, version1Lua } from './lua.ts'
import { migrateRedis } from './migrate.ts'
import type { Ledger, LedgerRules } from './port.ts'
import {
  type AnyRow,
  anyTable,
  type Listing,
  placeOf,
  type Row,
  type TableName,
  type View,
} from './rows.ts'
import { type LedgerMethod, ledgerThrough, methodKinds, runStep } from './steps.ts'

export type RedisLedgerOptions = {
  database: RedisDatabase
  /** Whose ledger it is: see {@link ledgerKey}. */
  name: string
  rules: LedgerRules
  /** Address of the key whose nonces are handed out. */
  relayer: string
  /** How soon a task is due that looks after what a claim, a record or an adoption left open. */
  tendMs: number
}

/** Every key of a ledger begins with this; the braces keep them in one slot of a cluster. */
export const ledgerKey = (name: string): string => `ledger:{${name}}`

/** A row as the database has it. Version `0`: it has none. */
type Kept = { version: string; row: AnyRow | undefined }

type ListWish = { name: string; from: string; to: string; limit: number; newest: boolean }

/** Names of rows and lists, which a load brings. */
type Wanted = { rows: Set<string>; lists: Map<string, ListWish> }

/** What a load brought: everything as it was at one moment. */
type Loaded = {
  now: number
  rows: ReadonlyMap<string, Kept>
  lists: ReadonlyMap<string, readonly string[]>
}

/** A call that waits for its answer. */
type Call = {
  method: LedgerMethod
  args: readonly unknown[]
  resolve: (answer: unknown) => void
  reject: (error: unknown) => void
}

type Folded = {
  /** What is called: the database ignores it, and its log of slow commands shows it. */
  methods: readonly LedgerMethod[]
  /** How each call ends once the writes are committed; calls without one come later. */
  ends: (() => void)[]
  writes: Writes
  wanted: Wanted
  isComplete: boolean
  opensWork: boolean
}

/** Calls that share a load and a commit. */
const FOLD_LIMIT = 100
const READS_SIDE_BY_SIDE = 8
/** Each conflict is another process's progress. */
const COMMIT_ATTEMPTS = 50
/** Rows that are remembered to guess what calls will read. */
const REMEMBERED_LIMIT = 2_000
const MAX_SCORE = `${Number.MAX_SAFE_INTEGER}`

/**
 * The ledger on Redis. What waits in this process at a time shares one load and one commit, which is
 * refused where another process has written a row that was read: then all of it is done again. A
 * call that fails may have been done: each meets its own token or its own state when it is made again.
 */
export function createRedisLedger(options: RedisLedgerOptions): Ledger {
  const { database, name } = options
  const keys = [ledgerKey(name)]
  const load = loader(database.script(loadLua), keys)
  const commit = committer(database.script(armLua + commitLua), keys, options.tendMs)
  const remembered = createMemory()
  let opening: Promise<void> | undefined

  const open = () => {
    opening ??= migrate({ ...options, keys, load, commit }).catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }

  /** Answers calls from one moment of the database. Gives those that have to wait for this to be committed. */
  async function answer(calls: readonly Call[]): Promise<readonly Call[]> {
    await open()
    const guess: Loaded = { now: 0, rows: remembered.rows, lists: new Map() }
    let folded = fold(options, guess, calls)
    let now: number | undefined
    for (let attempt = 0; attempt < COMMIT_ATTEMPTS; attempt++) {
      const found = await load(folded)
      // What is asked for depends on the time: one that moved with each load would never have it all.
      now ??= found.now
      const loaded = { ...found, now }
      remembered.keep(loaded.rows)
      folded = fold(options, loaded, calls)
      const { ends, writes } = folded
      if (!folded.isComplete) continue
      if (writes.size > 0 && !(await commit(loaded, folded))) {
        now = undefined
        continue
      }
      for (const [name, { after }] of writes)
        remembered.keep(new Map([[name, { version: '', row: after }]]))
      for (const end of ends) end()
      return calls.slice(ends.length)
    }
    throw new Error('other processes changed what was read again and again')
  }

  const reads = createLane(READS_SIDE_BY_SIDE, answer)
  const writes = createLane(1, answer)
  return ledgerThrough(
    (method, args) =>
      new Promise((resolve, reject) => {
        const lane = methodKinds[method] === 'reads' ? reads : writes
        lane({ method, args, resolve, reject })
      }),
  )
}

/** Answers so many batches of calls at a time, each of all that wait by then. */
function createLane(
  sideBySide: number,
  answer: (calls: readonly Call[]) => Promise<readonly Call[]>,
): (call: Call) => void {
  let waiting: Call[] = []
  let running = 0

  async function run(): Promise<void> {
    // Whoever calls in the same moment comes along.
    await undefined
    const calls = waiting.slice(0, FOLD_LIMIT)
    waiting = waiting.slice(FOLD_LIMIT)
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

/** Runs calls one after the other over one moment: each sees what those before it wrote. */
function fold(
  { rules, relayer }: RedisLedgerOptions,
  loaded: Loaded,
  calls: readonly Call[],
): Folded {
  const wanted: Wanted = { rows: new Set(), lists: new Map() }
  const view = viewOf(loaded, wanted)
  const ends: (() => void)[] = []
  let writes: Writes = new Map()
  let opensWork = false
  for (const { method, args, resolve, reject } of calls) {
    const own: Writes = new Map(writes)
    try {
      const rows = createDraft(view, loaded.now, own)
      const answer = runStep({ rows, rules, relayer }, method, args)
      ends.push(() => resolve(answer))
      opensWork ||= methodKinds[method] === 'opens' && own.size > writes.size
      writes = own
    } catch (error) {
      if (error instanceof ListedTooLate && ends.length > 0) break
      ends.push(() => reject(error))
    }
  }
  const isLoaded = [...wanted.rows].every((name) => loaded.rows.has(name))
  const isListed = [...wanted.lists.keys()].every((name) => loaded.lists.has(name))
  const methods = [...new Set(calls.map(({ method }) => method))]
  return { methods, ends, writes, wanted, isComplete: isLoaded && isListed, opensWork }
}

/** What was loaded. What was not is noted, and taken as nothing until it is. */
function viewOf({ rows, lists }: Loaded, wanted: Wanted): View {
  return {
    row<Name extends TableName>(table: Name, ...key: (string | number)[]) {
      const name = [table, ...key].join(':')
      wanted.rows.add(name)
      return rows.get(name)?.row as Row<Name> | undefined
    },
    list<Name extends TableName>({ table, list, group = '', ...range }: Listing<Name>) {
      const { limit, newest = false } = range
      const [from, to] = [`${range.from ?? '-inf'}`, `${range.to ?? MAX_SCORE}`]
      const wish = { name: `${table}.${list}:${group}`, from, to, newest }
      const most = limit < Number.MAX_SAFE_INTEGER ? limit : -1
      const id = JSON.stringify({ ...wish, limit: most })
      wanted.lists.set(id, { ...wish, limit: most })
      return (lists.get(id) ?? []).flatMap((name) => {
        wanted.rows.add(name)
        return (rows.get(name)?.row as Row<Name> | undefined) ?? []
      })
    },
  }
}

function migrate({
  database,
  rules,
  relayer,
  keys,
  load,
  commit,
}: RedisLedgerOptions & {
  keys: readonly string[]
  load: Load
  commit: Commit
}): Promise<void> {
  const asking = (names: readonly string[]) => ({
    ...{ methods: [], opensWork: false },
    wanted: { rows: new Set(['meta:schema', ...names]), lists: new Map() },
  })
  return migrateRedis({
    ...{ relayer, rules, keys, script: database.script(version1Lua) },
    async load() {
      const { rows, now } = await load(asking([]))
      return { schema: rows.get('meta:schema')?.row, now }
    },
    async write(rows) {
      const named = rows.map((write) => [[write.table, ...write.key].join(':'), write] as const)
      const asked = asking(named.map(([name]) => name))
      for (let attempt = 0; attempt < COMMIT_ATTEMPTS; attempt++) {
        const loaded = await load(asked)
        if (loaded.rows.get('meta:schema')?.row !== undefined) return false
        // A migration that ended half-way has written it, and listed it elsewhere perhaps.
        const writes = new Map(
          named.map(([name, write]) => [name, { ...write, before: loaded.rows.get(name)?.row }]),
        )
        if (await commit(loaded, { ...asked, writes })) return true
      }
      throw new Error('other processes changed what was migrated again and again')
    },
  })
}

const kept = z.string().transform((text): { version: string; json: string } => {
  const end = text.indexOf(' ')
  return { version: text.slice(0, end), json: text.slice(end + 1) }
})

const loadReply = z.tuple([
  z.coerce.number(),
  z.coerce.number(),
  z.array(z.union([z.literal('').transform(() => undefined), kept])),
  z.array(z.array(z.string())),
])

type Load = (folded: Pick<Folded, 'wanted' | 'methods'>) => Promise<Loaded>

function loader(script: RedisScript, keys: readonly string[]): Load {
  return async ({ wanted, methods }) => {
    const names = [...wanted.rows]
    const ids = [...wanted.lists.keys()]
    const lists = ids.map((id) => wanted.lists.get(id))
    const asked = JSON.stringify({ rows: names, lists })
    const reply = await script(keys, [asked, 'load', ...methods])
    const [seconds, micros, found, listed] = loadReply.parse(reply)
    const rows = new Map<string, Kept>()
    const keep = (name: string, text: z.infer<typeof kept> | undefined) => {
      if (text === undefined) return rows.set(name, { version: '0', row: undefined })
      const table = anyTable(name.slice(0, name.indexOf(':')) as TableName)
      return rows.set(name, { version: text.version, row: table.row.parse(JSON.parse(text.json)) })
    }
    for (const [index, name] of names.entries()) keep(name, found[index])
    const members = listed.map((list) => list.filter((_, index) => index % 2 === 0))
    for (const list of listed) {
      for (let index = 0; index < list.length; index += 2) {
        keep(`${list[index]}`, kept.parse(list[index + 1]))
      }
    }
    return {
      now: seconds * 1000 + Math.floor(micros / 1000),
      rows,
      lists: new Map(ids.map((id, index) => [id, members[index] ?? []])),
    }
  }
}

/** Writes all of it, or nothing and says so. */
export type Commit = (
  loaded: Pick<Loaded, 'rows'>,
  folded: Pick<Folded, 'writes' | 'wanted' | 'opensWork' | 'methods'>,
) => Promise<boolean>

function committer(script: RedisScript, keys: readonly string[], tendMs: number): Commit {
  return async (loaded, { writes, wanted, opensWork, methods }) => {
    const put: Record<string, string> = {}
    const drop: string[] = []
    const list: string[][] = []
    const unlist: string[][] = []
    for (const [name, { table, before, after }] of writes) {
      if (after === undefined) drop.push(name)
      else put[name] = JSON.stringify(after)
      for (const [own, columns] of Object.entries(anyTable(table).lists)) {
        const [was, is] = [placeOf(columns, before), placeOf(columns, after)]
        if (was?.group === is?.group && was?.score === is?.score) continue
        if (was !== undefined) unlist.push([`${table}.${own}:${was.group}`, name])
        if (is !== undefined) list.push([`${table}.${own}:${is.group}`, `${is.score}`, name])
      }
    }
    const read = Object.fromEntries(
      [...wanted.rows].map((name) => [name, loaded.rows.get(name)?.version ?? '0']),
    )
    const arm = opensWork ? { arm: { task: TEND, inMs: tendMs } } : {}
    const change = JSON.stringify({ read, put, drop, list, unlist, ...arm })
    const reply = await script(keys, [change, 'commit', ...methods])
    return z.coerce.number().parse(reply) === 1
  }
}

/** The rows of late: good for guessing what a call reads, and never for an answer. */
function createMemory() {
  const rows = new Map<string, Kept>()
  return {
    rows,
    keep(found: ReadonlyMap<string, Kept>): void {
      for (const [name, row] of found) {
        rows.delete(name)
        rows.set(name, row)
      }
      for (const name of rows.keys()) {
        if (rows.size <= REMEMBERED_LIMIT) return
        rows.delete(name)
      }
    },
  }
}
