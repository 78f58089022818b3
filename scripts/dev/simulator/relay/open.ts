import type { Payment, Work } from '../../../../src/relay/ledger/port.ts'

// Written here a second time, by names: what the ledger's own tables say is judged by it.

/** Payments whose outcome is not known yet. */
export const undecided = ({ queued, stuck, carried }: Work): Payment[] => [
  ...[...queued, ...stuck],
  ...carried,
]

/** Payments that are not settled. */
export const unsettled = (work: Work): Payment[] => [...undecided(work), ...work.mined]
