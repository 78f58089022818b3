import type { Address, Hex, LocalAccount } from 'viem'
import type { SignedRequest } from '../../../../src/relay/forwarder/requests.ts'
import type { Signer, TransactionContent } from '../../../../src/relay/signer.ts'
import { readExecute } from './calldata.ts'
import { digest } from './hashing.ts'

export type ModelTransaction = TransactionContent & {
  hash: Hex
  raw: Hex
  nonce: number
  /** Numbers the relayer's key that signed it: the first one, or the next. */
  key: number
  gasPriceWei: bigint
  requests: readonly SignedRequest[]
}

export type Signing = ReturnType<typeof cheapSigning>

/** Tells the keys' bytes apart: no nonce is so high. */
const keyStep = 1_000_000

/** Digests in the place of signatures: all that they promise is to be each signer's own. */
export function cheapSigning() {
  const signed = new Map<Hex, ModelTransaction>()
  const read = (raw: Hex): ModelTransaction => {
    const known = signed.get(raw)
    if (known === undefined) throw new Error('nobody has signed these bytes')
    return known
  }
  const relayers = ['relayer', 'next relayer'].map(
    (name, key): Signer => ({
      address: digest(name).slice(0, 42) as Address,
      sign({ nonce, to, data, gas, gasPriceWei }) {
        const fields = [nonce + key * keyStep, gasPriceWei, gas].map((value) =>
          value.toString(16).padStart(32, '0'),
        )
        const raw = `0x${fields.join('')}${to.slice(2)}${data.slice(2)}`.toLowerCase() as Hex
        const hash = digest(raw)
        const content = { to: lower(to), data: lower(data), gas, requests: readExecute(data) }
        signed.set(raw, { hash, raw, nonce, key, gasPriceWei, ...content })
        return { hash, raw, gasPriceWei }
      },
      readContent({ raw }) {
        const { to, data, gas } = read(raw)
        return { to, data, gas }
      },
    }),
  )
  return {
    caller: (phone: string) => cheapAccount(digest('caller', phone).slice(0, 42) as Address),
    relayers,
    read,
    isSigned: (request: SignedRequest) => request.signature === cheapSignature(request),
  }
}

const lower = (hex: Hex) => hex.toLowerCase() as Hex

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
