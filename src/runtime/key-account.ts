import {
  bytesToHex,
  concatHex,
  type Hex,
  hashMessage,
  keccak256,
  type LocalAccount,
  serializeTransaction,
} from 'viem'
import { publicKeyToAddress } from 'viem/utils'
import { getPublicKey, signDigest } from './secp256k1/curve.ts'
import { digestTypedData } from './typed-data.ts'

/** Creates an account as viem's `privateKeyToAccount` does. @throws {Error} it is no key */
export function createKeyAccount(privateKey: Uint8Array): LocalAccount {
  const publicKey = bytesToHex(getPublicKey(privateKey, 'whole'))

  function sign(hash: Hex): Hex {
    const { r, s, yParity } = signDigest(hash, privateKey)
    return concatHex([r, s, yParity === 0 ? '0x1b' : '0x1c'])
  }

  return {
    address: publicKeyToAddress(publicKey),
    publicKey,
    source: 'privateKey',
    type: 'local',
    sign: async ({ hash }) => sign(hash),
    signMessage: async ({ message }) => sign(hashMessage(message)),
    signTypedData: async (data) => sign(digestTypedData(data)),
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      const unsigned = await serializer(transaction)
      return await serializer(transaction, signDigest(keccak256(unsigned), privateKey))
    },
  }
}
