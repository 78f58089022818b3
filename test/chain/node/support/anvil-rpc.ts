import { type Address, concat, type Hex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { RpcCall } from '../../../../scripts/dev/rpc.ts'

/** anvil's first development account, unlocked there. */
export const sender: Address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** anvil's second development account, whose key everybody knows. */
export const customer = privateKeyToAccount(
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
)

/** Signs the customer's next transfer of 1 wei. */
export async function signTransfer(rpc: RpcCall, to: Address): Promise<Hex> {
  const nonce = Number(await rpc('eth_getTransactionCount', [customer.address, 'pending']))
  const gas = { gas: 21_000n, gasPrice: 3_000_000_000n }
  return customer.signTransaction({ type: 'legacy', chainId: 31, nonce, ...gas, to, value: 1n })
}

/**
 * `emit(topic1, topic2, word)` by raw calldata: LOG2 with the word as data, and the word returned.
 * Without calldata it reverts.
 */
export const emitterCode: Hex =
  '0x602180600b6000396000f33615601b5760403560005260203560003560206000a260206000f35b60006000fd'

/** Calls the address in its calldata without data and does not mind when that fails. */
const callerCode: Hex = '0x600d80600b6000396000f36000808080806000355af15000'

/** Emits as many logs as the number in its calldata says, without topics or data. */
const floodCode: Hex = '0x601680600b6000396000f36000355b8015601457600080a0600190036003565b00'

/** Deploys the contract that emits many logs. */
export const deployFlood = (rpc: RpcCall) => deploy(rpc, floodCode)

/** Deploys the contract that emits logs. */
export const deployEmitter = (rpc: RpcCall) => deploy(rpc, emitterCode)

/** Deploys the contract whose inner call may fail. */
export const deployCaller = (rpc: RpcCall) => deploy(rpc, callerCode)

async function deploy(rpc: RpcCall, data: Hex): Promise<Address> {
  const hash = await rpc('eth_sendTransaction', [{ from: sender, data }])
  const { contractAddress } = await mined(rpc, hash as Hex)
  return contractAddress
}

/** The receipt of a transaction, as soon as there is one. */
export async function mined(rpc: RpcCall, hash: Hex): Promise<Mined> {
  for (;;) {
    const receipt = (await rpc('eth_getTransactionReceipt', [hash])) as Mined | null
    if (receipt !== null) return receipt
  }
}

export type Mined = { contractAddress: Address; blockNumber: Hex; blockHash: Hex }

/** Makes the emitter log; gives the transaction's hash. */
export async function emit(
  rpc: RpcCall,
  emitter: Address,
  ...words: [topic1: bigint, topic2: bigint, data: bigint]
): Promise<Hex> {
  const data = concat(words.map(topic))
  const call = { from: sender, to: emitter, data, gas: numberToHex(100_000) }
  return (await rpc('eth_sendTransaction', [call])) as Hex
}

/** Does something while transactions wait in the pool; then a block takes them. */
export async function beforeABlock<Result>(
  rpc: RpcCall,
  work: () => Promise<Result>,
): Promise<Result> {
  await rpc('evm_setAutomine', [false])
  try {
    return await work()
  } finally {
    await rpc('evm_mine')
    await rpc('evm_setAutomine', [true])
  }
}

export function topic(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}
