import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  concat,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  isAddressEqual,
  parseAbi,
  parseEther,
  toHex,
} from 'viem'
import * as erc4337 from 'viem/account-abstraction'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'
import { z } from 'zod'
import { devKey } from '../../dev/anvil.ts'
import { until, waitForReceipt } from '../../dev/wait.ts'
import { runCommand } from '../../run-command.ts'
import { type ChainNode, createNodeCall, openNode } from '../../stack/chain/node.ts'
import { readJson } from '../../stack/files.ts'
import { StackError, say } from '../../stack/report.ts'
import { findListener } from '../cpu.ts'
import { now } from '../load.ts'
import { type BenchChain, recipient } from './chain.ts'

/** Holds EntryPoint and SimpleAccount as they were compiled; it is no dependency. */
const contracts = '@account-abstraction/contracts@0.7.0'

/** anvil has this deployer; with this salt it gives EntryPoint 0.7 its address on every chain. */
const deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const salt: Hex = '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3'

const entryPoint = { address: erc4337.entryPoint07Address, abi: erc4337.entryPoint07Abi }
const abi = parseAbi([
  'constructor(address entryPoint)',
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function execute(address to, uint256 value, bytes data)',
])

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]+$/)])
const quantity = hex.transform(BigInt)

/** Parses the bundler's answer to `eth_estimateUserOperationGas`. */
export const gasLimits = z.object({
  preVerificationGas: quantity,
  verificationGasLimit: quantity,
  callGasLimit: quantity,
})

/**
 * Brings the EntryPoint and so many accounts onto the chain, and waits until a bundler serves them.
 * @throws {StackError} none does in ten minutes, or none on this machine
 */
export async function openBundler(chain: BenchChain, url: string, count: number) {
  const { client } = await openNode([chain.url], 31)
  const owner = privateKeyToAccount(await chain.makeAccount('owner of the accounts'))
  const accounts = await deployAccounts(chain, client, owner.address, count)
  say(`Start the bundler now, so that it answers at ${url} (waiting ten minutes):`)
  say(`  node        ${chain.url} (chain 31, a block every 0.25 s)`)
  say(`  EntryPoint  ${entryPoint.address} (0.7)`)
  say(`  its key     ${await chain.makeAccount('bundler')} (has 1,000 tRBTC)`)
  const ask = createNodeCall(url, { timeoutMs: 60_000 })
  const readServed = () => ask('eth_supportedEntryPoints', [], z.array(hex)).catch(() => [])
  const isServed = async () =>
    (await readServed()).some((one) => isAddressEqual(one, entryPoint.address))
  const late = () => new StackError(`No bundler serves this EntryPoint at ${url}.`)
  await until(isServed, { everyMs: 500, withinMs: 600_000, late })
  const pid = findListener(Number(new URL(url).port || 80))

  const payment = [recipient, parseEther('0.00001'), '0x'] as const
  const callData = encodeFunctionData({ abi, functionName: 'execute', args: payment })
  const price = (await client.getGasPrice()) * 10n
  const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price }
  const write = async (sender: Address, nonce: bigint, gas: z.infer<typeof gasLimits>) => {
    const unsigned = { sender, nonce, callData, ...gas, ...fees, signature: '0x' } as const
    const hash = erc4337.getUserOperationHash({
      chainId: 31,
      entryPointAddress: entryPoint.address,
      entryPointVersion: '0.7',
      userOperation: unsigned,
    })
    const signature = await owner.signMessage({ message: { raw: hash } })
    const request = erc4337.formatUserOperationRequest({ ...unsigned, signature })
    return { hash, params: [request, entryPoint.address] }
  }
  const none = { preVerificationGas: 0n, verificationGasLimit: 0n, callGasLimit: 0n }
  // An account's first operation takes the most: it writes where nothing was.
  const { params } = await write(accounts[0] as Address, 0n, none)
  const gas = await ask('eth_estimateUserOperationGas', params, gasLimits)
  let nonce = 0n

  /** Has each account pay once, all at the same time. @throws {Error} a payment fails */
  async function payTogether() {
    const operations = await Promise.all(accounts.map((sender) => write(sender, nonce, gas)))
    nonce += 1n
    const open = new Set(operations.map(({ hash }) => hash))
    const fromBlock = await client.getBlockNumber()
    const event = { ...entryPoint, eventName: 'UserOperationEvent', strict: true } as const
    const areDone = async () => {
      const logs = await client.getContractEvents({ ...event, fromBlock })
      for (const { args } of logs) {
        if (!args.success) throw new Error(`the user operation ${args.userOpHash} failed`)
        open.delete(args.userOpHash)
      }
      return open.size === 0
    }
    const startedAt = now()
    const sent = operations.map(({ hash, params }) =>
      ask('eth_sendUserOperation', params, z.literal(hash)),
    )
    const late = () => new Error(`${open.size} of ${count} user operations are in no block`)
    await Promise.all([...sent, until(areDone, { everyMs: 25, withinMs: 120_000, late })])
    return { confirmedPerSecond: (count * 1000) / (now() - startedAt) }
  }
  return { pid, payTogether }
}

/** Deploys the contracts, and makes accounts that have money, also at the EntryPoint for gas. */
async function deployAccounts(
  { call, url }: BenchChain,
  client: ChainNode['client'],
  owner: Address,
  count: number,
): Promise<Address[]> {
  const bytecodes = await readBytecodes()
  const account = privateKeyToAddress(devKey)
  const wallet = createWalletClient({ account, chain: rootstockTestnet, transport: http(url) })
  const args = [entryPoint.address] as const
  const bytecode = encodeDeployData({ abi, bytecode: bytecodes.factory, args })
  const factory = getContractAddress({ opcode: 'CREATE2', from: deployer, salt, bytecode })
  await wallet.sendTransaction({ to: deployer, data: concat([salt, bytecodes.entryPoint]) })
  let last = await wallet.sendTransaction({ to: deployer, data: concat([salt, bytecode]) })
  await waitForReceipt(client, last)
  if ((await client.getCode(entryPoint)) === undefined)
    throw new StackError(`${contracts} does not hold the EntryPoint of ${entryPoint.address}.`)
  const accounts: Address[] = []
  for (let index = 0n; index < count; index += 1n) {
    const made = { address: factory, abi, args: [owner, index] } as const
    const address = await client.readContract({ ...made, functionName: 'getAddress' })
    await call('anvil_setBalance', [address, toHex(parseEther('1'))])
    await wallet.writeContract({ ...made, functionName: 'createAccount' })
    const deposit = { functionName: 'depositTo', args: [address], value: parseEther('10') } as const
    last = await wallet.writeContract({ ...entryPoint, ...deposit })
    accounts.push(address)
  }
  await waitForReceipt(client, last)
  return accounts
}

/** Reads the bytecodes of EntryPoint and SimpleAccountFactory from npm's package. */
async function readBytecodes(): Promise<{ entryPoint: Hex; factory: Hex }> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'bench-contracts-'))
  const script = 'cd "$0" && npm pack --silent "$1" && tar -xzf *.tgz'
  const { code, output } = await runCommand(['sh', '-c', script, folder.path, contracts])
  if (code !== 0) throw new StackError(`npm does not bring ${contracts}: ${output}`)
  const read = (name: string) => {
    const artifact = readJson(join(folder.path, 'package', 'artifacts', `${name}.json`))
    return z.object({ bytecode: hex }).parse(artifact).bytecode
  }
  return { entryPoint: read('EntryPoint'), factory: read('SimpleAccountFactory') }
}
