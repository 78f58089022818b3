import { secp256k1 } from '@noble/curves/secp256k1'
import {
  bytesToHex,
  type Hex,
  hashMessage,
  keccak256,
  type LocalAccount,
  numberToHex,
  type Signature,
  serializeSignature,
  serializeTransaction,
} from 'viem'
import { publicKeyToAddress } from 'viem/utils'
import { digestTypedData } from './typed-data.ts'

/**
 * Creates an account as viem's `privateKeyToAccount` does, which would bundle lists of words.
 * @throws if the key is invalid
 */
export function createKeyAccount(privateKey: Hex): LocalAccount {
  const key = privateKey.slice(2)
  const publicKey = bytesToHex(secp256k1.getPublicKey(key, false))

  function sign(hash: Hex): Signature {
    const { r, s, recovery } = secp256k1.sign(hash.slice(2), key, { lowS: true })
    const [rHex, sHex] = [r, s].map((value) => numberToHex(value, { size: 32 })) as [Hex, Hex]
    return { r: rHex, s: sHex, v: recovery ? 28n : 27n, yParity: recovery }
  }

  return {
    address: publicKeyToAddress(publicKey),
    publicKey,
    source: 'privateKey',
    type: 'local',
    sign: async ({ hash }) => serializeSignature(sign(hash)),
    signMessage: async ({ message }) => serializeSignature(sign(hashMessage(message))),
    signTypedData: async (data) => serializeSignature(sign(digestTypedData(data))),
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      const unsigned = await serializer(transaction)
      return await serializer(transaction, sign(keccak256(unsigned)))
    },
  }
}
