import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseEther,
  slice,
  toHex,
  zeroAddress,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import {
  decodeResults,
  encodeExecute,
  intentIdLength,
  signRequest,
} from '../../../src/relay/forwarder/requests.ts'
import { readSetup } from '../deploy.ts'
import { readArtifact } from '../forge.ts'
import { accountOf, type Call, chainId, type MeasuredChain, type Mined } from './chain.ts'

export type World = Awaited<ReturnType<typeof openWorld>>

export type Signed = { signer: PrivateKeyAccount; data: Hex; intent: string }

export const signedGas = 300_000
const hour = 3_600
const loanTerms = { principalWei: parseEther('0.01'), feeWei: 0n, termSeconds: 30 * 24 * hour }
export const loanCall = encodeCall({ kind: 'loan', ...loanTerms })

/**
 * Deploys a pair of contracts, to lend for days: no first write is to flatter or blame a call. Its
 * owner has sent nothing before.
 */
export async function openWorld(
  chain: MeasuredChain,
  { owner = accountOf('owner'), token = zeroAddress as Address } = {},
) {
  const relayer = accountOf('relayer')
  // The owner's second transaction deploys it.
  const target = getContractAddress({ from: owner.address, nonce: 1n })
  const guardian = accountOf('guardian').address
  const roles = [owner.address, guardian, [relayer.address], target]
  const forwarder = await deploy(chain, owner, 'RelayForwarder', roles)
  const setup = readSetup({ token }, parseEther('1000'))
  const loan = await deploy(chain, owner, 'MicroLoan', [
    { ...setup, forwarder, owner: owner.address, guardian: zeroAddress },
  ])
  if (token === zeroAddress) {
    await chain.send(callTo(owner, loan, microLoanAbi, 'fund', [], parseEther('20')))
  }
  return { chain, forwarder, loan, owner, relayer }
}

/** Lends once in each of 30 hours, and once more in the hour that the chain stands in then. */
export async function lendForDays(world: World): Promise<void> {
  for (let index = 0; index <= 30; index += 1) {
    const signer = accountOf(`earlier borrower ${index}`)
    await execute(world, [{ signer, data: loanCall, intent: `earlier ${index}` }])
    if (index < 30) await world.chain.pass(hour)
  }
}

export async function executeCall(world: World, signed: readonly Signed[], gas = signedGas) {
  const { forwarder: address, relayer, chain } = world
  const deadline = chain.now() + 2 * hour
  const requests = signed.map(({ signer, data, intent }) => {
    const intentId = slice(keccak256(toHex(intent)), 0, intentIdLength)
    const request = { from: signer.address, intentId, deadline, gas, data }
    return signRequest(signer, { chainId, address }, request)
  })
  return { from: relayer, to: address, data: encodeExecute(await Promise.all(requests)) }
}

export async function execute(world: World, signed: readonly Signed[]): Promise<Mined> {
  return world.chain.send(await executeCall(world, signed))
}

export function succeedsWith(world: World, signed: Signed, gas: number): Promise<boolean> {
  const { chain, forwarder } = world
  return chain.undoing(async () => {
    const { logs } = await chain.send(await executeCall(world, [signed], gas))
    return decodeResults({ chainId, address: forwarder }, logs)[0]?.status === 'executed'
  })
}

export function callTo(
  from: PrivateKeyAccount,
  to: Address,
  abi: Abi,
  functionName: string,
  args: readonly unknown[],
  value = 0n,
): Call {
  return { from, to, data: encodeFunctionData({ abi, functionName, args }), value }
}

export async function deploy(
  chain: MeasuredChain,
  from: PrivateKeyAccount,
  name: string,
  args: readonly unknown[],
  file = name,
): Promise<Address> {
  const { abi, bytecode } = readArtifact(name, file)
  const data = encodeDeployData({ abi, bytecode: bytecode.object, args })
  const { contract } = await chain.send({ from, data })
  if (contract === undefined) throw new Error(`${name} was not deployed`)
  return contract
}
