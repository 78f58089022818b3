import { type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/dev/random.ts'
import { signRequest } from '../../../src/relay/forwarder/requests.ts'
import { buildBatch } from '../../../src/relay/relayer.ts'
import { createSigner } from '../../../src/relay/signer.ts'
import { createKeyAccount } from '../../../src/runtime/key-account.ts'
import { seed } from '../../support/sample.ts'

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const random = createRandom(seed, 'accounts of keys')
const bytes = (count: number): Hex =>
  toHex(Uint8Array.from({ length: count }, () => random.int(0, 255)))
const keys = [1n, curveOrder - 1n].map((key) => toHex(key, { size: 32 }))
for (let count = 0; count < 30; count += 1) keys.push(bytes(32))

describe('the account of a private key', () => {
  test('has the address that viem gives it, and signs requests and batches as viem does, byte for byte', async () => {
    for (const key of keys) {
      const [ours, theirs] = [createKeyAccount(key), privateKeyToAccount(key)]
      const forwarder = { chainId: random.int(30, 31), address: ours.address }
      const requests = Array.from({ length: random.int(1, 12) }, () => ({
        ...{ from: ours.address, intentId: bytes(22), data: bytes(random.int(0, 99)) },
        ...{ gas: random.int(21_000, 116_000), deadline: random.int(0, 2 ** 32) },
      }))
      const slot = { nonce: random.int(0, 2 ** 20), gasPriceWei: BigInt(random.int(0, 1e9)) }
      const hash = bytes(32)
      const signed = async (account: typeof ours) => {
        const signer = createSigner(account, forwarder.chainId)
        const asked = await Promise.all(requests.map((one) => signRequest(account, forwarder, one)))
        const content = buildBatch({ signer, forwarder }, asked)
        const batch = await signer.sign({ ...slot, ...content })
        return [
          asked,
          batch,
          await account.signMessage({ message: { raw: hash } }),
          await account.sign?.({ hash }),
        ]
      }
      expect([ours.address, ours.publicKey]).toEqual([theirs.address, theirs.publicKey])
      expect(await signed(ours)).toEqual(await signed(theirs))
    }
  })

  test('refuses a number that is no private key', () => {
    for (const key of [0n, curveOrder]) {
      expect(() => createKeyAccount(toHex(key, { size: 32 }))).toThrow('private key')
    }
  })
})
