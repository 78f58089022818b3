import type { Random } from '../random.ts'

/** What goes wrong at one place of a run where a program waits for something. */
export type Fault =
  /** It never arrives. The caller learns so at once, or when its patience ends. */
  | { kind: 'request_lost'; hangs: boolean }
  /** It arrives and is done, and the caller does not learn so. */
  | { kind: 'reply_lost'; hangs: boolean }
  /** It arrives and is done long after the caller has given up. */
  | { kind: 'request_late'; byMs: number }
  | { kind: 'reply_late'; byMs: number }
  /** An error of the node's own, without or with the effect. */
  | { kind: 'error_before' }
  | { kind: 'error_after' }
  /** It is done, and the answer is cut off. */
  | { kind: 'garbled' }
  /** A replica answers that has seen nothing new for some time. */
  | { kind: 'replica_behind'; byMs: number }
  /** The account's gas quota is used up for the moment. */
  | { kind: 'quota' }
  /** The request is cancelled, or the whole Worker dies; for an alarm's round the object does. */
  | { kind: 'dies_before'; scope: 'request' | 'process' }
  | { kind: 'dies_after'; scope: 'request' | 'process' }
  /** The program is not run for some time, whatever it waits for. */
  | { kind: 'stalls'; forMs: number }
  | { kind: 'object_dies_before'; downMs: number }
  | { kind: 'object_dies_after'; downMs: number }
  /** The alarm rings a second time while it rings. */
  | { kind: 'rings_twice'; afterMs: number }

export type FaultKind = Fault['kind']

/**
 * Where a program waits: for a node's answer, its taking bytes, the ledger, an account's memory, a provider of
 * messages, itself, or an alarm.
 */
export type Place = 'read' | 'send' | 'ledger' | 'memory' | 'sms' | 'step' | 'tending' | 'ring'

/** How likely each fault is at each place where it may occur. */
export type FaultRates = Partial<Record<FaultKind, number>>

/** A fault by the name of the place and time where it happens. */
export type Faults = {
  at(key: string, place: Place, random: Random): Fault | undefined
  /** All that happened, by their keys. */
  happened: ReadonlyMap<string, Fault>
}

/** What limits the faults that are drawn; `maxBehindMs`: the furthest that a replica falls behind. */
type FaultLimits = { rates: FaultRates; maxBehindMs: number }

const dies = ['dies_before', 'dies_after'] as const
const objectDies = ['object_dies_before', 'object_dies_after'] as const
const line = ['request_lost', 'reply_lost', 'request_late', 'reply_late'] as const
const badAnswer = ['garbled', 'replica_behind'] as const

export const possibleFaults: Readonly<Record<Place, readonly FaultKind[]>> = {
  read: ['request_lost', 'reply_late', 'error_before', ...badAnswer, ...dies, 'stalls'],
  send: [...line, 'error_before', 'error_after', ...badAnswer, 'quota', ...dies, 'stalls'],
  ledger: [...line, ...objectDies, ...dies, 'stalls'],
  memory: [...line, ...dies, 'stalls'],
  sms: ['request_lost', 'reply_lost', 'reply_late', ...dies],
  step: ['dies_before', 'stalls'],
  tending: dies,
  ring: ['rings_twice'],
}

/** A round has many steps of its own: with every rate in full hardly one would be finished. */
const tendingShare = 0.15

/** Makes faults as the seed draws them while `isOn` says so. */
export function createFaults(limits: FaultLimits, isOn: () => boolean): Faults {
  const happened = new Map<string, Fault>()
  return {
    happened,
    at(key, place, random) {
      const fault = draw(limits, place, random, isOn)
      if (fault !== undefined) happened.set(key, fault)
      return fault
    },
  }
}

function draw(
  limits: FaultLimits,
  place: Place,
  random: Random,
  isOn: () => boolean,
): Fault | undefined {
  let left = random.next()
  if (!isOn()) return undefined
  for (const kind of possibleFaults[place]) {
    left -= (limits.rates[kind] ?? 0) * (place === 'tending' ? tendingShare : 1)
    if (left < 0) return drawn(kind, place, limits, random)
  }
  return undefined
}

/** Rates of a run: some kinds often, some rarely, most never, so that each gets runs of its own. */
export function drawRates(random: Random): FaultRates {
  const rates: FaultRates = {}
  if (random.chance(0.12)) return rates
  const kinds = [...new Set(Object.values(possibleFaults).flat())]
  const share = random.pick([0.15, 0.3, 0.6])
  for (const kind of kinds) {
    if (!random.chance(share)) continue
    rates[kind] = 0.004 * 40 ** random.next()
  }
  return rates
}

function drawn(kind: FaultKind, place: Place, limits: FaultLimits, random: Random): Fault {
  switch (kind) {
    case 'request_lost':
    case 'reply_lost':
      return { kind, hangs: random.chance(0.5) }
    case 'request_late':
      // Far beyond every patience, and past leases and rounds.
      return { kind, byMs: random.int(300, place === 'send' ? 150_000 : 30_000) }
    case 'reply_late':
      return { kind, byMs: random.int(300, 15_000) }
    case 'replica_behind':
      return { kind, byMs: random.int(1_000, limits.maxBehindMs) }
    case 'dies_before':
    case 'dies_after':
      return { kind, scope: random.pick(['request', 'process'] as const) }
    case 'stalls':
      return { kind, forMs: random.int(500, 25_000) }
    case 'object_dies_before':
    case 'object_dies_after':
      return { kind, downMs: random.pick([10, 40, 300, 5_000]) }
    case 'rings_twice':
      return { kind, afterMs: random.int(0, 2_000) }
    case 'error_before':
    case 'error_after':
    case 'garbled':
    case 'quota':
      return { kind }
  }
}
