import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entropyToMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import {
  type Address,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  parseEther,
  stringToHex,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { createCallerAccounts } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { hashKey } from '../../../src/keys/api-keys.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { relayerAccount } from '../../../src/relay/keys.ts'
import { deployContracts } from '../../contracts/deploy.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { until } from '../../dev/wait.ts'
import { createNodeCall, quantity } from '../../stack/chain/node-call.ts'
import { devKey } from '../../stack/money/treasury.ts'

/** The chain that everything is measured on. */
export type BenchChain = {
  url: string
  pid: number
  loan: Address
  call: ReturnType<typeof createNodeCall>
  /** Gives phones whose accounts have money, each in its turn. */
  nextPhone: () => string
  /** Makes the Worker's environment for this chain, with the relayer's key of this name. */
  makeVariables: (relayer: string, nodeUrl?: string) => Promise<Record<string, string>>
  /** Makes an account that has money in the contract and for gas, and gives its key. */
  makeAccount: (name: string) => Promise<Hex>
}

const blockSeconds = 0.25

/** Empty blocks with which the chain begins: enough for a question for the logs of 2,000. */
const blocksBefore = 2_200

/** Fresh callers: each of them pays once in so many payments. */
const callerCount = 512

/** Every relayer key that is used: the forwarder takes transactions of these alone. */
const relayers = ['plain', 'counting', 'inspected', 'reads', 'rootstock', 'deno']

/** An API key of the node service without a quota, and the account of whom everybody pays. */
export const apiKey = 'the-key-of-the-benchmark'
export const recipient: Address = '0x00000000000000000000000000000000000a11ce'

/** Starts an anvil with the contracts, and with money for relayers and callers. */
export async function startBenchChain(
  atEnd: (stop: () => Promise<void>) => void,
): Promise<BenchChain> {
  // A block for each transaction would make blocks by the thousand, and each of anvil's costs more than
  // the one before: the more so, the more accounts there are, so what needs many has them from the start.
  const anvil = await startAnvil({ args: ['--block-time', `${blockSeconds}`] })
  atEnd(anvil.stop)
  const call = createNodeCall(anvil.url, { timeoutMs: 300_000 })
  await call('anvil_mine', [toHex(blocksBefore)], z.unknown())
  const addresses = relayers.map((name) => relayerAccount(makeMnemonic(name), 31, 0).address)
  const folder = mkdtempSync(join(tmpdir(), 'bench-deployment-'))
  const { loan, forwarder } = await deployContracts({
    nodeUrl: anvil.url,
    chainId: 31,
    deployerKey: devKey(),
    relayers: addresses,
    recordFile: join(folder, '31.json'),
    poolWei: parseEther('10'),
    log: () => {},
  })
  rmSync(folder, { recursive: true })
  for (const address of addresses) await giveGas(call, address)
  const phones = Array.from({ length: callerCount }, (_, index) => `+2547000${10_000 + index}`)
  const deriveAccount = createCallerAccounts(makeSecret('accounts'))
  const accounts = await Promise.all(
    phones.map((phone) => deriveAccount(parseCaller(phone) as PhoneNumber)),
  )
  await deposit(call, loan, [...accounts.map(({ address }) => address), recipient])
  const keyHash = await hashKey(apiKey)
  let next = 0

  return {
    url: anvil.url,
    pid: anvil.process.pid ?? 0,
    loan,
    call,
    nextPhone: () => phones[next++ % phones.length] ?? '',
    makeVariables: async (relayer, nodeUrl = anvil.url) => ({
      ENVIRONMENT: 'development',
      CHAIN_ID: '31',
      POOL_RULES: 'anvil',
      PREFLIGHT: 'on',
      NODE_URL: nodeUrl,
      LOAN_ADDRESS: loan,
      FORWARDER_ADDRESS: forwarder,
      RELAYER_MNEMONIC: makeMnemonic(relayer),
      ACCOUNT_ID_SECRET: makeSecret('sessions'),
      ACCOUNT_KEY_SECRET: makeSecret('accounts'),
      RPC_KEY_HASHES: keyHash,
      OPERATOR_TOKEN: 'the-token-of-the-benchmark',
    }),
    async makeAccount(name) {
      const { address } = privateKeyToAccount(makeSecret(name))
      await giveGas(call, address)
      await deposit(call, loan, [address])
      return makeSecret(name)
    },
  }
}

type Call = BenchChain['call']

async function giveGas(call: Call, address: Address): Promise<void> {
  await call('anvil_setBalance', [address, toHex(parseEther('1000'))], z.unknown())
}

/** Deposits for each account, and waits until nothing waits for a block. */
async function deposit(call: Call, loan: Address, accounts: readonly Address[]): Promise<void> {
  const owner = privateKeyToAccount(devKey())
  const first = await call('eth_getTransactionCount', [owner.address, 'pending'], quantity)
  for (const [index, account] of accounts.entries()) {
    const raw = await owner.signTransaction({
      type: 'legacy',
      chainId: 31,
      nonce: first + index,
      to: loan,
      gas: 300_000n,
      gasPrice: parseEther('10', 'gwei'),
      data: encodeFunctionData({ abi: microLoanAbi, functionName: 'depositFor', args: [account] }),
      value: parseEther('1'),
    })
    await call('eth_sendRawTransaction', [raw], z.unknown())
  }
  const status = z.object({ pending: quantity, queued: quantity })
  const isMined = async () => {
    const { pending, queued } = await call('txpool_status', [], status)
    return pending + queued === 0
  }
  await until(isMined, { everyMs: 50 })
}

/** Makes 32 bytes that are the same in every run. */
function makeSecret(name: string): Hex {
  return keccak256(stringToHex(`benchmark ${name}`))
}

function makeMnemonic(name: string): string {
  return entropyToMnemonic(hexToBytes(makeSecret(name)).slice(0, 16), wordlist)
}
