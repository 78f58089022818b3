import type { Address } from 'viem'
import { test } from 'vitest'
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

test('data are paid by the byte, 16 or 4 for a zero', ({ expect }) => {
  const trace = { to: contract, steps: [], before: {} }
  expect(priceOnRootstock({ ...trace, data: '0x00ff00' }).gasUsed).toBe(21_000 + 4 + 16 + 4)
})

test('each write of a slot costs again, whatever was written before', ({ expect }) => {
  const writes = steps(
    ['SLOAD', 1, 7],
    ['SSTORE', 1, 7, 1],
    ['SLOAD', 1, 7],
    ['SSTORE', 1, 7, 2],
    ['SSTORE', 1, 7, 2],
    ['STOP', 1],
  )
  expect(price(writes).gasUsed).toBe(21_000 + 200 + 20_000 + 200 + 5_000 + 5_000)
  expect(price(writes, { [slot(7)]: slot(9) }).gasUsed).toBe(21_000 + 400 + 15_000)
})

test('emptying a slot gives 15,000 back, and at most half of the gas', ({ expect }) => {
  const cleared = (count: number) =>
    steps(
      ...Array.from({ length: count }, (_, index): [string, number, number, number] => [
        ...(['SSTORE', 1, index, 0] as const),
      ]),
      ['STOP', 1],
    )
  const full = Object.fromEntries([0, 1, 2, 3].map((index) => [slot(index), slot(1)]))
  expect(price(cleared(1), full).gasUsed).toBe(26_000 - 13_000)
  expect(price(cleared(4), full).gasUsed).toBe(41_000 - 20_500)
  const little = steps(['SSTORE', 1, 0, 0], ['SSTORE', 1, 9, 1], ['STOP', 1])
  expect(price(little, full).gasUsed).toBe(46_000 - 15_000)
})

test('a failed call takes its writes and refunds with it, and not its gas', ({ expect }) => {
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

test('value costs 9,000, an unknown account 25,000, and 2,300 have to be left', ({ expect }) => {
  const pay = (value: number) =>
    steps(
      ['CALL', 1, 300_000, 0xd0, 0, 0, 0, 0, 0],
      ['CALL', 2, 300_000, 0xe0, value, 0, 0, 0, 0],
      ['STOP', 2],
      ['POP', 1, 1],
      ['STOP', 1],
    )
  const paid = price(pay(1), {}, { [other]: known })
  expect(paid.gasUsed).toBe(21_000 + 700 + 34_700 + 2)
  expect(paid.calls).toEqual([{ to: other, leastGas: 34_700 + 2_300 }])
  expect(price(pay(0), {}, { [other]: known }).gasUsed).toBe(21_000 + 700 + 25_700 + 2)
})

test('memory is paid as it grows, once, and quadratically in the end', ({ expect }) => {
  const grown = steps(['MSTORE', 1, 0, 1], ['MLOAD', 1, 1], ['KECCAK256', 1, 0, 40], ['STOP', 1])
  expect(price(grown).gasUsed).toBe(21_000 + 3 + 3 + 3 + 3 + 30 + 12)
  const far = steps(['MSTORE', 1, 32 * 1_023, 1], ['STOP', 1])
  expect(price(far).gasUsed).toBe(21_000 + 3 + 3 * 1_024 + 2_048)
})

test('what it has no price of is told and not guessed', ({ expect }) => {
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
