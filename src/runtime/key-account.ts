import {
  bytesToHex,
  concatHex,
  domainSeparator,
  encodeAbiParameters,
  type Hex,
  hashMessage,
  hashTypedData,
  type LocalAccount,
  type Signature,
  serializeTransaction,
  stringToHex,
  type TypedDataDefinition,
  type TypedDataDomain,
} from 'viem'
import { publicKeyToAddress } from 'viem/utils'
import { hashKeccak } from './keccak.ts'
import { createRecent } from './recent.ts'
import { getPublicKey, signDigest } from './secp256k1/curve.ts'

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
      return await serializer(transaction, sign(hashKeccak(unsigned)))
    },
  }
}

type TypedData = {
  domain?: TypedDataDomain
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>
  primaryType: string
  message: Readonly<Record<string, unknown>>
}

/** Hold the hashes (EIP-712) of domains and types, which many messages share. */
const separators = createRecent<Hex>(16)
const typeHashes = createRecent<Hex>(16)

/** Hashes typed data as viem's `hashTypedData` does, byte for byte, in a third of the time. */
export function digestTypedData(data: object): Hex {
  const { domain = {}, types, primaryType, message } = data as TypedData
  const fields = types[primaryType]
  const isFlat = fields?.every(({ type }) => /^(address|bool|u?int\d+|bytes\d*)$/.test(type))
  if (!fields || !isFlat || types.EIP712Domain) return hashTypedData(data as TypedDataDefinition)

  const { name, version, chainId, verifyingContract, salt } = domain
  const domainKey = JSON.stringify([name, version, `${chainId}`, verifyingContract, salt])
  const separator = recall(separators, domainKey, () => domainSeparator({ domain }))
  const typeName = `${primaryType}(${fields.map((field) => `${field.type} ${field.name}`)})`
  const typeHash = recall(typeHashes, typeName, () => hashKeccak(stringToHex(typeName)))

  const encoded = fields.map((field) => {
    const value = message[field.name]
    return field.type === 'bytes'
      ? { type: 'bytes32', value: hashKeccak(value as Hex) }
      : { type: field.type, value }
  })
  const values = [typeHash, ...encoded.map(({ value }) => value)]
  const struct = hashKeccak(encodeAbiParameters([{ type: 'bytes32' }, ...encoded], values))
  return hashKeccak(concatHex(['0x1901', separator, struct]))
}

function recall(hashes: typeof separators, key: string, compute: () => Hex): Hex {
  const hash = hashes.get(key) ?? compute()
  hashes.set(key, hash)
  return hash
}
