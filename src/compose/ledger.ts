import { tables } from '../relay/ledger/rows.ts'
import { steps } from '../relay/ledger/steps.ts'

/** Composes the steps and tables of the one atomic store. */
export const ledgerParts = { steps, tables }

export type LedgerSteps = typeof ledgerParts.steps
