import type { Hex } from 'viem'
import type { Payment } from '../../../src/relay/ledger/port.ts'
import type { Log } from '../../../src/runtime/log.ts'
import type { PoolRefusal } from '../rootstock-pool/refusals.ts'
import type { Arrival, Asked, GivenUp, Loss, NoticedRule, Statement, Texted } from './history.ts'
import type { ModelTransaction } from './model/signing.ts'
import { nameOf, type Story } from './story.ts'

/** What is written down for the oracle. */
export type Records = {
  statements: Statement[]
  arrivals: Arrival[]
  reorganizations: { at: number; removed: number }[]
  phaseStarts: number[]
  quietFrom: number[]
  /** The highest block that rounds had followed by then. */
  followed: (number | undefined)[]
  payments: ReadonlyMap<string, Payment>[]
  losses: Loss[]
  foreign: Set<Hex>
  noticed: [NoticedRule, string][]
  /** How often the log told of a reorganization. */
  reorganizationsTold: number
  /** How often the relay took what passed a nonce for a transaction of another program. */
  displacedTold: number
  givenUp: GivenUp[]
  asked: Asked[]
  /** Messages that reached the provider. */
  texted: Texted[]
}

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
