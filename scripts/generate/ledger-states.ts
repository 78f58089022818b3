import { type PaymentEvent, transitions } from '../../src/relay/ledger/transitions.ts'

/** Explains each event in the words of STORAGE.md. */
const eventWords: Readonly<Record<PaymentEvent, string>> = {
  accepted: 'request, screen and the bytes that carry it are recorded in one step',
  enqueued: 'no nonce is free: only the request is recorded, the screen says `Tx: queued`',
  adopted: 'the ledger lost its rows and finds the intent spent on the chain',
  attached: 'the alarm signs for a free nonce, and records the bytes',
  settled: 'another transaction turns out to have spent the intent',
  overdue:
    "a block at confirmation depth is later than the request's deadline and the intent is unspent",
  withheld: 'its recipient is no wallet any more, and no bytes that carry it have left',
  included: "the nonce is in a block that holds the intent's event, its own or an earlier one",
  dropped:
    "its transaction did nothing for it (outer revert, skipped) or was taken back before it left, something foreign holds its nonce, the nonce lies out of the pool's reach, or the row of the nonce is lost",
  executed: "the block is as deep as the chain's confirmations, and the inner call succeeded",
  failed: "the block is as deep as the chain's confirmations, and the inner call failed",
  reorganized:
    'the block left the chain: the same bytes go out again, and the outcome is read again',
  orphaned: 'the block left the chain, and no transaction of the current key carries the payment',
}

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
