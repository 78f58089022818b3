import * as z from 'zod/mini'
import type { RedisDatabase } from '../../../runtime/redis.ts'
import { roundTask } from '../due-queue.ts'
import type { LedgerMethod } from '../methods.ts'
import {
  type AnyRow,
  getListPosition,
  getTable,
  parseRow,
  type TableName,
  type Write,
} from '../rows.ts'
import { armLua, commitLua, loadLua } from './lua.ts'

/** Holds a row as the database has it; version `0` if it does not exist. */
export type VersionedRow = { version: string; row: AnyRow | undefined }

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

/** Holds rows by name, and by a query's id the names of its rows, all as of one moment. */
export type Snapshot = {
  now: number
  rows: ReadonlyMap<string, VersionedRow>
  lists: ReadonlyMap<string, readonly string[]>
}

/** Limits the attempts at a commit. One fails only if another process has just committed. */
export const maxCommitAttempts = 50
const loadReply = z.tuple([z.coerce.number(), z.array(z.string()), z.array(z.array(z.string()))])

/** Parses a row from its version, a space and its JSON; empty text is no row. */
function parseVersionedRow(name: string, text: string): VersionedRow {
  if (text === '') return { version: '0', row: undefined }
  const space = text.indexOf(' ')
  const table = name.slice(0, name.indexOf(':')) as TableName
  return { version: text.slice(0, space), row: parseRow(table, text.slice(space + 1)) }
}

export type LoadRows = (wanted: LoadQuery) => Promise<Snapshot>

export function createLoad(database: RedisDatabase, keys: readonly string[]): LoadRows {
  const script = database.script(loadLua)
  return async ({ rows: names, lists: queries, methods }) => {
    const query = JSON.stringify({ rows: [...names], lists: [...queries.values()] })
    const reply = await script(keys, [query, 'load', ...methods])
    const [now, namesAndTexts, lists] = loadReply.parse(reply)
    const rows = new Map<string, VersionedRow>()
    for (let index = 0; index < namesAndTexts.length; index += 2) {
      const [name = '', text = ''] = namesAndTexts.slice(index, index + 2)
      rows.set(name, parseVersionedRow(name, text))
    }
    const ids = [...queries.keys()]
    return { now, rows, lists: new Map(ids.map((id, index) => [id, lists[index] ?? []])) }
  }
}

/** Describes writes that need every wanted row unchanged; a round is then due in `dueMs`. */
export type ConditionalWrites = {
  wanted: LoadQuery
  writes: ReadonlyMap<string, Write>
  dueMs: number | undefined
}

/** Writes all and returns `true`, or writes nothing and returns `false`. */
export type CommitWrites = (snapshot: Snapshot, change: ConditionalWrites) => Promise<boolean>

export function createCommit(database: RedisDatabase, keys: readonly string[]): CommitWrites {
  const script = database.script(armLua + commitLua)
  return async (snapshot, { wanted, writes, dueMs }) => {
    const versions = [...wanted.rows].map((name) => [name, snapshot.rows.get(name)?.version ?? '0'])
    const deletions = [...writes].filter(([, { after }]) => after === undefined)
    const updates = [...writes].filter(([, { after }]) => after !== undefined)
    const change = {
      versions: Object.fromEntries(versions),
      deletions: deletions.map(([name]) => name),
      updates: Object.fromEntries(
        updates.map(([name, { after }]) => [name, JSON.stringify(after)]),
      ),
      ...findEntryChanges(writes),
      ...(dueMs === undefined ? {} : { arm: { task: roundTask, inMs: dueMs } }),
    }
    const args = [JSON.stringify(change), 'commit', ...wanted.methods]
    return z.coerce.number().parse(await script(keys, args)) === 1
  }
}

type EntryChanges = { newEntries: string[][]; oldEntries: string[][] }

/** Returns the list entries to add and to remove: the database does not know columns. */
function findEntryChanges(writes: ReadonlyMap<string, Write>): EntryChanges {
  const changes: EntryChanges = { newEntries: [], oldEntries: [] }
  for (const [name, { table, before, after }] of writes) {
    for (const [list, columns] of Object.entries(getTable(table).lists)) {
      const oldPosition = getListPosition(columns, before)
      const newPosition = getListPosition(columns, after)
      const isSameGroup = oldPosition?.group === newPosition?.group
      if (isSameGroup && oldPosition?.score === newPosition?.score) continue
      const nameList = (group: string) => `${table}.${list}:${group}`
      if (oldPosition) changes.oldEntries.push([nameList(oldPosition.group), name])
      if (newPosition)
        changes.newEntries.push([nameList(newPosition.group), `${newPosition.score}`, name])
    }
  }
  return changes
}
