import { recordEvents } from '../operator/kept/events.ts'
import { keptSteps } from '../operator/kept/steps.ts'
import { type Kept, keptTables } from '../operator/kept/tables.ts'
import { tables } from '../relay/ledger/rows.ts'
import { steps } from '../relay/ledger/steps.ts'

const allSteps = { ...steps, ...keptSteps }

export type LedgerSteps = typeof allSteps

type AnyRun = ((step: Kept, ...args: unknown[]) => unknown) & { kind: string }

/** Has a step also record what it has changed of accounts, in its own commit. */
function withEvents([name, run]: [string, unknown]) {
  const known = run as AnyRun
  if (known.kind === 'reads') return [name, run]
  const recording = (step: Kept, ...args: unknown[]) => {
    const answer = known(step, ...args)
    recordEvents(step)
    return answer
  }
  return [name, Object.assign(recording, known)]
}

/** Composes the one atomic store of the relay's ledger and what operators keep. */
export const ledgerParts = {
  steps: Object.fromEntries(Object.entries(allSteps).map(withEvents)) as LedgerSteps,
  tables: { ...tables, ...keptTables },
}
