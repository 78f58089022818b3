import { expect, test } from 'vitest'
import { keptSteps } from '../../../../src/operator/kept/steps.ts'
import type { KeptDraft } from '../../../../src/operator/kept/tables.ts'
import { createDraft } from '../../../../src/relay/ledger/draft.ts'
import { metaValues, readMeta, saveMeta } from '../../../../src/relay/ledger/meta.ts'
import { tables, type View } from '../../../../src/relay/ledger/rows.ts'
import { usual } from '../../../ports/ledger-memory.ts'

const names = Object.keys(metaValues) as (keyof typeof metaValues)[]

/** Opens a draft in which each value of `meta` is stored as this JSON. */
function draftOf(value: string) {
  const view = { row: (_: string, name: string) => ({ name, value }), list: () => [] }
  return createDraft(tables, view as unknown as View, 0, new Map())
}

// What is known of the chain is read anew, so one of another form counts as not known.
test.for(names.filter((name) => name !== 'observations' && name !== 'sight'))(
  'a stored %s of another form is refused',
  (name) => {
    expect(() => readMeta(draftOf('"of another form"'), name)).toThrow()
  },
)

test('what operators keep there is refused as well if it is of another form', () => {
  const { rules, relayer } = usual
  const step = { rows: draftOf('"of another form"') as KeptDraft, rules, relayer }
  expect(() => keptSteps.listPastAlerts(step)).toThrow()
  expect(() => keptSteps.recordAlerts(step, [], { mustNotify: false })).toThrow()
  expect(() => keptSteps.readLoanBook(step, '0x12')).toThrow()
})

test('what is known of the chain counts as unknown if it is of another form', () => {
  const draft = draftOf('"of another form"')
  expect([readMeta(draft, 'observations'), readMeta(draft, 'sight')]).toEqual([{}, {}])
})

test('what version 1.0 knew of the chain is read as far as it has the names of today', () => {
  const [contracts, unproved] = [{ state: 'paused', at: 4 } as const, { block: 7, at: 3 }]
  const stored = {
    ...{ roundAt: 5, funds: { wei: '7', at: 1 }, gasPrice: { wei: '8', at: 2 } },
    ...{ toldCount: { number: 1, at: 4 }, asked: 'toldCount', contracts, unproved },
    relayer: '0x1',
  }
  const known = { roundAt: 5, contracts, unproved, relayer: '0x1' }
  expect(readMeta(draftOf(JSON.stringify(stored)), 'sight')).toEqual(known)
})

test('a value is read as it was saved', () => {
  const draft = createDraft(tables, { row: () => undefined, list: () => [] }, 0, new Map())
  const paused = { kind: 'paused', since: 1, nextAccountKey: 'a' } as const
  saveMeta(draft, 'intake', paused)
  expect(readMeta(draft, 'intake')).toEqual(paused)
  const reserved = { open: { poolWei: 1n, capWei: 2n, outWei: 3n }, blocks: [] }
  saveMeta(draft, 'reserved', reserved)
  expect(readMeta(draft, 'reserved')).toEqual(reserved)
})
