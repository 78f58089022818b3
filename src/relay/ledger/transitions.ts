/** Maps each state's events to the next state. An event that a state lacks changes nothing. */
export const transitions = {
  none: { accepted: 'signed', enqueued: 'queued', adopted: 'mined' },
  queued: { attached: 'signed', settled: 'mined', overdue: 'expired', withheld: 'expired' },
  signed: { included: 'mined', dropped: 'queued', overdue: 'expired' },
  mined: {
    executed: 'confirmed',
    failed: 'reverted',
    reorganized: 'signed',
    orphaned: 'queued',
  },
  confirmed: { reorganized: 'signed', orphaned: 'queued' },
  reverted: { reorganized: 'signed', orphaned: 'queued' },
  expired: {},
} as const satisfies Record<string, Readonly<Record<string, string>>>

export type PaymentState = Exclude<keyof typeof transitions, 'none'>

type Events<State> = State extends keyof typeof transitions
  ? keyof (typeof transitions)[State]
  : never

export type PaymentEvent = Events<keyof typeof transitions>

/** Lists the phases in which a deadline can end a payment. A `stuck` one only waits for that. */
export const phasesWithoutOutcome = ['waiting', 'stuck', 'carried'] as const

export const openPhases = [...phasesWithoutOutcome, 'mined'] as const
export const phaseNames = [...openPhases, 'settled'] as const

export type Phase = (typeof phaseNames)[number]
type OpenPhase = (typeof openPhases)[number]

export const mapOpenPhases = <Value>(
  value: (phase: OpenPhase) => Value,
): Record<OpenPhase, Value> =>
  Object.fromEntries(openPhases.map((phase) => [phase, value(phase)])) as Record<OpenPhase, Value>

export const phases = {
  queued: 'waiting',
  signed: 'carried',
  mined: 'mined',
  confirmed: 'settled',
  reverted: 'settled',
  expired: 'settled',
} as const satisfies Record<PaymentState, Phase>

export const paymentStates = Object.keys(phases) as PaymentState[]

/** Returns the next state; undefined if the event changes nothing. */
export function getNextState(state: PaymentState | 'none', event: PaymentEvent) {
  const events: Partial<Record<PaymentEvent, PaymentState>> = transitions[state]
  return events[event]
}

/** Tells whether the outcome is unknown. Such payments count against their account's limit. */
export const isOutcomeUnknown = (state: PaymentState): boolean =>
  phasesWithoutOutcome.some((phase) => phase === phases[state])
