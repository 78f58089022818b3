import {
  encodeFunctionData,
  type Hex,
  numberToHex,
  pad,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import { assembleSettled } from '../../../../src/compose/relay.ts'
import { microLoanAbi } from '../../../../src/loan/abi.ts'
import { createCoinUnit, createTokenUnit } from '../../../../src/loan/amounts.ts'
import { relayForwarderAbi } from '../../../../src/relay/forwarder/abi.ts'
import { createTargetCheck } from '../../../../src/relay/forwarder/target.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { openMemoryRelayer } from '../../../ports/ledger-memory.ts'

const loan = `0x${'a1'.repeat(20)}` as const
const token = `0x${'b2'.repeat(20)}` as const
const other = `0x${'c3'.repeat(20)}` as const
const coin = createCoinUnit('tRBTC')
const dollar = createTokenUnit('USD', { address: token, decimals: 18 })
const millionth = 10n ** 12n

const targetCall = encodeFunctionData({ abi: relayForwarderAbi, functionName: 'target' })
const tokenCall = encodeFunctionData({ abi: microLoanAbi, functionName: 'token' })

test.for([
  ['the currency before a contract that counts it', coin, [loan, zeroAddress, 1n], 'ready'],
  ['the currency before a contract of version 1.0', coin, [loan], 'ready'],
  ['a token before a contract over it', dollar, [loan, token, millionth], 'ready'],
  ['the currency before a contract over a token', coin, [loan, token, millionth], 'other_unit'],
  ['a token before a contract over another', dollar, [loan, other, millionth], 'other_unit'],
  ['a token of other decimals than it has', dollar, [loan, token, 1n], 'other_unit'],
  ['a token before a contract of the currency', dollar, [loan, zeroAddress, 1n], 'other_unit'],
  ['a token before a contract of version 1.0', dollar, [loan], 'other_unit'],
  ['a forwarder of another contract', coin, [other, zeroAddress, 1n], 'not_allowed'],
  ['no forwarder', coin, [], 'not_allowed'],
] as const)(
  'tells whether payments may be made with %s',
  async ([, unit, [target, counted, quantum], state]) => {
    const words = new Map([
      [targetCall, target && pad(target)],
      [tokenCall, counted && pad(counted)],
    ])
    const asked: Hex[] = []
    const { relayer } = openMemoryRelayer({
      now: systemClock.now,
      answers: {
        eth_call: ([call]) => {
          const { data } = call as { data: Hex }
          asked.push(data)
          const word = words.has(data)
            ? words.get(data)
            : quantum && numberToHex(quantum, { size: 32 })
          return word ?? '0x'
        },
      },
    })
    const check = createTargetCheck(relayer.forwarder, { loan, unit })
    const ask = () => check(relayer.node, systemClock.timeout(5_000))
    expect([await ask(), await ask()]).toEqual([state, state])
    // What is right is right for good, and what is wrong may have been mended.
    expect(asked).toHaveLength((unit === coin ? 2 : 3) * (state === 'ready' ? 1 : 2))
  },
)

test.for([
  ['is what the contract says, where the forwarder calls that contract', loan, 5n],
  ['is nothing where the forwarder calls another contract than the one that is read', other, 0n],
] as const)('the settled balance %s', async ([, target, settledWei]) => {
  const answers = new Map<string, Hex>([
    [targetCall, pad(target)],
    [tokenCall, pad(zeroAddress)],
    [toFunctionSelector('getBalance(address)'), numberToHex(5n, { size: 32 })],
  ])
  const { relayer } = openMemoryRelayer({
    now: systemClock.now,
    answers: {
      eth_call: ([call]) => {
        const { data } = call as { data: Hex }
        return answers.get(data) ?? answers.get(data.slice(0, 10)) ?? numberToHex(0, { size: 64 })
      },
    },
  })
  const { address: forwarder, chainId: id } = relayer.forwarder
  const config = { loan, unit: coin, forwarder, chain: { id }, menu: { finalUpToWei: 1n } }
  const read = assembleSettled(config as never, relayer)
  expect(await read?.(token, `0x${'11'.repeat(32)}`)).toBe(settledWei)
})
