import type { Random } from '../random.ts'

/** Limits the faults that are drawn; `maxBehindMs` is the most that a replica lags. */
type FaultLimits = { rates: FaultRates; maxBehindMs: number }

const hangs = (random: Random) => ({ hangs: random.chance(0.5) })
const dies = (random: Random) => ({ scope: random.pick(['request', 'process'] as const) })
const objectDies = (random: Random) => ({ downMs: random.pick([10, 40, 300, 5_000]) })
const plain = () => ({})

/** Describes the faults at one place where a program waits, and how they are drawn. */
const drawnAs = {
  /** The request is lost; the caller learns that at once, or when its time is over. */
  request_lost: hangs,
  /** The request is executed, and its answer is lost. */
  reply_lost: hangs,
  /** The request is executed long after the caller has given up, many rounds later. */
  request_late: (random: Random, _: FaultLimits, place: string) => ({
    byMs: random.int(300, place === 'send' ? 150_000 : 30_000),
  }),
  reply_late: (random: Random) => ({ byMs: random.int(300, 15_000) }),
  /** The node answers an error, without or with the effect. */
  error_before: plain,
  error_after: plain,
  garbled: plain,
  /** A replica answers that is behind the chain. */
  replica_behind: (random: Random, { maxBehindMs }: FaultLimits) => ({
    byMs: random.int(1_000, maxBehindMs),
  }),
  quota: plain,
  /** The request is cancelled, or the process dies: a Worker, or the object during a round. */
  dies_before: dies,
  dies_after: dies,
  stalls: (random: Random) => ({ forMs: random.int(500, 25_000) }),
  object_dies_before: objectDies,
  object_dies_after: objectDies,
  rings_twice: (random: Random) => ({ afterMs: random.int(0, 2_000) }),
} as const

export type FaultKind = keyof typeof drawnAs

export type Fault = {
  [Kind in FaultKind]: { kind: Kind } & ReturnType<(typeof drawnAs)[Kind]>
}[FaultKind]

type FaultRates = Partial<Record<FaultKind, number>>

const line = ['request_lost', 'reply_lost', 'request_late', 'reply_late'] as const
const badAnswer = ['garbled', 'replica_behind'] as const
const deaths = ['dies_before', 'dies_after'] as const

/** Maps each place where a program waits to the faults that may occur there. */
const possibleFaults = {
  read: ['request_lost', 'reply_late', 'error_before', ...badAnswer, ...deaths, 'stalls'],
  send: [...line, 'error_before', 'error_after', ...badAnswer, 'quota', ...deaths, 'stalls'],
  ledger: [...line, 'object_dies_before', 'object_dies_after', ...deaths, 'stalls'],
  memory: [...line, ...deaths, 'stalls'],
  step: ['dies_before', 'stalls'],
  tending: deaths,
  ring: ['rings_twice'],
} as const satisfies Record<string, readonly FaultKind[]>

export type Place = keyof typeof possibleFaults

/** Share of the rates for the steps of a round, because a round has many steps. */
const tendingShare = 0.15

/** Draws the fault at a place; none while `isOn` is false. */
export function drawFault(limits: FaultLimits, place: Place, random: Random, isOn: boolean) {
  let left = random.next()
  if (!isOn) return undefined
  for (const kind of possibleFaults[place]) {
    left -= (limits.rates[kind] ?? 0) * (place === 'tending' ? tendingShare : 1)
    if (left < 0) return { kind, ...drawnAs[kind](random, limits, place) } as Fault
  }
  return undefined
}

/** Draws a run's rates: some kinds often, some rarely, most never. */
export function drawRates(random: Random): FaultRates {
  const rates: FaultRates = {}
  if (random.chance(0.12)) return rates
  const share = random.pick([0.15, 0.3, 0.6])
  for (const kind of new Set<FaultKind>(Object.values(possibleFaults).flat())) {
    if (random.chance(share)) rates[kind] = 0.004 * 40 ** random.next()
  }
  return rates
}
