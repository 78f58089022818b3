import { eventWords, type PaymentEvent, transitions } from '../../src/relay/ledger/transitions.ts'

type Change = { from: string; to: string; event: PaymentEvent }

const changes: readonly Change[] = Object.entries(transitions).flatMap(([from, events]) =>
  Object.entries(events as Partial<Record<PaymentEvent, string>>).map(([event, to]) => ({
    from,
    to,
    event: event as PaymentEvent,
  })),
)

export function writeStates(): string {
  return ['```mermaid', 'stateDiagram-v2', ...diagram(), '```', '', ...table()].join('\n')
}

function diagram(): string[] {
  const arrows = new Map<string, PaymentEvent[]>()
  for (const { from, to, event } of changes) {
    const arrow = `${from === 'none' ? '[*]' : from} --> ${to}`
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), event])
  }
  return [...arrows].map(([arrow, events]) => `  ${arrow}: ${events.join(', ')}`)
}

/** One line a pair of event and state that it leads to, with all states that it leads from. */
function table(): string[] {
  const lines = new Map<string, { from: string[]; to: string; event: PaymentEvent }>()
  for (const { from, to, event } of changes) {
    const line = lines.get(`${event} ${to}`) ?? { from: [], to, event }
    line.from.push(from === 'none' ? '(nothing)' : `\`${from}\``)
    lines.set(`${event} ${to}`, line)
  }
  return [
    '| from | event | to | when |',
    '|---|---|---|---|',
    ...[...lines.values()].map(
      ({ from, to, event }) =>
        `| ${from.join(', ')} | ${event} | \`${to}\` | ${eventWords[event]} |`,
    ),
  ]
}
