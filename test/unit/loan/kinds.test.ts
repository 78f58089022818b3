import { expect, expectTypeOf, test } from 'vitest'
import {
  type KindRules,
  kindNames,
  type OfKind,
  type PaymentKind,
  paymentKinds,
} from '../../../src/loan/kinds.ts'

test('a kind of payment does not compile before it has said all that rules ask of it', () => {
  type Said<Left extends keyof KindRules> = Omit<(typeof paymentKinds)['transfer'], Left>
  expectTypeOf<(typeof paymentKinds)['transfer']>().toExtend<KindRules>()
  // Whether it counts toward the day's limit, what it moves, and what it takes of what all share.
  expectTypeOf<Said<'isSent'>>().not.toExtend<KindRules>()
  expectTypeOf<Said<'moves'>>().not.toExtend<KindRules>()
  expectTypeOf<Said<'takes'>>().not.toExtend<KindRules>()
  // And what is made of payments is made of all kinds.
  type Unnamed = Record<Exclude<PaymentKind, 'loan'>, object>
  // @ts-expect-error A kind that is forgotten.
  expectTypeOf<OfKind<Unnamed>>().not.toBeNever()
  const names = kindNames.map((kind) => paymentKinds[kind].name)
  expect(names).toEqual(['Transfer', 'Loan', 'Repayment', 'Cash-out'])
  expect(new Set(kindNames.map((kind) => paymentKinds[kind].moves)).size).toBe(names.length)
})
