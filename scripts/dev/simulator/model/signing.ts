import {
  type Address,
  type Hex,
  isAddressEqual,
  keccak256,
  type LocalAccount,
  parseTransaction,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  type TransactionSerializedLegacy,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { requestDomain, requestTypes } from '../../../../src/relay/forwarder/abi.ts'
import type { Forwarder, SignedRequest } from '../../../../src/relay/forwarder/requests.ts'
import { createSigner, type Signer, type TransactionContent } from '../../../../src/relay/signer.ts'
import { readExecute } from './calldata.ts'
import { digest } from './hashing.ts'

/** A transaction as the model's chain reads it from its bytes. */
export type ModelTransaction = {
  hash: Hex
  raw: Hex
  nonce: number
  gasPriceWei: bigint
  gas: number
  to: Address
  data: Hex
  requests: readonly SignedRequest[]
}

/** How callers and the relayer sign in a run, and how its chain reads what they signed. */
export type Signing = {
  caller(phone: string): LocalAccount
  relayer: Signer
  read(raw: Hex): ModelTransaction
  isSigned(request: SignedRequest): boolean
}

const fieldOf = (raw: Hex, index: number) =>
  BigInt(`0x${raw.slice(2 + index * 32, 34 + index * 32)}`)

const contentOf = (raw: Hex): TransactionContent => ({
  to: `0x${raw.slice(98, 138)}`,
  data: `0x${raw.slice(138)}`,
  gas: Number(fieldOf(raw, 2)),
})

/** Digests in the place of signatures: all that they promise is to be each signer's own. */
export function cheapSigning(): Signing {
  const relayer = digest('relayer').slice(0, 42) as Address
  const known = new Map<Hex, ModelTransaction>()
  return {
    caller: (phone) => cheapAccount(digest('caller', phone).slice(0, 42) as Address),
    relayer: {
      address: relayer,
      async sign({ nonce, to, data, gas, gasPriceWei }) {
        const fields = [nonce, gasPriceWei, gas].map((value) =>
          value.toString(16).padStart(32, '0'),
        )
        const raw = `0x${fields.join('')}${to.slice(2)}${data.slice(2)}`.toLowerCase() as Hex
        return { hash: digest(raw), raw, gasPriceWei }
      },
      contentOf: ({ raw }) => contentOf(raw),
    },
    read(raw) {
      const seen = known.get(raw)
      if (seen !== undefined) return seen
      const content = contentOf(raw)
      const read = {
        ...{ hash: digest(raw), raw, ...content },
        nonce: Number(fieldOf(raw, 0)),
        gasPriceWei: fieldOf(raw, 1),
        requests: readExecute(content.data),
      }
      known.set(raw, read)
      return read
    },
    isSigned: (request) => request.signature === cheapSignature(request),
  }
}

/**
 * secp256k1 and keccak, as in production, and forty times slower. Reading does not recover who signed,
 * which viem does asynchronously: {@link checkSignatures} does, when the run is over.
 */
export function realSigning(chainId: number): Signing {
  const callers = new Map<string, LocalAccount>()
  return {
    caller(phone) {
      const caller = callers.get(phone) ?? privateKeyToAccount(digest('caller', phone))
      callers.set(phone, caller)
      return caller
    },
    relayer: createSigner(privateKeyToAccount(digest('relayer')), chainId),
    read(raw) {
      const { nonce = 0, gasPrice = 0n, gas = 0n, to, data = '0x' } = parseTransaction(raw)
      const calldata = data.toLowerCase() as Hex
      return {
        hash: keccak256(raw),
        raw,
        nonce,
        gasPriceWei: gasPrice,
        gas: Number(gas),
        to: (to ?? '0x').toLowerCase() as Address,
        data: calldata,
        requests: readExecute(calldata),
      }
    },
    isSigned: () => true,
  }
}

/**
 * Whether the relayer signed every transaction, for this chain, and every caller what is in it.
 *
 * @throws {Error} naming the first that another account signed
 */
export async function checkSignatures(
  signing: Signing,
  forwarder: Forwarder,
  transactions: readonly ModelTransaction[],
): Promise<void> {
  for (const { raw, hash, requests } of transactions) {
    const { chainId } = parseTransaction(raw)
    const sender = await recoverTransactionAddress({
      serializedTransaction: raw as TransactionSerializedLegacy,
    })
    if (!isAddressEqual(sender, signing.relayer.address) || chainId !== forwarder.chainId) {
      throw new Error(`transaction ${hash} is signed by ${sender} for chain ${chainId}`)
    }
    for (const request of requests) {
      const signer = await recoverTypedDataAddress({
        ...requestTypedData(forwarder, request),
        signature: request.signature,
      })
      if (!isAddressEqual(signer, request.from)) {
        throw new Error(`the request ${request.intentId} is signed by ${signer}`)
      }
    }
  }
}

/** What a caller signs, as RelayForwarder.sol has it. */
function requestTypedData({ chainId, address }: Forwarder, request: SignedRequest) {
  return {
    domain: { ...requestDomain, chainId, verifyingContract: address },
    types: requestTypes,
    primaryType: 'Request',
    message: request,
  } as const
}

type Signed = Pick<SignedRequest, 'from' | 'intentId' | 'gas' | 'deadline' | 'data'>

function cheapSignature({ from, intentId, gas, deadline, data }: Signed): Hex {
  const parts = [from, intentId, gas, deadline, data].map((part) => `${part}`.toLowerCase())
  // A compact signature keeps 255 bits of its second half.
  const [r, s] = [digest('request', ...parts), digest('requested', ...parts)]
  return `${r}7f${s.slice(4)}1b`
}

function cheapAccount(address: Address): LocalAccount {
  const refuse = async (): Promise<never> => {
    throw new Error('a caller of the simulator signs requests and nothing else')
  }
  return {
    address,
    publicKey: '0x',
    source: 'simulator',
    type: 'local',
    sign: refuse,
    signMessage: refuse,
    signTransaction: refuse,
    signTypedData: async ({ message }) => cheapSignature(message as Signed),
  }
}
