import { createDraft, type Writes } from '../../src/relay/ledger/draft.ts'
import type { Ledger, LedgerRules } from '../../src/relay/ledger/port.ts'
import {
  type AnyRow,
  anyTable,
  type Listing,
  placeOf,
  type Row,
  type TableName,
  type View,
} from '../../src/relay/ledger/rows.ts'
import { ledgerThrough, runStep } from '../../src/relay/ledger/steps.ts'

type Options = { rules: LedgerRules; relayer: string; now: () => number }

/** A store in a few lines: what the others are compared with. The key may become another one. */
export function createMemoryLedger(options: Readonly<Options>): {
  ledger: Ledger
  rows: () => string[]
} {
  const tables = new Map<string, Map<string, AnyRow>>()
  const tableOf = (name: string) => {
    const known = tables.get(name) ?? new Map<string, AnyRow>()
    tables.set(name, known)
    return known
  }
  const view: View = {
    row: <Name extends TableName>(table: Name, ...key: (string | number)[]) =>
      tableOf(table).get(key.join(':')) as Row<Name> | undefined,
    list<Name extends TableName>(listing: Listing<Name>, time: number) {
      const { table, list, group = '', from = -1, olderThanMs, before } = listing
      const end = olderThanMs === undefined ? before : time - olderThanMs
      const to = end === undefined ? Number.MAX_SAFE_INTEGER : end - 1
      const columns = anyTable(table).lists[list]
      const found = [...tableOf(table)].flatMap(([key, row]) => {
        const place = columns && placeOf(columns, row)
        const isIn = place?.group === group && place.score >= from && place.score <= to
        return isIn ? [{ key, row, score: place.score }] : []
      })
      found.sort((a, b) => a.score - b.score || (a.key < b.key ? -1 : 1))
      if (listing.newest === true) found.reverse()
      return found.slice(0, listing.limit).map(({ row }) => row as Row<Name>)
    },
  }
  const ledger = ledgerThrough(async (method, args) => {
    const writes: Writes = new Map()
    const { rules, relayer, now } = options
    const rows = createDraft(view, now(), writes)
    const answer = runStep({ rows, rules, relayer }, method, args)
    for (const { table, key, after } of writes.values()) {
      if (after === undefined) tableOf(table).delete(key.join(':'))
      else tableOf(table).set(key.join(':'), after)
    }
    return answer
  })
  return {
    ledger,
    rows: () =>
      [...tables].flatMap(([table, rows]) => [...rows.values()].map((row) => textOf(table, row))),
  }
}

/** A row as text that does not depend on the order of its columns. */
export function textOf(table: string, row: AnyRow): string {
  const columns = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${table} ${JSON.stringify(columns)}`
}
