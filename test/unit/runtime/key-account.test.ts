import { type Hex, hexToBytes, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/dev/random.ts'
import { signRequest } from '../../../src/relay/forwarder/requests.ts'
import { buildBatch } from '../../../src/relay/relayer.ts'
import { createSigner } from '../../../src/relay/signer.ts'
import { createKeyAccount } from '../../../src/runtime/key-account.ts'
import type * as Curve from '../../../src/runtime/secp256k1/curve.ts'
import { curveOrder } from '../../../src/runtime/secp256k1/curve.ts'
import { seed } from '../../support/sample.ts'

const random = createRandom(seed, 'accounts of keys')
const bytes = (count: number): Hex =>
  toHex(Uint8Array.from({ length: count }, () => random.int(0, 255)))
const drawnKeys = Array.from({ length: 30 }, () => bytes(32))
const keys = [toHex(1n, { size: 32 }), toHex(curveOrder - 1n), ...drawnKeys]

describe('the account of a private key', () => {
  test('has the address that viem gives it, and signs requests and batches as viem does, byte for byte', async () => {
    for (const key of keys) {
      const [ours, theirs] = [createKeyAccount(hexToBytes(key)), privateKeyToAccount(key)]
      const chainId = random.int(30, 31)
      const forwarder = { chainId, address: ours.address }
      const signer = createSigner(ours, chainId)
      const requests = Array.from({ length: random.int(1, 12) }, () => ({
        ...{ from: ours.address, intentId: bytes(22), data: bytes(random.int(0, 99)) },
        ...{ gas: random.int(21_000, 116_000), deadline: random.int(0, 2 ** 32) },
      }))
      const slot = { nonce: random.int(0, 2 ** 20), gasPriceWei: BigInt(random.int(0, 1e9)) }
      const { nonce, gasPriceWei } = slot
      const hash = bytes(32)
      const signed = async (account: typeof theirs | typeof ours) => {
        const asked = await Promise.all(requests.map((one) => signRequest(account, forwarder, one)))
        const { gas, ...content } = buildBatch({ signer, forwarder }, asked)
        const priced = { type: 'legacy', chainId, nonce, gas: BigInt(gas) } as const
        const raw = await account.signTransaction({ ...priced, ...content, gasPrice: gasPriceWei })
        if (account === ours) expect(signer.sign({ ...slot, ...content, gas }).raw).toBe(raw)
        return [
          asked,
          raw,
          await account.signMessage({ message: { raw: hash } }),
          await account.sign?.({ hash }),
          await account.sign?.({ hash: toHex(2n ** 256n - 1n) }),
        ]
      }
      expect([ours.address, ours.publicKey]).toEqual([theirs.address, theirs.publicKey])
      expect(await signed(ours)).toEqual(await signed(theirs))
    }
  })

  test('refuses what is no private key, and leaves no key in the memory of WebAssembly', async () => {
    const wasm = Reflect.get(globalThis, 'WebAssembly')
    const { Memory } = wasm
    let memory = Buffer.of()
    wasm.Memory = function open(size: object) {
      const opened = new Memory(size)
      memory = Buffer.from(opened.buffer)
      return opened
    }
    const path = `../../../src/runtime/secp256k1/curve.ts?${seed}`
    const { getPublicKey, signDigest }: typeof Curve = await import(path)
    const key = Buffer.from(hexToBytes(bytes(32)))
    const refused = Buffer.from(hexToBytes(bytes(32))).fill(255, 0, 16)
    getPublicKey(key, 'whole')
    wasm.Memory = Memory
    signDigest(bytes(32), key)
    const bounds = [0n, curveOrder].map((key) => hexToBytes(toHex(key, { size: 32 })))
    for (const one of [refused, ...bounds]) {
      expect(() => createKeyAccount(one)).toThrow(/^this is no private key$/)
      expect(() => signDigest(bytes(32), one)).toThrow(/^this is no private key$/)
    }
    for (const part of [key.subarray(0, 8), key.subarray(24), refused.subarray(24)])
      expect([memory.includes(part), memory.includes(part.reverse())]).toEqual([false, false])
  })
})
