import type { Log } from '../../../src/runtime/log.ts'
import type { PoolRefusal } from '../rootstock-pool/refusals.ts'
import type { Records } from './history.ts'
import type { ModelTransaction } from './model/signing.ts'
import { nameOf, type Story } from './story.ts'

export function newRecords(): Records {
  return {
    statements: [],
    arrivals: [],
    reorganizations: [],
    phaseStarts: [],
    quietFrom: [],
    followed: [],
    payments: [],
    losses: [],
    foreign: new Set(),
    noticed: [],
    reorganizationsTold: 0,
    displacedTold: 0,
    givenUp: [],
    asked: [],
    texted: [],
  }
}

/** Writes down what happens and tells it. */
export type Recorder = {
  /** What the relay logs. */
  log: Log
  /** A transaction came to the pool, which refused it or had `held` in its place. */
  arrived: (
    transaction: ModelTransaction,
    refusal: PoolRefusal | undefined,
    held: ModelTransaction | undefined,
  ) => void
  /** A step of the ledger failed of itself. */
  threw: (method: string, error: unknown) => void
  /** A message reached the provider. */
  texted: (to: string, text: string) => void
}

export function createRecorder(records: Records, story: Story, now: () => number): Recorder {
  return {
    log(event) {
      const { intent, to, hash, nonce } = event
      if (event.event.startsWith('payment.')) {
        records.statements.push({
          at: now(),
          intentId: `${intent}`,
          to: `${to}`,
          hash: hash === undefined ? undefined : `${hash}`,
        })
      }
      if (event.event === 'chain.reorganized') records.reorganizationsTold += 1
      if (event.event === 'nonce.foreign') records.displacedTold += 1
      if (event.event === 'nonce.ahead') records.givenUp.push({ at: now(), nonce: Number(nonce) })
      story.log(event)
    },
    arrived(transaction, refusal, held) {
      const { arrivals, foreign } = records
      const isOwn = held !== undefined && held.hash !== transaction.hash && !foreign.has(held.hash)
      const over = isOwn ? held : undefined
      if (!foreign.has(transaction.hash)) arrivals.push({ at: now(), transaction, refusal, over })
      story.tell(() => `The pool is sent ${nameOf(transaction)}: ${refusal ?? 'taken'}.`)
    },
    texted(to, text) {
      records.texted.push({ at: now(), to, text })
      story.tell(() => `A message goes out: ${text.replaceAll('\n', ' / ')}`)
    },
    threw(method, error) {
      const words = `the ledger's ${method} throws: ${error}`
      // A second payment of one intent is refused by a throw.
      if (!/recorded already/.test(words)) records.noticed.push(['uncaught', words])
    },
  }
}
