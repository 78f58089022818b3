import type { LogEvent } from '../../../src/runtime/log.ts'
import type { Fault } from './faults.ts'
import type { ModelBlock } from './model/chain.ts'
import { Status } from './model/contracts.ts'
import type { ModelTransaction } from './model/signing.ts'

/** Writes a run as sentences with times since `start`, if `isTold`. */
export function createTranscript(now: () => number, start: number, isTold: boolean) {
  const lines: string[] = []
  const tell = (sentence: () => string) => {
    if (isTold) lines.push(`${timeOf(now() - start)}  ${sentence()}`)
  }
  return {
    lines: lines as readonly string[],
    tell,
    fault: (who: string, what: string, fault: Fault) =>
      tell(() => `${who}, at ${what}: ${describeKind(fault)}`),
    log: ({ event, message, intent, nonce }: LogEvent) =>
      tell(() => {
        const of = intent === undefined ? nonce : short(`${intent}`)
        return `The relay logs ${event}${of === undefined ? '' : ` (${of})`}: ${message}`
      }),
  }
}

/** Describes an event by its kind and numbers, such as `replica_behind (byMs 3000)`. */
export function describeKind({ kind, ...more }: { kind: string }): string {
  const details = Object.entries(more).map(([name, value]) => `${name} ${value}`)
  return details.length === 0 ? kind : `${kind} (${details.join(', ')})`
}

const statusWords = Object.keys(Status)

export const short = (hash: string): string => hash.slice(0, 10)

export function nameTransaction({ nonce, hash, gasPriceWei, requests }: ModelTransaction): string {
  const carried = requests.map(({ intentId }) => short(intentId)).join(', ')
  const price = (Number(gasPriceWei) / 1e9).toFixed(3)
  return `${short(hash)} (nonce ${nonce}, ${price} gwei, ${carried === '' ? 'carrying nothing' : `carrying ${carried}`})`
}

export function describeBlock({ number, transactions }: ModelBlock): string {
  if (transactions.length === 0) return `${number}: empty`
  const held = transactions.map(({ transaction, succeeded, processed }) => {
    const results = processed.map(({ status }) => statusWords[status] ?? `status ${status}`)
    return `${nameTransaction(transaction)} ${succeeded ? results.join(', ') : 'reverted as a whole'}`
  })
  return `${number}: ${held.join('; ')}`
}

/** `1d 02:03:04.567`, without days where there are none. */
function timeOf(ms: number): string {
  const days = Math.floor(ms / 86_400_000)
  const clock = new Date(ms).toISOString().slice('1970-01-01T'.length, -1)
  return days > 0 ? `${days}d ${clock}` : clock
}
