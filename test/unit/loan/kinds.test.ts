import { expect, expectTypeOf, test } from 'vitest'
import { type KindRules, kindNames, loanCalls, paymentKinds } from '../../../src/loan/kinds.ts'

test('a kind of payment does not compile before it has said all that rules ask of it', () => {
  type Said<Left extends keyof KindRules> = Omit<(typeof paymentKinds)['transfer'], Left>
  expectTypeOf<(typeof paymentKinds)['transfer']>().toExtend<KindRules>()
  // Whether it counts toward the day's limit, and by which call it moves what: that names what it takes of what all share.
  expectTypeOf<Said<'isSent'>>().not.toExtend<KindRules>()
  expectTypeOf<Said<'call'>>().not.toExtend<KindRules>()
  const names = kindNames.map((kind) => paymentKinds[kind].name)
  expect(new Set(names).size).toBe(names.length)
  const calls = Object.values(loanCalls)
  expect(new Set(calls.map(({ moves }) => moves)).size).toBe(calls.length)
})
