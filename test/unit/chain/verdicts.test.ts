import { describe, expect, test } from 'vitest'
import {
  chooseVerdict,
  listVerdicts,
  type SendVerdict,
  waitForVerdict,
} from '../../../src/chain/refusals.ts'

import { RpcError, TransportError } from '../../../src/chain/rpc.ts'
import { listPermutations } from '../../support/sample.ts'

/** Holds each verdict in a node's words, in the order in which they decide; silence has none. */
const words: Readonly<Record<SendVerdict, string>> = {
  taken: '',
  nonce_occupied: 'gas price not enough to bump transaction',
  price_too_low: "transaction's gas price lower than block's minimum",
  unknown: '',
  nonce_used: 'transaction nonce too low',
  nonce_too_high: 'transaction nonce too high',
  insufficient_funds: 'insufficient funds',
  quota: 'account exceeds quota',
  price_too_high: 'gas price exceeds cap',
  other: 'this node is in a bad mood',
}
const verdicts = Object.keys(words) as SendVerdict[]

const subsets = Array.from({ length: 2 ** verdicts.length }, (_, set) =>
  verdicts.filter((_, place) => (set >> place) % 2 === 1),
)

const toAnswer = (verdict: SendVerdict) => ({ verdict, message: words[verdict] })

/** Sends to nodes that answer one after the other in this order of places. */
async function decide(verdicts: readonly SendVerdict[], order: readonly number[]) {
  const answers = verdicts.map(() => Promise.withResolvers<void>())
  let isOver = () => {}
  const sleep = () => new Promise<void>((resolve) => (isOver = resolve))
  const sent = waitForVerdict(
    answers.map(({ promise }) => promise),
    sleep,
  )
  const outcome = sent.then(() => 'taken' as const, listVerdicts)
  for (const place of order) {
    const verdict = verdicts[place] ?? 'other'
    if (verdict === 'taken') answers[place]?.resolve()
    if (verdict !== 'unknown') answers[place]?.reject(new RpcError(-32010, words[verdict]))
    await Promise.resolve()
  }
  await new Promise<void>((resolve) => setImmediate(resolve))
  isOver()
  if (verdicts.every((verdict) => verdict === 'unknown'))
    for (const { reject } of answers) reject(new TransportError('the node does not answer'))
  const answer = await outcome
  return answer === 'taken' ? answer : chooseVerdict(answer)?.verdict
}

describe("several nodes' verdicts on a transaction", () => {
  test('decide alike in each order, for each set of them', () => {
    for (const set of subsets.filter(({ length }) => length > 0 && length <= 5)) {
      const decided = new Set(
        listPermutations(set).map((order) => chooseVerdict(order.map(toAnswer))?.verdict),
      )
      expect([...decided], set.join(', ')).toEqual(set.slice(0, 1))
    }
    for (const set of subsets.filter(({ length }) => length > 5)) {
      const [forth, back] = [set, set.toReversed()].map((one) => chooseVerdict(one.map(toAnswer)))
      expect(forth, set.join(', ')).toEqual(back)
    }
  })

  test('are waited for in each order, and silent nodes only for a time', async () => {
    for (const set of subsets.filter(({ length }) => length > 0 && length <= 3)) {
      const outcomes = new Set<SendVerdict | undefined>()
      for (const nodes of listPermutations(set)) {
        for (const order of listPermutations([...nodes.keys()])) {
          outcomes.add(await decide(nodes, order))
        }
      }
      const expected = chooseVerdict(set.map(toAnswer))?.verdict
      expect([...outcomes], set.join(', ')).toEqual([expected])
    }
  })
})
