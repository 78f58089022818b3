import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { priceOnRootstock, type Step } from '../../../scripts/contracts/gas/reprice.ts'

const contract: Address = '0x00000000000000000000000000000000000000c0'
const other: Address = '0x00000000000000000000000000000000000000d0'
const known = { balance: '0x0', nonce: 1, code: '0x00' }

/** Operations with their arguments, the first argument on top of the stack. */
function steps(...each: [op: string, depth: number, ...args: number[]][]): Step[] {
  return each.map(([op, depth, ...args]) => ({
    ...{ op, depth, stack: args.reverse().map((value) => `0x${value.toString(16)}`) },
  }))
}

function slot(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function price(list: Step[], storage: Record<string, string> = {}, more = {}) {
  const before = { [contract]: { ...known, storage }, ...more }
  return priceOnRootstock({ to: contract, data: '0x', steps: list, before })
}

test('a failed call takes its writes and refunds with it, and not its gas', () => {
  const inner = { [other]: { ...known, storage: { [slot(1)]: slot(5) } } }
  const call = (end: string, success: number) =>
    steps(
      ['CALL', 1, 100_000, 0xd0, 0, 0, 0, 0, 0],
      ['SSTORE', 2, 1, 0],
      [end, 2, 0, 0],
      ['POP', 1, success],
      ['CALL', 1, 100_000, 0xd0, 0, 0, 0, 0, 0],
      ['SSTORE', 2, 1, 6],
      ['RETURN', 2, 0, 0],
      ['POP', 1, 1],
      ['STOP', 1],
    )
  const calls = 21_000 + 700 + 5_000 + 2 + 700 + 2
  expect(price(call('REVERT', 0), {}, inner).gasUsed).toBe(calls + 5_000)
  expect(price(call('RETURN', 1), {}, inner).gasUsed).toBe(calls + 20_000 - 15_000)
})

test('what it has no price of is told and not guessed', () => {
  expect(() => price(steps(['CREATE', 1, 0, 0, 0], ['STOP', 1]))).toThrow('CREATE')
  expect(() => price(steps(['ADD', 1, 1, 1]))).toThrow('ends with ADD')
  const broken = steps(
    ['CALL', 1, 9, 0xd0, 0, 0, 0, 0, 0],
    ['ADD', 2, 1, 1],
    ['POP', 1, 0],
    ['STOP', 1],
  )
  expect(() => price(broken)).toThrow('ends with ADD')
})
