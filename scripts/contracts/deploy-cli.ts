import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Address, getAddress, type Hex, isAddress, isHex, parseEther, size } from 'viem'
import { deployContracts } from './deploy.ts'
import { projectRoot } from './forge.ts'

const networks: Readonly<Record<string, 30 | 31>> = { testnet: 31, mainnet: 30 }

const usage = `usage: npm run deploy:contracts -- --network testnet|mainnet [--record FILE]

The environment says the rest:
  NODE_URL      the node (of several, the first)
  DEPLOYER_KEY  pays, and owns what it deploys
  RELAYERS      addresses of the relayers to allow, comma-separated
  POOL          given to the pool if that is empty (none by default)
  PRINCIPAL     of a loan, for a new contract (0.01 by default)
  DAILY_CAP     of loans in any 24 hours, for a new contract (1 by default)
  NEW_OWNER     is offered the ownership of both contracts (nobody by default)
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { network: { type: 'string' }, record: { type: 'string' } },
  })
  const chainId = networks[values.network ?? '']
  if (chainId === undefined) throw new UsageError('name a network')
  const newOwner = process.env.NEW_OWNER
  const { loan, forwarder, deployedBlock } = await deployContracts({
    nodeUrl: required('NODE_URL').split(',')[0]?.trim() ?? '',
    chainId,
    deployerKey: readKey(required('DEPLOYER_KEY')),
    relayers: required('RELAYERS')
      .split(',')
      .map((text) => readAddress(text.trim(), chainId)),
    recordFile: values.record ?? join(projectRoot, 'deployments', `${chainId}.json`),
    poolWei: readAmount('POOL', '0'),
    principalWei: readAmount('PRINCIPAL', '0.01'),
    dailyCapWei: readAmount('DAILY_CAP', '1'),
    ...(newOwner ? { newOwner: readAddress(newOwner, chainId) } : {}),
    log,
  })
  log('')
  log("For the Worker's configuration (wrangler.toml, [vars]):")
  log(`CHAIN_ID = "${chainId}"`)
  log(`LOAN_ADDRESS = "${getAddress(loan, chainId)}"`)
  log(`FORWARDER_ADDRESS = "${getAddress(forwarder, chainId)}"`)
  log(`# deployed in block ${deployedBlock} or later`)
  if (newOwner)
    log(`# ${newOwner} owns both contracts once it has called acceptOwnership() of each`)
}

function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new UsageError(`${name} is not set`)
  return value
}

function readKey(text: string): Hex {
  if (!isHex(text) || size(text) !== 32)
    throw new UsageError('DEPLOYER_KEY is not 0x and 64 digits')
  return text
}

/** All lower case, or with the checksum of EIP-1191 for this chain or of EIP-55. */
function readAddress(text: string, chainId: number): Address {
  const lower = text.toLowerCase() as Address
  if (!isAddress(lower)) throw new UsageError(`${text} is not an address`)
  if (![lower, getAddress(lower, chainId), getAddress(lower)].some((form) => form === text)) {
    throw new UsageError(`${text} has the checksum of another chain or a wrong digit`)
  }
  return lower
}

function readAmount(name: string, byDefault: string): bigint {
  const text = process.env[name] || byDefault
  if (!/^\d+(\.\d{1,18})?$/.test(text)) throw new UsageError(`${name} is not an amount: ${text}`)
  return parseEther(text)
}

function log(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The command was called in a way that it can't follow. */
class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(message: string) {
    super(`${message}\n\n${usage}`)
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : error}\n`)
  process.exitCode = 1
}
