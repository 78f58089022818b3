import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Abi,
  type Address,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  type LocalAccount,
  parseEther,
  slice,
  stringToHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { sendTransaction } from 'viem/actions'
import { deployContracts } from '../../../scripts/contracts/deploy.ts'
import { migrate } from '../../../scripts/contracts/migrate/cli.ts'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { devKey } from '../../../scripts/dev/anvil.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { waitForReceipt } from '../../../scripts/dev/wait.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import {
  encodeExecute,
  intentIdLength,
  signRequest,
} from '../../../src/relay/forwarder/requests.ts'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'
import { type Process, runHere, startProcess } from '../../support/processes.ts'

export type Owner = { phone: PhoneNumber; account: LocalAccount; heir: LocalAccount }

export type World = Awaited<ReturnType<typeof openWorld>>

const devAccount = privateKeyToAccount(devKey)
const day = 24 * 60 * 60

/**
 * Opens a chain with two pairs of contracts, of which the second takes over the accounts of the
 * first: seven phones, three of them with a loan and its fee, one written off and one repaid in
 * part; and a wallet.
 */
export async function openWorld() {
  const relayers: [Hex, Hex] = [generatePrivateKey(), generatePrivateKey()]
  const chain = await startChain(
    [],
    relayers.map((key) => privateKeyToAccount(key).address),
  )
  const ask = createRpcCall(chain.anvil.url)
  const client = createPublicClient({ transport: http(chain.anvil.url) })
  for (const key of relayers) {
    const { address } = privateKeyToAccount(key)
    await ask('anvil_setBalance', [address, `0x${parseEther('10').toString(16)}`])
  }
  const folder = mkdtempSync(join(tmpdir(), 'migration-'))
  const records = { from: join(folder, 'from.json'), to: join(folder, 'to.json') }
  const genesis = await client.getBlock({ blockNumber: 0n })
  const { loan, forwarder } = chain
  const record = { chainId: 31, genesisHash: genesis.hash, forwarder, loan, deployedBlock: '0' }
  writeFileSync(records.from, JSON.stringify({ ...record, state: 'deployed' }))
  const { loan: to } = await deployContracts({
    nodeUrl: chain.anvil.url,
    chainId: 31,
    deployerKey: devKey,
    relayers: [],
    recordFile: records.to,
    predecessor: loan,
    log: () => {},
  })
  const secret = chain.bindings.ACCOUNT_KEY_SECRET as Hex
  const newSecret = keccak256(stringToHex(secret))
  const owners = await Promise.all(
    Array.from({ length: 7 }, async (_, index) => {
      const phone = parseCaller(`+25470000001${index}`) as PhoneNumber
      const account = await createCallerAccounts(secret)(phone)
      return { phone, account, heir: await createCallerAccounts(newSecret)(phone) }
    }),
  )
  const world = {
    chain,
    client,
    ask,
    from: loan,
    to,
    records,
    owners: owners as unknown as [Owner, Owner, Owner, Owner, ...Owner[]],
    wallet: privateKeyToAccount(generatePrivateKey()),
    /** Keys that the first forwarder knows. */
    relayers,
    secrets: [secret, newSecret, ...relayers].map((text) => text.slice(2)),
    environment: {
      NODE_URL: chain.anvil.url,
      ACCOUNT_KEY_SECRET: secret,
      NEW_ACCOUNT_KEY_SECRET: newSecret,
      RELAYER_KEY: relayers[0],
    } as Record<string, string>,
    stop: async () => {
      await chain.stop()
      rmSync(folder, { recursive: true })
    },
  }
  await fill(world)
  return world
}

async function fill(world: World): Promise<void> {
  const { from, owners, wallet } = world
  for (const [index, { account }] of owners.entries()) {
    const value = parseEther('0.5') + BigInt(index)
    await asOwner(world, from, 'depositFor', [account.address], value)
  }
  const [{ account: first }, { account: second }, { account: third }, { account: fourth }] = owners
  const terms = await loanAt(world.client, from).terms()
  await asOwner(world, from, 'setTerms', [{ ...terms, feeRate: 250 }])
  const loan = encodeCall({ kind: 'loan', ...usualTerms })
  for (const borrower of [first, second, third]) await forward(world, borrower, loan)
  await forward(world, second, encodeCall({ kind: 'repayment', amountWei: parseEther('0.004') }))
  await asOwner(world, from, 'writeOff', [third.address])
  const sent = encodeCall({ kind: 'transfer', to: wallet.address, amountWei: parseEther('0.1') })
  await forward(world, fourth, sent)
  for (const loan of [from, world.to]) {
    await asOwner(world, loan, 'setCreditor', [devAccount.address])
  }
  await list(world, from, [fourth.address])
}

export async function list(world: World, loan: Address, accounts: Address[]): Promise<void> {
  await asOwner(world, loan, 'setBorrowers', [accounts, true])
}

/** Lets accounts move to the second pair: its 48 hours are over, and the first is paused. */
export async function allowMigration(world: World): Promise<void> {
  await asOwner(world, world.from, 'announceSuccessor', [world.to])
  await world.ask('evm_increaseTime', [2 * day])
  await world.ask('evm_mine')
  await pause(world)
}

export function pause(world: World): Promise<void> {
  return asOwner(world, world.from, 'pause')
}

/** Calls a contract as the owner of all of them; it is in a block when this resolves. */
export function asOwner(
  world: World,
  to: Address,
  functionName: string,
  args: readonly unknown[] = [],
  value = 0n,
): Promise<void> {
  const data = encodeFunctionData({ abi: microLoanAbi as Abi, functionName, args })
  return sendAs(world, devAccount, to, { data, value })
}

/** Sends a funded key's transaction, and waits for its block. */
async function sendAs(
  { client }: Pick<World, 'client'>,
  account: LocalAccount,
  to: Address,
  { data, value }: { data: Hex; value: bigint },
): Promise<void> {
  const paying = { type: 'legacy', gas: 600_000n, gasPrice: parseEther('10', 'gwei') } as const
  const hash = await sendTransaction(client, { account, chain: null, to, data, value, ...paying })
  const { status } = await waitForReceipt(client, hash)
  if (status !== 'success') throw new Error(`a call of ${to} reverted: ${data.slice(0, 10)}`)
}

export const usualTerms = {
  principalWei: parseEther('0.01'),
  feeWei: parseEther('0.00025'),
  termSeconds: 30 * 86_400,
}

/** Forwards an account's signed call by the chain's relayer; it has to succeed. */
export async function forward(
  world: Pick<World, 'chain' | 'client'>,
  signer: LocalAccount,
  data: Hex,
): Promise<void> {
  const { chain, client } = world
  const { timestamp } = await client.getBlock()
  const request = await signRequest(
    signer,
    { chainId: 31, address: chain.forwarder },
    {
      from: signer.address,
      intentId: slice(generatePrivateKey(), 0, intentIdLength),
      gas: 200_000,
      deadline: Number(timestamp) + 3_600,
      data,
    },
  )
  const relayer = deriveRelayerAccount(chain.bindings.RELAYER_MNEMONIC as string, 31, 0)
  await sendAs(world, relayer, chain.forwarder, { data: encodeExecute([request]), value: 0n })
}

type CommandOptions = { owners?: Owner[]; [name: string]: unknown }

/** Starts the command in a process; the numbers of these owners come from its standard input. */
export function startCommand(
  world: World,
  args: readonly string[],
  options?: CommandOptions,
): Process {
  const named = ['scripts/ops.ts', 'migrate', ...argumentsOf(world, args)]
  return startProcess(process.execPath, named, setUp(world, options))
}

export const runCommand = (world: World, args: readonly string[], options?: CommandOptions) =>
  runHere(migrate, argumentsOf(world, args), setUp(world, options))

function argumentsOf({ records }: World, args: readonly string[]): string[] {
  return [...args, ...(args[1] === 'pair' ? ['--to', records.to] : []), '--record', records.from]
}

function setUp(world: World, { owners = world.owners, ...environment }: CommandOptions = {}) {
  const env = { ...world.environment, ...(environment as Record<string, string>) }
  return { env, input: owners.map(({ phone }) => `${phone}\n`).join('') }
}

export async function readHolding({ client }: World, loan: Address, account: Address) {
  const read = loanAt(client, loan)
  const [balance, debt] = await Promise.all([
    read.getBalance([account]),
    read.loanDetailsOf([account]),
  ])
  return { balance, debt }
}
