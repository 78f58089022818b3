import * as z from 'zod/mini'
import type { RedisDatabase } from '../../../runtime/redis.ts'
import { roundTask } from '../due-queue.ts'
import type { LedgerMethod } from '../methods.ts'
import { type AnyRow, findPlace, getTable, parseRow, type TableName, type Write } from '../rows.ts'
import { armLua, commitLua, loadLua } from './lua.ts'

/** Holds a row as the database has it; version `0` if it does not exist. */
export type Kept = { version: string; row: AnyRow | undefined }

type ListQuery = {
  name: string
  from: string
  olderThanMs: number | undefined
  before: number | undefined
  newest: boolean | undefined
  limit: number
}

/** Names what to load; `methods` only appear in the database's log of slow commands. */
export type LoadQuery = {
  methods: readonly LedgerMethod[]
  rows: Set<string>
  lists: Map<string, ListQuery>
}

/** Holds what was loaded, as of one moment. */
export type Loaded = {
  now: number
  rows: ReadonlyMap<string, Kept>
  lists: ReadonlyMap<string, readonly string[]>
}

/** Limits the attempts at a commit; each conflict is another process's progress. */
export const commitAttempts = 50
const loadReply = z.tuple([z.coerce.number(), z.array(z.string()), z.array(z.array(z.string()))])

/** Parses a row from its version and JSON; empty text is no row. */
function parseKept(name: string, text: string): Kept {
  if (text === '') return { version: '0', row: undefined }
  const end = text.indexOf(' ')
  const table = name.slice(0, name.indexOf(':')) as TableName
  return { version: text.slice(0, end), row: parseRow(table, text.slice(end + 1)) }
}

export type LoadRows = (wanted: LoadQuery) => Promise<Loaded>

export function createLoad(database: RedisDatabase, keys: readonly string[]): LoadRows {
  const script = database.script(loadLua)
  return async ({ rows: names, lists: queries, methods }) => {
    const query = JSON.stringify({ rows: [...names], lists: [...queries.values()] })
    const reply = await script(keys, [query, 'load', ...methods])
    const [now, texts, lists] = loadReply.parse(reply)
    const rows = new Map<string, Kept>()
    for (let index = 0; index < texts.length; index += 2) {
      const [name = '', text = ''] = texts.slice(index, index + 2)
      rows.set(name, parseKept(name, text))
    }
    const ids = [...queries.keys()]
    return { now, rows, lists: new Map(ids.map((id, index) => [id, lists[index] ?? []])) }
  }
}

/** Describes writes that need every wanted row unchanged; a round is then due in `dueMs`. */
export type Change = {
  wanted: LoadQuery
  writes: ReadonlyMap<string, Write>
  dueMs: number | undefined
}

/** Writes all and returns `true`, or writes nothing. */
export type Commit = (loaded: Loaded, change: Change) => Promise<boolean>

export function createCommit(database: RedisDatabase, keys: readonly string[]): Commit {
  const script = database.script(armLua + commitLua)
  return async (loaded, { wanted, writes, dueMs }) => {
    const read = Object.fromEntries(
      [...wanted.rows].map((name) => [name, loaded.rows.get(name)?.version ?? '0']),
    )
    const deletions = [...writes].filter(([, { after }]) => after === undefined)
    const updates = [...writes].filter(([, { after }]) => after !== undefined)
    const change = {
      ...{ read, drop: deletions.map(([name]) => name) },
      put: Object.fromEntries(updates.map(([name, { after }]) => [name, JSON.stringify(after)])),
      ...listChanges(writes),
      ...(dueMs === undefined ? {} : { arm: { task: roundTask, inMs: dueMs } }),
    }
    const args = [JSON.stringify(change), 'commit', ...wanted.methods]
    return z.coerce.number().parse(await script(keys, args)) === 1
  }
}

/** Returns the list entries to add and to remove: the database does not know columns. */
function listChanges(writes: ReadonlyMap<string, Write>): { list: string[][]; unlist: string[][] } {
  const list: string[][] = []
  const unlist: string[][] = []
  for (const [name, { table, before, after }] of writes) {
    for (const [own, columns] of Object.entries(getTable(table).lists)) {
      const [was, is] = [findPlace(columns, before), findPlace(columns, after)]
      if (was?.group === is?.group && was?.score === is?.score) continue
      if (was !== undefined) unlist.push([`${table}.${own}:${was.group}`, name])
      if (is !== undefined) list.push([`${table}.${own}:${is.group}`, `${is.score}`, name])
    }
  }
  return { list, unlist }
}
