import type { LogEvent } from '../../../src/runtime/log.ts'
import type { Fault } from './faults.ts'
import type { ModelBlock } from './model/chain.ts'
import type { ModelTransaction } from './model/signing.ts'

/** A run told in sentences with times. */
export type Story = {
  tell(sentence: () => string): void
  fault(who: string, what: string, fault: Fault): void
  log(event: LogEvent): void
  lines(): readonly string[]
}

/** For runs that nobody reads. */
export const silentStory: Story = {
  tell: () => {},
  fault: () => {},
  log: () => {},
  lines: () => [],
}

/** The same sentence is not told more often than that. */
const toldAtMost = 3

/** Times are counted from `start`. */
export function createStory(now: () => number, start: number): Story {
  const lines: string[] = []
  const times = new Map<string, number>()
  const tell = (sentence: () => string) => {
    const words = sentence()
    const time = (times.get(words) ?? 0) + 1
    times.set(words, time)
    if (time <= toldAtMost) lines.push(`${timeOf(now() - start)}  ${words}`)
  }
  return {
    tell,
    fault: (who, what, fault) => tell(() => `${who}, at ${what}: ${faultWords(fault)}`),
    log: ({ event, message, intent, nonce }) =>
      tell(() => {
        const of = intent === undefined ? nonce : short(`${intent}`)
        return `The relay logs ${event}${of === undefined ? '' : ` (${of})`}: ${message}`
      }),
    lines() {
      const untold = [...times.values()].reduce((sum, n) => sum + Math.max(0, n - toldAtMost), 0)
      return untold === 0 ? lines : [...lines, `and ${untold} times more what was told before.`]
    },
  }
}

/** RelayForwarder's `Status`, by its number. */
const statusWords = [
  'executed',
  'failed',
  'expired',
  'deadline too far',
  'bad signature',
  'already spent',
  'disallowed target',
  'skipped',
  'out of bounds',
]

/** Enough of a hash to know it again. */
export const short = (hash: string): string => hash.slice(0, 10)

/** A transaction by its nonce, price and what it carries. */
export function nameOf({ nonce, hash, gasPriceWei, requests }: ModelTransaction): string {
  const carried = requests.map(({ intentId }) => short(intentId)).join(', ')
  const price = (Number(gasPriceWei) / 1e9).toFixed(3)
  return `${short(hash)} (nonce ${nonce}, ${price} gwei, ${carried === '' ? 'carrying nothing' : `carrying ${carried}`})`
}

/** A block and what is in it. */
export function blockWords({ number, transactions }: ModelBlock): string {
  if (transactions.length === 0) return `${number}: empty`
  const held = transactions.map(({ transaction, succeeded, processed }) => {
    const results = processed.map(({ status }) => statusWords[status] ?? `status ${status}`)
    return `${nameOf(transaction)} ${succeeded ? results.join(', ') : 'reverted as a whole'}`
  })
  return `${number}: ${held.join('; ')}`
}

/** `1d 02:03:04.567`, without days where there are none. */
function timeOf(ms: number): string {
  const two = (value: number) => `${value}`.padStart(2, '0')
  const days = Math.floor(ms / 86_400_000)
  const seconds = Math.floor(ms / 1000)
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
  const millis = `${Math.floor(ms % 1000)}`.padStart(3, '0')
  return `${days > 0 ? `${days}d ` : ''}${clock.map(two).join(':')}.${millis}`
}

function faultWords(fault: Fault): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const noticed = (hangs: boolean) => (hangs ? 'nobody hears of it for long' : 'the line breaks')
  switch (fault.kind) {
    case 'request_lost':
      return `the question never arrives; ${noticed(fault.hangs)}`
    case 'reply_lost':
      return `it is done, but the answer is lost; ${noticed(fault.hangs)}`
    case 'request_late':
      return `the question is on its way for ${seconds(fault.byMs)}`
    case 'reply_late':
      return `the answer is on its way for ${seconds(fault.byMs)}`
    case 'error_before':
      return 'the node answers with an error of its own'
    case 'error_after':
      return 'the node does it and answers with an error of its own'
    case 'garbled':
      return 'it is done, but the answer is garbled'
    case 'replica_behind':
      return `a replica answers that is ${seconds(fault.byMs)} behind`
    case 'quota':
      return "the account's gas quota is used up"
    case 'dies_before':
      return `dies before it asks (${fault.scope})`
    case 'dies_after':
      return `dies before it reads the answer (${fault.scope})`
    case 'stalls':
      return `stalls for ${seconds(fault.forMs)}`
    case 'object_dies_before':
      return `the ledger's object dies before that, for ${seconds(fault.downMs)}`
    case 'object_dies_after':
      return `the ledger's object dies after that, for ${seconds(fault.downMs)}`
    case 'rings_twice':
      return `the alarm rings again after ${seconds(fault.afterMs)}`
  }
}
