import {
  bytesToHex,
  concatHex,
  type Hex,
  hashMessage,
  keccak256,
  type LocalAccount,
  type Signature,
  serializeTransaction,
} from 'viem'
import { publicKeyToAddress } from 'viem/utils'
import { getPublicKey, signDigest } from './secp256k1/curve.ts'
import { digestTypedData } from './typed-data.ts'

/** Is an account of viem that signs a digest at once, too. */
export type KeyAccount = LocalAccount & { signDigest: (digest: Hex) => Signature }

/** Creates an account as viem's `privateKeyToAccount` does. @throws {Error} it is no key */
export function createKeyAccount(privateKey: Uint8Array): KeyAccount {
  const sign = (digest: Hex) => signDigest(digest, privateKey)
  const publicKey = bytesToHex(getPublicKey(privateKey, 'whole'))

  function writeSignature(hash: Hex): Hex {
    const { r, s, yParity } = sign(hash)
    return concatHex([r, s, yParity === 0 ? '0x1b' : '0x1c'])
  }

  return {
    address: publicKeyToAddress(publicKey),
    publicKey,
    source: 'privateKey',
    type: 'local',
    signDigest: sign,
    sign: async ({ hash }) => writeSignature(hash),
    signMessage: async ({ message }) => writeSignature(hashMessage(message)),
    signTypedData: async (data) => writeSignature(digestTypedData(data)),
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      const unsigned = await serializer(transaction)
      return await serializer(transaction, sign(keccak256(unsigned)))
    },
  }
}
