import { hexToBytes } from 'viem'
import { poolRules } from '../../src/chain/chains.ts'
import { createNode } from '../../src/chain/node.ts'
import { ledgerParts } from '../../src/compose/ledger.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import {
  createDraft,
  type LedgerRules,
  ledgerRules,
  type Writes,
} from '../../src/relay/ledger/draft.ts'
import { createLedgerPort, runStep } from '../../src/relay/ledger/port.ts'
import { type AnyRow, getListPosition, getTable, type View } from '../../src/relay/ledger/rows.ts'
import type { Relayer } from '../../src/relay/relayer.ts'
import { createSigner } from '../../src/relay/signer.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createKeyAccount } from '../../src/runtime/key-account.ts'

/** Rules of a ledger, and the key of the simulator's relayer, where a test means no others. */
export const usual = {
  rules: { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, accountStateMs: 100_000 },
  relayer: '0x1f0fab756a0107a5d29757ef209b006f6e15d938',
}

type Options = { rules?: LedgerRules; relayer?: string; now: () => number }

/** Creates a minimal store to compare the others with. Its key may change. */
export function createMemoryLedger(options: Readonly<Options>): {
  ledger: WholeLedger
  rows: () => string[]
} {
  const tables = new Map<string, Map<string, AnyRow>>()
  const tableOf = (name: string) => {
    const known = tables.get(name) ?? new Map<string, AnyRow>()
    tables.set(name, known)
    return known
  }
  const view: View = {
    row: (table, ...key) => tableOf(table).get(key.join(':')),
    list(listing, time) {
      const { table, list, group = '', from = -1, olderThanMs, before } = listing
      const end = olderThanMs === undefined ? before : time - olderThanMs
      const to = end === undefined ? Number.MAX_SAFE_INTEGER : end - 1
      const columns = getTable(ledgerParts.tables, table).lists[list]
      const found = [...tableOf(table)].flatMap(([key, row]) => {
        const place = columns && getListPosition(columns, row)
        const isIn = place?.group === group && place.score >= from && place.score <= to
        return isIn ? [{ key, row, score: place.score }] : []
      })
      found.sort((a, b) => a.score - b.score || (a.key < b.key ? -1 : 1))
      if (listing.newest === true) found.reverse()
      return found.slice(0, listing.limit).map(({ row }) => row)
    },
  }
  const ledger = createLedgerPort(ledgerParts.steps, async (method, args) => {
    const writes: Writes = new Map()
    const { rules, relayer, now } = { ...usual, ...options }
    const rows = createDraft(ledgerParts.tables, view, now(), writes)
    const answer = runStep(ledgerParts.steps, { rows, rules, relayer }, method, args)
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

/** The key of relayers in memory. */
export const account = createKeyAccount(hexToBytes(`0x${'01'.repeat(32)}`))

type Params = readonly unknown[]

type RelayerOptions = Partial<Relayer<WholeLedger>> & {
  now: () => number
  limits?: Partial<LedgerRules>
  answers?: Record<string, (params: Params) => unknown>
}

/** Opens a relayer over a ledger in memory and a node with these answers, and records its calls. */
export function openMemoryRelayer({ now, limits, answers = {}, ...own }: RelayerOptions) {
  const signer = own.signer ?? createSigner(account, 31)
  const key = { relayer: signer.address.toLowerCase(), rules: { ...usual.rules, ...limits }, now }
  const { ledger } = createMemoryLedger(key)
  const asked: { method: string; params: Params }[] = []
  const relayer: Relayer<WholeLedger> = {
    ledger,
    node: createNode(async (method, params) => {
      asked.push({ method, params })
      return answers[method]?.(params)
    }),
    signer,
    forwarder: { chainId: 31, address: account.address },
    rules: poolRules.rootstock,
    fees: { maxWei: 100n },
    clock: systemClock,
    log: () => {},
    describeReason: () => '',
    ...own,
  }
  return { key, ledger, asked, relayer }
}

/** Writes a row as text, independent of the order of its columns. */
export function textOf(table: string, row: AnyRow): string {
  const columns = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${table} ${JSON.stringify(columns)}`
}
