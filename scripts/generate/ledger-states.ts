import { eventWords, type PaymentEvent, transitions } from '../../src/relay/ledger/transitions.ts'

const changes = Object.entries(transitions).flatMap(([from, events]) =>
  Object.entries(events).map(([event, to]) => ({ from, to, event: event as PaymentEvent })),
)

/** Writes a payment's states as a diagram, with a line for each event and its state. */
export function writeStates(): string {
  const arrows = Map.groupBy(changes, ({ from, to }) => {
    return `${from === 'none' ? '[*]' : from} --> ${to}`
  })
  const lines = Map.groupBy(changes, ({ event, to }) => {
    return `${event} | \`${to}\` | ${eventWords[event]}`
  })
  const nameOf = (from: string) => (from === 'none' ? '(nothing)' : `\`${from}\``)
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...[...arrows].map(([arrow, all]) => `  ${arrow}: ${all.map(({ event }) => event).join(', ')}`),
    '```',
    '',
    '| from | event | to | when |',
    '|---|---|---|---|',
    ...[...lines].map(([line, all]) => {
      return `| ${all.map(({ from }) => nameOf(from)).join(', ')} | ${line} |`
    }),
  ].join('\n')
}
