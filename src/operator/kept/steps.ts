import type { Port } from '../../relay/ledger/port.ts'
import type { Ledger } from '../../relay/ledger/steps.ts'
import { alertSteps } from './alerts.ts'
import { auditSteps } from './audit.ts'
import { backupSteps } from './backup.ts'
import { eventSteps } from './events.ts'
import { loanSteps } from './loans.ts'
import { erasureSteps } from './person.ts'
import { keptRecallSteps } from './recalls.ts'
import { takingSteps } from './takings.ts'
import { tillSteps } from './tills.ts'

/** Composes the steps of what operators keep. One of a relay's name calls that, and adds to it. */
export const keptSteps = {
  ...auditSteps,
  ...alertSteps,
  ...tillSteps,
  ...takingSteps,
  ...loanSteps,
  ...backupSteps,
  ...erasureSteps,
  ...eventSteps,
  ...keptRecallSteps,
}

export type Vitals = ReturnType<typeof alertSteps.readVitals>

/** Has the relay's steps and those of what operators keep, on the same rows. */
export type WholeLedger = Port<typeof keptSteps> & Ledger
