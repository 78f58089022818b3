import { type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/dev/random.ts'
import { requestDomain, requestTypes } from '../../../src/relay/forwarder/abi.ts'
import { keyAccount } from '../../../src/runtime/key-account.ts'
import { seed } from '../../support/sample.ts'

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const random = createRandom(seed, 'accounts of keys')
const bytes = (count: number): Hex =>
  toHex(Uint8Array.from({ length: count }, () => random.int(0, 255)))
const keys = [1n, curveOrder - 1n].map((key) => toHex(key, { size: 32 }))
for (let count = 0; count < 30; count += 1) keys.push(bytes(32))

describe('the account of a private key', () => {
  test('has the address that viem gives it, and signs what viem signs, byte for byte', async () => {
    for (const key of keys) {
      const [ours, theirs] = [keyAccount(key), privateKeyToAccount(key)]
      const transaction = {
        type: 'legacy',
        ...{ chainId: 31, to: ours.address, data: bytes(random.int(0, 99)) },
        ...{ nonce: random.int(0, 9), gas: BigInt(random.int(21_000, 9e6)), value: 0n },
        gasPrice: BigInt(random.int(0, 1e9)),
      } as const
      const typed = {
        types: requestTypes,
        primaryType: 'Request',
        domain: { ...requestDomain, chainId: 31, verifyingContract: theirs.address },
        message: {
          ...{ from: ours.address, intentId: bytes(22), data: bytes(36) },
          ...{ gas: 150_000, deadline: random.int(0, 2 ** 32) },
        },
      } as const
      const hash = bytes(32)
      const signed = (account: typeof ours) =>
        Promise.all([
          account.signTransaction(transaction),
          account.signTypedData(typed),
          account.signMessage({ message: { raw: hash } }),
          account.sign?.({ hash }),
        ])
      expect([ours.address, ours.publicKey]).toEqual([theirs.address, theirs.publicKey])
      expect(await signed(ours)).toEqual(await signed(theirs))
    }
  })

  test('refuses a number that is no private key', () => {
    for (const key of [0n, curveOrder]) {
      expect(() => keyAccount(toHex(key, { size: 32 }))).toThrow('private key')
    }
  })
})
