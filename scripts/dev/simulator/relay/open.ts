import type { Payment, Work } from '../../../../src/relay/ledger/port.ts'

// Written here a second time, by names: what the ledger's own tables say is judged by it.

export const undecided = ({ queued, stuck, carried }: Work): Payment[] => [
  ...[...queued, ...stuck],
  ...carried,
]

export const unsettled = (work: Work): Payment[] => [...undecided(work), ...work.mined]
