import * as z from 'zod/mini'
import type { RedisDatabase } from '../../../runtime/redis.ts'
import {
  type AnyRow,
  getListPosition,
  getTable,
  parseRow,
  type Tables,
  type Write,
} from '../rows.ts'
import { armLua, commitLua, loadLua } from './lua.ts'

/** Holds a row as it is stored. A row that does not exist has the version `0`. */
export type VersionedRow = { version: string; row: AnyRow | undefined }

/** Selects a list's rows by score, and is sent to the Lua script as JSON. */
type ListQuery = {
  name: string
  from: string
  /** Ends the range this many ms before Redis's time, instead of at `before`. */
  olderThanMs: number | undefined
  before: number | undefined
  newest: boolean | undefined
  limit: number
}

/** Names what calls read. The `methods` are sent only for Redis's log of slow commands. */
export type ReadSet = {
  methods: readonly string[]
  rows: Set<string>
  /** Maps the JSON of each query to the query. */
  lists: Map<string, ListQuery>
}

/** Holds rows by name, and the names of the rows that each query found, all as of one moment. */
export type Snapshot = {
  now: number
  rows: ReadonlyMap<string, VersionedRow>
  lists: ReadonlyMap<string, readonly string[]>
}

/** Returns the name of a list, which Lua appends to the prefix of the ledger's keys. */
export const toListName = (table: string, list: string, group: string): string =>
  `${table}.${list}:${group}`

const loadReply = z.tuple([z.coerce.number(), z.array(z.string()), z.array(z.array(z.string()))])

/** Parses a row from its version, a space and its JSON. Empty text means that it does not exist. */
function parseVersionedRow(tables: Tables, name: string, text: string): VersionedRow {
  if (text === '') return { version: '0', row: undefined }
  const space = text.indexOf(' ')
  const table = getTable(tables, name.slice(0, name.indexOf(':')))
  return { version: text.slice(0, space), row: parseRow(table, text.slice(space + 1)) }
}

/** Loads what a read set names, by one Lua script and therefore as of one moment. */
export function createLoad(database: RedisDatabase, keys: readonly string[], tables: Tables) {
  const script = database.script(loadLua)
  return async ({ rows: names, lists: queries, methods }: ReadSet): Promise<Snapshot> => {
    const query = JSON.stringify({ rows: [...names], lists: [...queries.values()] })
    const reply = await script(keys, [query, 'load', ...methods])
    const [now, alternatingNamesAndTexts, lists] = loadReply.parse(reply)
    const rows = new Map<string, VersionedRow>()
    for (let index = 0; index < alternatingNamesAndTexts.length; index += 2) {
      const [name = '', text = ''] = alternatingNamesAndTexts.slice(index, index + 2)
      rows.set(name, parseVersionedRow(tables, name, text))
    }
    const queryIds = [...queries.keys()]
    return { now, rows, lists: new Map(queryIds.map((id, index) => [id, lists[index] ?? []])) }
  }
}

/** Describes writes that are made only if no row of the read set has changed. */
export type ConditionalWrites = {
  readSet: ReadSet
  writes: ReadonlyMap<string, Write>
  /** Sets the delay in ms of the round that the writes need; undefined if they need none. */
  dueDelayMs: number | undefined
  /** Gives the steps' time: nothing is written if the database's is before it, or far ahead. */
  at?: number | undefined
  /** Limits how far the database's time may be ahead, in ms. */
  maxAgeMs?: number
}

/** Limits the steps between versions: ten billion commits of the largest are exact numbers. */
const maxVersionStep = 2 ** 19

const commitReply = z.tuple([z.coerce.number(), z.string()])

/**
 * Writes all, or nothing if a row has changed meanwhile, or the time is not the database's. Tells
 * that time, and the version of what was written; undefined if nothing was.
 */
export function createCommit(database: RedisDatabase, keys: readonly string[], tables: Tables) {
  const script = database.script(armLua + commitLua)
  return async (
    rows: Pick<Snapshot['rows'], 'get'>,
    { readSet, writes, dueDelayMs, at, maxAgeMs }: ConditionalWrites,
  ) => {
    const versions: Record<string, string> = {}
    for (const name of readSet.rows) versions[name] = rows.get(name)?.version ?? '0'
    const updates: Record<string, string> = {}
    const deletions: string[] = []
    for (const [name, { after }] of writes) {
      if (after === undefined) deletions.push(name)
      else updates[name] = JSON.stringify(after)
    }
    const step = 1 + Math.floor(Math.random() * maxVersionStep)
    const conditions = { versions, at, maxAgeMs, step }
    const entries = findEntryChanges(tables, writes)
    const change = { ...conditions, updates, deletions, ...entries, dueDelayMs }
    const args = [JSON.stringify(change), 'commit', ...readSet.methods]
    const [now, version] = commitReply.parse(await script(keys, args))
    return { now, version: version === '0' ? undefined : version }
  }
}

/** Returns the list entries to remove and to add. Lua cannot find them: it sees rows as text. */
function findEntryChanges(tables: Tables, writes: ReadonlyMap<string, Write>) {
  const oldEntries: [list: string, row: string][] = []
  const newEntries: [list: string, score: string, row: string][] = []
  for (const [name, { table, before, after }] of writes) {
    for (const [list, columns] of Object.entries(getTable(tables, table).lists)) {
      const oldPosition = getListPosition(columns, before)
      const newPosition = getListPosition(columns, after)
      const isSameGroup = oldPosition?.group === newPosition?.group
      if (isSameGroup && oldPosition?.score === newPosition?.score) continue
      if (oldPosition) oldEntries.push([toListName(table, list, oldPosition.group), name])
      if (newPosition) {
        const listName = toListName(table, list, newPosition.group)
        newEntries.push([listName, `${newPosition.score}`, name])
      }
    }
  }
  return { oldEntries, newEntries }
}
