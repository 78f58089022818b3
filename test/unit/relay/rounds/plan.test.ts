import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import type { Action } from '../../../../src/relay/rounds/execute.ts'
import { seed, times } from '../../../support/sample.ts'
import { decide, type Snapshots, type Stage, snapshots, stages, terms } from './snapshots.ts'

const depth = { seed, numRuns: times({ sampled: 2_000, full: 100_000 }) }

const stageNames = Object.keys(stages) as Stage[]

type Fill = Extract<Action, { kind: 'carry' }>
const fillsOf = (given: Snapshots): Fill[] =>
  decide('carry', given).filter((action) => action.kind === 'carry')

/** Nonces in the pool's reach that nothing of ours, nothing refused and nothing unknown holds. */
function freeNonces({ work, facts, answers }: Snapshots): number[] {
  const isHeld = (nonce: number) =>
    facts.refused.has(nonce) || work.nonces.some((open) => open.nonce === nonce)
  const pool = answers.pendingNonce ?? Number.POSITIVE_INFINITY
  const inReach = Array.from({ length: terms.rules.maxInFlight }, (_, at) => facts.chainNonce + at)
  return inReach.filter((nonce) => nonce >= pool && !isHeld(nonce))
}

/** Payments that are known to be good for a nonce, behind none of their account that may not be. */
function carriable({ work, facts, answers }: Snapshots): Payment[] {
  const inTime = work.waiting.filter(
    ({ order }) => order.request.deadline > facts.head.timestampSeconds,
  )
  const fateOf = ({ session, attempts }: Payment) => {
    const kind = answers.spendings?.get(session)?.kind ?? 'unknown'
    return kind === 'unknown' && attempts === 0 ? 'unspent' : kind
  }
  return inTime.filter((payment) => {
    const isDelayed = inTime.some(
      (other) => isBefore(other, payment) && fateOf(other) === 'unknown',
    )
    return fateOf(payment) === 'unspent' && !isDelayed
  })
}

/** Tells whether a payment is one of the same account, accepted before. */
const isBefore = (other: Payment, { order, acceptedAt }: Payment): boolean =>
  other.order.request.from === order.request.from && other.acceptedAt < acceptedAt

/** Prepares the same with a payment carried in vain, whose execution the node does not tell. */
function doubting({ work, facts, answers }: Snapshots, session: string): Snapshots {
  const queued = work.waiting.map((payment) =>
    payment.session === session ? { ...payment, attempts: payment.attempts || 1 } : payment,
  )
  const spendings = new Map(answers.spendings).set(session, undefined)
  return {
    work: { ...work, waiting: queued },
    facts: { ...facts, spendings },
    answers: { ...answers, spendings },
  }
}

/** Returns the snapshots after `settle`, where a payment without its nonce's row is not carried. */
function repaired({ work, ...others }: Snapshots): Snapshots {
  const carried = work.carried.filter(({ nonce }) =>
    work.nonces.some((open) => open.nonce === nonce),
  )
  return { work: { ...work, carried }, ...others }
}

/** Tells whether all older payments of the account have lower nonces. */
function fits({ work }: Snapshots, payment: Payment, nonce: number): boolean {
  const { from } = payment.order.request
  return work.carried.every(
    (other) =>
      other.order.request.from !== from ||
      (other.nonce ?? 0) <= nonce ||
      other.acceptedAt > payment.acceptedAt,
  )
}

/** Counts the account's payments before this one. */
function beforeOf({ work, facts }: Snapshots, { session, order, acceptedAt }: Payment): number {
  const isOwn = (other: Payment) => other.order.request.from === order.request.from
  const earlier = work.waiting.filter(
    (other) =>
      other.session !== session &&
      other.acceptedAt < acceptedAt &&
      other.order.request.deadline > facts.head.timestampSeconds,
  )
  return [...work.carried, ...earlier].filter(isOwn).length
}

const topOf = ({ work }: Snapshots) => Math.max(-1, ...work.nonces.map(({ nonce }) => nonce))

const canSign = ({ answers }: Snapshots) =>
  answers.pendingNonce !== undefined && answers.gasPriceWei !== undefined

/**
 * Each free nonce and what comes there: the next payments that may. Nothing does where none may and
 * the nonce is a gap below a recorded one; above that, what waits for a nonce leaves the rest free.
 */
function wanted(given: Snapshots): [nonce: number, sessions: readonly string[]][] {
  let waiting = carriable(given).sort(
    (a, b) => beforeOf(given, a) - beforeOf(given, b) || a.acceptedAt - b.acceptedAt,
  )
  const fills: [number, readonly string[]][] = []
  for (const nonce of freeNonces(given)) {
    const next = waiting
      .filter((payment) => fits(given, payment, nonce))
      .slice(0, terms.rules.maxInBatch)
    if (next.length === 0 && nonce >= topOf(given)) break
    fills.push([nonce, next.map(({ session }) => session)])
    waiting = waiting.filter((payment) => !next.includes(payment))
  }
  return fills
}

/** Draws a nonce and a payment about which answers are to be missing. */
const withTrouble = (given: Snapshots) =>
  fc.record({
    given: fc.constant(given),
    nonce: fc.constantFrom(...(given.answers.mined?.keys() ?? []), 0),
    session: fc.constantFrom(...(given.answers.spendings?.keys() ?? []), 'session 0'),
  })

const always = <Given>(drawn: fc.Arbitrary<Given>, check: (given: Given) => void) =>
  fc.assert(fc.property(drawn, check), depth)

describe('a plan', () => {
  test("gives accounts nonces in turn, oldest payments first, up to a transaction's limit", () =>
    always(snapshots, (given) => {
      const fills = fillsOf(given).map((one) => [one.nonce, one.sessions])
      expect(fills).toEqual(canSign(given) ? wanted(given) : [])
    }))

  test("delays no payment because of another account's trouble, or of a later one's", () => {
    const signing = snapshots.filter(canSign).map(repaired)
    always(signing.chain(withTrouble), ({ given, session }) => {
      const after = doubting(given, session)
      const [fills, fillsAfter] = [fillsOf(given), fillsOf(after)]
      for (const fill of fills) {
        const isGap = fill.nonce < topOf(given)
        if (isGap && !fillsAfter.some(({ nonce }) => nonce === fill.nonce)) {
          throw new Error(`nonce ${fill.nonce} is not filled any more`)
        }
        const queued = given.work.waiting.find((one) => one.session === session)
        const isBehind = (other: string) =>
          given.work.waiting.some(
            (one) => one.session === other && queued !== undefined && isBefore(queued, one),
          )
        for (const other of fill.sessions.filter((one) => one !== session && !isBehind(one))) {
          const now = fillsAfter.find((one) => one.sessions.includes(other))
          if (now === undefined || now.nonce > fill.nonce) {
            throw new Error(`${other} loses nonce ${fill.nonce} by the trouble of ${session}`)
          }
        }
      }
    })
  })

  test('settles everything else if the answers for one nonce or payment are missing', () =>
    always(snapshots.chain(withTrouble), ({ given, nonce, session }) => {
      const mined = new Map(given.answers.mined).set(nonce, undefined)
      const spendings = new Map(given.answers.spendings).set(session, undefined)
      const after = { ...given, answers: { ...given.answers, mined, spendings } }
      const carrier = given.work.nonces.find(({ sessions }) => sessions.includes(session))
      const own = new Set<unknown>([nonce, session, `session ${nonce}`, carrier?.nonce])
      const others = (actions: readonly Action[]) =>
        actions.filter((action) => causesOf(action).every((cause) => !own.has(cause)))
      const [was, is] = [given, after].map((one) => textOf(others(decide('settle', one))))
      if (was !== is) throw new Error(`${was}\nbecomes\n${is}`)
    }))

  test('never acts twice for one cause', () =>
    always(snapshots, (given) => {
      for (const stage of stageNames) {
        const causes = decide(stage, given).flatMap(causesOf)
        const twice = causes.find((cause, index) => causes.indexOf(cause) !== index)
        if (twice !== undefined) throw new Error(`${stage} does two things for ${twice}`)
      }
    }))
})

/** Nonces, sessions and blocks that an action is about. */
function causesOf(action: Action): (number | string)[] {
  if (action.kind === 'carry') return [action.nonce, ...action.sessions]
  if (action.kind !== 'record') {
    if (action.kind === 'confirm') return [...action.sessions]
    return 'nonce' in action ? [action.nonce] : [action.kind]
  }
  if (action.method !== 'recordMined') return [action.args[0] as number | string]
  const [{ nonce, executions }] = action.args
  return [nonce, ...Object.keys(executions)]
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))
