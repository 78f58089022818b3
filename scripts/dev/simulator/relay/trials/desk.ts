import type { Address, Hex } from 'viem'
import type {
  Acceptance,
  Claiming,
  Execution,
  LedgerRules,
  Load,
  Order,
  Question,
  Refusing,
  Screen,
  SignedTransaction,
} from '../../../../../src/relay/ledger/port.ts'
import type { Sql } from '../../../../../src/relay/ledger/stores/sql.ts'
import type { SqlLedger } from '../../../../../src/relay/ledger/stores/sqlite.ts'

export type DeskOptions = {
  storage: Sql
  rules: LedgerRules
  ledger: SqlLedger
  /** Lets so much time pass for the ledger. */
  pass: (ms: number) => void
  /** Drops what the ledger remembers beside its rows. */
  forget: () => void
}

/** A ledger in which nothing is open, and what is asked of it by name. */
export type Desk = DeskOptions & {
  /** Whether an answer is the one that the ledger promises. */
  expect(what: string, answer: unknown, promised: unknown): void
  /** Claims a session for an account, by default the one of its name. */
  claim(name: string, asking?: Asking): ReturnType<SqlLedger['claim']>
  /** Gives a session up, as its holder. */
  refuse(name: string, refusing?: Refusal): ReturnType<SqlLedger['refuse']>
  /** What is open as a caller of this account sees it. */
  loadOf(by: string): Load | undefined
  /** Records a payment on a nonce; undefined: it waits for one. */
  record(
    name: string,
    nonce: number | undefined,
    recording?: Recording,
  ): ReturnType<SqlLedger['record']>
  /** Claims and records: the nonce that carries it. */
  accept(name: string, asking?: Asking): number
  /** Records a payment that waits. */
  enqueue(name: string, asking?: Asking): void
  /** A block of this number has a payment's transaction. */
  mine(
    name: string,
    nonce: number,
    number: number,
    outcome?: Execution['outcome'],
  ): ReturnType<SqlLedger['mined']>
  /** A block has it, and that is final. */
  finish(name: string, nonce: number, number: number, outcome?: Execution['outcome']): void
  /** Loses the row of a nonce, and its bytes: alone they would never be forgotten. */
  lose(nonce: number): void
  /** Above every nonce that is in use. */
  next(): number
}

export type Asking = Partial<Claiming> & { by?: string }
export type Refusal = Partial<Refusing> & { by?: string }
export type Recording = Partial<Acceptance> & { by?: string } & Pick<Order, 'reserves' | 'sms'>

const lifetimeSeconds = 7_200

const digitsOf = (words: string): string => Buffer.from(words).toString('hex')

/** An address, and a hash, of a name of its own. */
export const accountOf = (name: string): Address => `0x${digitsOf(name).padEnd(40, '0')}`
export const hashOf = (name: string): Hex => `0x${digitsOf(name).padEnd(64, '0')}`

export const blockOf = (number: number) => ({ number, hash: hashOf(`block ${number}`) })

export const questionOf = (name: string, by = name): Question => ({
  ...{ session: name, input: name, account: accountOf(by) },
})

export const screenOf = (name: string): Screen => ({ kind: 'end', lines: [name] })

export const bytesOf = (name: string, gasPriceWei = 1n): SignedTransaction => ({
  ...{ hash: hashOf(name), raw: hashOf(name), gasPriceWei },
})

export const executionOf = (
  name: string,
  number: number,
  outcome: Execution['outcome'] = 'executed',
): Execution => ({
  ...{ outcome, reason: outcome === 'failed' ? 'paused' : '', hash: hashOf(name) },
  block: blockOf(number),
})

/** What a caller of a name signs at a time of the ledger. */
export function orderOf(
  name: string,
  nowMs: number,
  { by = name, reserves, sms }: Recording = {},
): Order {
  const deadline = Math.floor(nowMs / 1_000) + lifetimeSeconds
  const [from, to] = [accountOf(by), accountOf('recipient')]
  const request = {
    from,
    to,
    intentId: hashOf(name),
    gas: 1,
    deadline,
    data: '0x',
    signature: '0x',
  }
  return { request: request as Order['request'], kind: 'transfer', spendsWei: 0n, reserves, sms }
}

const wordsOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)) ?? 'nothing'

/** The nonce that a claim got; undefined where it waits for one, or was turned away. */
export const nonceOf = (claimed: ReturnType<SqlLedger['claim']>): number | undefined =>
  claimed.kind === 'claimed' ? claimed.slot?.nonce : undefined

/** The kind of an answer, or how long its list is. */
export const kindOf = (answer: unknown): string | number | undefined =>
  Array.isArray(answer) ? answer.length : (answer as { kind?: string } | undefined)?.kind

export function createDesk(options: DeskOptions, found: (words: string) => void): Desk {
  const { ledger, storage, forget } = options
  const next = () => ledger.work().nextNonce
  const claim: Desk['claim'] = (name, { by, ...asking } = {}) => {
    const nonce = next()
    return ledger.claim({
      ...{ ...questionOf(name, by), steps: 1, token: name, seen: undefined },
      ...{ chainNonce: nonce, poolNonce: nonce, ...asking },
    })
  }
  const record: Desk['record'] = (name, nonce, { by, reserves, sms, ...recording } = {}) => {
    const order = orderOf(name, ledger.work().now, { by: by ?? name, reserves, sms })
    const transaction = nonce === undefined ? undefined : { ...bytesOf(name), nonce }
    const told = { session: name, token: name, seen: undefined, screen: screenOf(name) }
    return ledger.record({ ...told, order, transaction, ...recording })
  }
  const mine: Desk['mine'] = (name, nonce, number, outcome) => {
    const execution = executionOf(name, number, outcome)
    return ledger.mined({
      nonce,
      session: name,
      hash: hashOf(name),
      block: execution.block,
      execution,
    })
  }
  return {
    ...{ ...options, next, claim, record, mine },
    expect(what, answer, promised) {
      const [is, ought] = [wordsOf(answer), wordsOf(promised)]
      if (is !== ought) found(`${what} is answered ${is}, not ${ought}`)
    },
    accept(name, asking) {
      const claimed = claim(name, asking)
      const nonce = nonceOf(claimed)
      if (nonce === undefined) found(`${name} gets no nonce: ${claimed.kind}`)
      const { kind } = record(name, nonce, asking?.by === undefined ? {} : { by: asking.by })
      if (kind !== 'recorded') found(`${name} is ${kind}`)
      return nonce ?? next()
    },
    refuse(name, { by, ...refusing } = {}) {
      const told = { steps: 1, screen: screenOf(name), token: name }
      return ledger.refuse({ ...questionOf(name, by), ...told, ...refusing })
    },
    loadOf(by) {
      const view = ledger.lookup(questionOf('a look', by))
      return view.kind === 'undecided' ? view.load : undefined
    },
    lose(nonce) {
      const named = storage.exec<{ row: string }>('SELECT row FROM nonces WHERE nonce = ?', nonce)
      const { bytes } = JSON.parse(named[0]?.row ?? '{"bytes":[]}') as { bytes: [Hex, string][] }
      for (const [hash] of bytes) storage.exec('DELETE FROM transactions WHERE hash = ?', hash)
      storage.exec('DELETE FROM nonces WHERE nonce = ?', nonce)
      forget()
    },
    enqueue(name, asking) {
      claim(name, asking)
      const { kind } = record(name, undefined, asking?.by === undefined ? {} : { by: asking.by })
      if (kind !== 'recorded') found(`${name} is ${kind}`)
    },
    finish(name, nonce, number, outcome) {
      mine(name, nonce, number, outcome)
      const moved = ledger.confirm(name, blockOf(number).hash)
      if (moved.length !== 1) found(`the outcome of ${name} is confirmed ${moved.length} times`)
    },
  }
}
