import { keptSteps } from '../operator/kept/steps.ts'
import { keptTables } from '../operator/kept/tables.ts'
import { tables } from '../relay/ledger/rows.ts'
import { steps } from '../relay/ledger/steps.ts'

/** Composes the one atomic store of the relay's ledger and what operators keep. */
export const ledgerParts = {
  steps: { ...steps, ...keptSteps },
  tables: { ...tables, ...keptTables },
}

export type LedgerSteps = typeof ledgerParts.steps
