import { type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import {
  burnAddresses,
  findNobody,
  isCodeOfWallet,
  lowestWallet,
  type NobodyKind,
  readPayee,
} from '../../../src/chain/payees.ts'
import { RpcError, TransportError } from '../../../src/chain/rpc.ts'
import { codes, nobodies, precompiles } from '../../support/payees.ts'

const neverAborted = new AbortController().signal

test.for(nobodies)('nobody has a wallet at %s: %s', ([address, kind]) => {
  expect(findNobody(address)).toBe(kind)
})

test('every precompile stands once in the table, and below the lowest wallet', () => {
  const numbers = precompiles.map(({ number }) => number)
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers.filter((number) => BigInt(number) >= lowestWallet)).toEqual([])
  const list = (network: 'rootstock' | 'ethereum') =>
    precompiles.flatMap(({ number, networks }) => (networks.includes(network) ? [number] : []))
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
  const rootstocks = [0x06, 0x08, 0x09, 0x10, 0x11, 0x16, 0x17].map((low) => 0x01000000 + low)
  expect(list('rootstock')).toEqual([...upTo(9), ...rootstocks])
  expect(list('ethereum')).toEqual([...upTo(0x11), 0x100])
})

test('the lowest wallet and any other address may be paid', () => {
  const near = burnAddresses.map((address) => numberToHex(BigInt(address) - 2n, { size: 20 }))
  const others = [numberToHex(lowestWallet, { size: 20 }), `0x${'11'.repeat(20)}` as const, ...near]
  const found = others.map(findNobody).filter((kind): kind is NobodyKind => kind !== undefined)
  expect(found).toEqual([])
})

test.for(codes)('code of $name is that of a $payee', async ({ code, payee }) => {
  expect(isCodeOfWallet(code)).toBe(payee === 'wallet')
  const node = { getCode: async () => code }
  expect(await readPayee(node, `0x${'11'.repeat(20)}`, neverAborted)).toBe(payee)
})

test.for([
  new RpcError(-32601, 'method not found'),
  new TransportError('the node does not answer'),
])('who is paid is unknown after: $message', async (error) => {
  const node = { getCode: (): Promise<Hex> => Promise.reject(error) }
  expect(await readPayee(node, `0x${'11'.repeat(20)}`, neverAborted)).toBe('unknown')
})
