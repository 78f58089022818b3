import {
  type Address,
  type Hex,
  keccak256,
  type PrivateKeyAccount,
  parseGwei,
  size,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { RawLog } from '../../../src/relay/forwarder/requests.ts'

export const chainId = 31

/** Describes a transaction, which is signed here so that each chain gets the same bytes. */
export type Call = { from: PrivateKeyAccount; to?: Address; data: Hex; value?: bigint }

export type Mined = { gasUsed: number; contract: Address | undefined; logs: readonly RawLog[] }

export type MeasuredChain = {
  /** Unix seconds that requests are made up with; blocks are some seconds later. */
  now: () => number
  send: (call: Call) => Promise<Mined>
  pass: (seconds: number) => Promise<void>
  undoing: <T>(measure: () => Promise<T>) => Promise<T>
}

const deploymentGas = 6_500_000
/** Sets a call's gas and the gas of each byte, since a batch grows with its requests. */
const [callGas, gasPerByte] = [400_000, 650]

/** Signs a transaction with its gas limit, which an RSKj counts against the account's quota. */
export function sign({ from, to, data, value = 0n }: Call, nonce: number): Promise<Hex> {
  const callLimit = callGas + size(data) * gasPerByte
  const gas = BigInt(to === undefined ? deploymentGas : Math.min(callLimit, deploymentGas))
  return from.signTransaction({
    type: 'legacy',
    chainId,
    gasPrice: parseGwei('2'),
    nonce,
    gas,
    data,
    value,
    ...(to === undefined ? {} : { to }),
  })
}

export const accountOf = (name: string) => privateKeyToAccount(keccak256(toHex(`gas of ${name}`)))
