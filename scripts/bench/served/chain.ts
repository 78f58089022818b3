import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  encodeFunctionData,
  type Hex,
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

/** Mnemonics of BIP-39's published test vectors: a relayer of its own for each relay that is served. */
const mnemonics = {
  plain: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  counting: 'letter advice cage absurd amount doctor acoustic avoid letter advice cage above',
  inspected: 'zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong',
  reads: 'turtle front uncle idea crush write shrug there lottery flower risk shell',
  manyBlocks: 'scheme spot photo card baby mountain device kick cradle pact join borrow',
  rootstock: 'jelly better achieve collect unaware mountain thought cargo oxygen act hood bridge',
  deno: 'ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic',
} as const

export type RelayName = keyof typeof mnemonics

/** The chain that everything is measured on. */
export type BenchChain = {
  url: string
  pid: number
  loan: Address
  call: ReturnType<typeof createNodeCall>
  /** Phones whose accounts have money, each asked for in its turn. */
  nextPhone: () => string
  /** The Worker's environment for this chain, with a relayer of its own. */
  variables: (relay: RelayName, nodeUrl?: string) => Record<string, string>
  /** The key of the account that the afternoon's server pays with. */
  accountKey: (name: string) => Hex
}

const blockSeconds = 0.25

/** Empty blocks with which the chain begins: enough for a question for the logs of 2,000. */
const blocksBefore = 2_200

/** Fresh callers: each of them pays once in so many payments. */
const callerCount = 512

/** An API key of the node service without a quota, and the account of whom everybody pays. */
export const apiKey = 'the-key-of-the-benchmark'
export const recipient: Address = '0x00000000000000000000000000000000000a11ce'

const accountKeySecret = secretOf('accounts')

/**
 * Starts an anvil with the contracts, the relayers' gas money and the callers' deposits. What ends it is
 * handed over before all that, which takes seconds.
 */
export async function startBenchChain(
  afternoons: readonly string[],
  atEnd: (stop: () => Promise<void>) => void,
): Promise<BenchChain> {
  // A block for each transaction would make blocks by the thousand, and each of anvil's costs more than
  // the one before: the more so, the more accounts there are, so what needs many has them from the start.
  const anvil = await startAnvil({ args: ['--block-time', `${blockSeconds}`] })
  atEnd(anvil.stop)
  const call = createNodeCall(anvil.url, { timeoutMs: 300_000 })
  await call('anvil_mine', [toHex(blocksBefore)], z.unknown())
  const relayers = Object.values(mnemonics).map((words) => relayerAccount(words, 31, 0).address)
  const folder = mkdtempSync(join(tmpdir(), 'bench-deployment-'))
  const { loan, forwarder } = await deployContracts({
    nodeUrl: anvil.url,
    chainId: 31,
    deployerKey: devKey(),
    relayers,
    recordFile: join(folder, '31.json'),
    poolWei: parseEther('10'),
    log: () => {},
  })
  rmSync(folder, { recursive: true })
  const payers = afternoons.map((name) => privateKeyToAccount(secretOf(name)).address)
  for (const address of [...relayers, ...payers]) {
    await call('anvil_setBalance', [address, toHex(parseEther('1000'))], z.unknown())
  }
  const phones = Array.from({ length: callerCount }, (_, index) => `+2547000${10_000 + index}`)
  const accountOf = createCallerAccounts(accountKeySecret)
  const accounts = await Promise.all(
    phones.map(async (phone) => (await accountOf(parseCaller(phone) as PhoneNumber)).address),
  )
  await deposit({ call, loan }, [...accounts, ...payers, recipient])
  await untilMined(call)
  const keyHash = await hashKey(apiKey)
  let next = 0

  return {
    url: anvil.url,
    pid: anvil.process.pid ?? 0,
    loan,
    call,
    nextPhone: () => phones[next++ % phones.length] ?? '',
    variables: (relay, nodeUrl = anvil.url) => ({
      ENVIRONMENT: 'development',
      CHAIN_ID: '31',
      POOL_RULES: 'anvil',
      PREFLIGHT: 'on',
      NODE_URL: nodeUrl,
      LOAN_ADDRESS: loan,
      FORWARDER_ADDRESS: forwarder,
      RELAYER_MNEMONIC: mnemonics[relay],
      ACCOUNT_ID_SECRET: secretOf('sessions'),
      ACCOUNT_KEY_SECRET: accountKeySecret,
      RPC_KEY_HASHES: keyHash,
      OPERATOR_TOKEN: 'the-token-of-the-benchmark',
    }),
    accountKey: secretOf,
  }
}

/** Until nothing waits for a block. */
async function untilMined(call: BenchChain['call']): Promise<void> {
  const status = z.object({ pending: quantity, queued: quantity })
  await until(
    async () => {
      const { pending, queued } = await call('txpool_status', [], status)
      return pending + queued === 0
    },
    { everyMs: 50 },
  )
}

/** 32 bytes that are the same in every run. */
function secretOf(name: string): Hex {
  return keccak256(stringToHex(`benchmark ${name}`))
}

async function deposit(
  { call, loan }: { call: BenchChain['call']; loan: Address },
  accounts: readonly Address[],
): Promise<void> {
  const owner = privateKeyToAccount(devKey())
  const count = z.string().transform(Number)
  const first = await call('eth_getTransactionCount', [owner.address, 'pending'], count)
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
}
