import { type Abi, type Address, parseEther } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { callOf } from '../../../src/loan/calls.ts'
import { readArtifact } from '../forge.ts'
import { accountOf, type Call, type MeasuredChain } from './chain.ts'
import { callTo, deploy, deployLoan, type World } from './world.ts'

const types = {
  ForwardRequest: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'gas', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint48' },
    { name: 'data', type: 'bytes' },
  ],
} as const

type Signing = { chain: MeasuredChain; forwarder: Address; loan: Address }

/**
 * OpenZeppelin's ERC2771Forwarder around a transfer to a known account, as {@link relayedActions} has it
 * around ours: for each size of batch the transaction. Each signer has relayed once before, so that its
 * nonce is not the first.
 */
export async function otherForwarder(
  { chain, owner, relayer }: World,
  sizes: readonly number[],
): Promise<[size: number, call: Call][]> {
  const forwarder = await deploy(chain, owner, 'OtherForwarder', [], 'Compared')
  const loan = await deployLoan(chain, owner, forwarder)
  const signing = { chain, forwarder, loan }
  const most = Math.max(...sizes)
  for (let index = 0; index < most; index += 1) {
    const saver = accountOf(`saver ${index}`).address
    await chain.send(callTo(owner, loan, microLoanAbi, 'depositFor', [saver], parseEther('1')))
  }
  await chain.send(await batch(signing, relayer, most, 0n, 1n))
  const calls = sizes.map((size) => batch(signing, relayer, size, 1n, parseEther('0.5')))
  return (await Promise.all(calls)).map((call, index) => [sizes[index] ?? 0, call])
}

async function batch(
  signing: Signing,
  relayer: PrivateKeyAccount,
  size: number,
  nonce: bigint,
  amountWei: bigint,
): Promise<Call> {
  const abi = readArtifact('OtherForwarder', 'Compared').abi as Abi
  const requests = await Promise.all(
    Array.from({ length: size }, (_, index) => request(signing, index, nonce, amountWei)),
  )
  const refundReceiver = relayer.address
  return size === 1
    ? callTo(relayer, signing.forwarder, abi, 'execute', requests)
    : callTo(relayer, signing.forwarder, abi, 'executeBatch', [requests, refundReceiver])
}

async function request(
  { chain, forwarder, loan }: Signing,
  index: number,
  nonce: bigint,
  amountWei: bigint,
) {
  const signer = accountOf(`saver ${index}`)
  const to = accountOf(`known ${index}`).address
  const message = {
    ...{ from: signer.address, to: loan, value: 0n, gas: 300_000n },
    ...{ deadline: chain.now() + 7_200, data: callOf({ kind: 'transfer', to, amountWei }) },
  }
  const domain = { name: 'OtherForwarder', version: '1', chainId: 31, verifyingContract: forwarder }
  const signature = await signer.signTypedData({
    ...{ domain, types, primaryType: 'ForwardRequest', message: { ...message, nonce } },
  })
  return { ...message, signature }
}
