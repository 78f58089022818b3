import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, getAddress, isAddress, parseEther } from 'viem'
import { environments, readRequired } from '../ops/environment.ts'
import { readMaxGasPrice } from '../stack/chain/node.ts'
import { createCommand } from '../stack/command.ts'
import { keyOptions, keyUsage, readKeyOf } from '../stack/money/key-source.ts'
import { Misused } from '../stack/report.ts'
import { deployContracts } from './deploy.ts'
import { buildContracts, projectRoot, readArtifact } from './forge.ts'

const usage = `Usage: npm run deploy:contracts -- --network testnet|mainnet [--keystore FILE | --stdin] [--record FILE] [--json]

Deploys both contracts and records them in deployments/<chain id>.json, or in FILE. Where they are already,
it sends nothing and says what differs.

${keyUsage}
It owns what it deploys where no owner is named.

       npm run -s deploy:contracts -- --source forwarder|loan

Prints what explorers verify that contract by: the standard JSON input of this build.

The environment says the rest, for contracts that are deployed now; of others it is said what differs:
  NODE_URL          the node (of several, the first)
  RELAYERS          addresses of the relayers to allow, comma-separated
  FORWARDER_OWNER   final owners, one for each contract: multisigs or hardware wallets
  LOAN_OWNER
  GUARDIAN          may pause both contracts (nobody but the owners by default)
  CREDITOR          keeps the list of borrowers (nobody by default)
  LIST_ONLY         yes: only listed borrowers get a loan (no by default)
  POOL              given to the pool (none by default)
  PRINCIPAL         of a loan (0.01 by default)
  DAILY_CAP         of loans in any 24 hours (1 by default)
  FEE_BASIS_POINTS  of a loan's principal, owed with it, at most 1000 (none by default)
  TERM_DAYS         until a loan is due (30 by default)
  LOANS_PER_DAY     of one borrower, at most 15 (as many as it likes by default)
  PAUSE_MINUTES     between two loans of one borrower (none by default)
  WITHDRAWAL_LIMIT  of forwarded withdrawals in any 24 hours, and of direct transfers (1 by default)
  PREDECESSOR       the loan contract whose accounts may move to the new one (none by default)
  MAX_GAS_PRICE_WEI the most that is paid for a unit of gas (1 gwei by default)
`

export const deployCommand = createCommand({
  usage,
  options: { network: undefined, record: undefined, source: undefined, json: false, ...keyOptions },
  async run(values, given, terminal) {
    if (given.length > 0) throw new Misused()
    if (values.source !== undefined) return { lines: [await sourceOf(values.source)] }
    if (values.network !== 'testnet' && values.network !== 'mainnet') {
      throw misused('name a network')
    }
    const chainId = environments[values.network]
    // What a program reads is the answer alone.
    const log = values.json ? terminal.complain : terminal.say
    const asked = readAsked(terminal.env, chainId)
    // Asked for once all else is known to be good.
    const deployerKey = await readKeyOf(values, terminal.env)
    if (deployerKey === undefined) throw misused('no key is named that pays')
    const { loan, forwarder, deployedBlock, differences } = await deployContracts({
      ...asked,
      recordFile: values.record ?? join(projectRoot, 'deployments', `${chainId}.json`),
      deployerKey,
      log,
    })
    return {
      json: { chainId, loan, forwarder, deployedBlock: `${deployedBlock}`, differences },
      lines: [
        '',
        "For the Worker's configuration (wrangler.toml, [vars]):",
        `CHAIN_ID = "${chainId}"`,
        `LOAN_ADDRESS = "${getAddress(loan, chainId)}"`,
        `FORWARDER_ADDRESS = "${getAddress(forwarder, chainId)}"`,
        `# deployed in block ${deployedBlock} or later`,
      ],
    }
  },
})

function readAsked(env: NodeJS.ProcessEnv, chainId: 30 | 31) {
  const addressOf = (name: string) => {
    const text = env[name]
    return text ? readAddress(text.trim(), chainId) : undefined
  }
  return {
    nodeUrl: readRequired(env, 'NODE_URL').split(',')[0]?.trim() ?? '',
    chainId,
    relayers: readRequired(env, 'RELAYERS')
      .split(',')
      .map((text) => readAddress(text.trim(), chainId)),
    poolWei: readAmount(env, 'POOL', '0'),
    principalWei: readAmount(env, 'PRINCIPAL', '0.01'),
    dailyCapWei: readAmount(env, 'DAILY_CAP', '1'),
    withdrawalLimitWei: readAmount(env, 'WITHDRAWAL_LIMIT', '1'),
    feeRate: readCount(env, 'FEE_BASIS_POINTS', 0, 1_000),
    termSeconds: readCount(env, 'TERM_DAYS', 30) * 24 * 60 * 60,
    pauseBetweenSeconds: readCount(env, 'PAUSE_MINUTES', 0) * 60,
    loansPerDay: readCount(env, 'LOANS_PER_DAY', 0, 15),
    isListOnly: readYes(env, 'LIST_ONLY'),
    forwarderOwner: addressOf('FORWARDER_OWNER'),
    loanOwner: addressOf('LOAN_OWNER'),
    guardian: addressOf('GUARDIAN'),
    creditor: addressOf('CREDITOR'),
    predecessor: addressOf('PREDECESSOR'),
    maxGasPriceWei: readMaxGasPrice(env),
  }
}

async function sourceOf(name: string): Promise<string> {
  const contract = { forwarder: 'RelayForwarder', loan: 'MicroLoan' }[name]
  if (contract === undefined) throw misused('--source is forwarder or loan')
  await buildContracts()
  return JSON.stringify(sourceJson(contract))
}

/** All lower case, or with the checksum of EIP-1191 for this chain or of EIP-55. */
function readAddress(text: string, chainId: number): Address {
  const lower = text.toLowerCase() as Address
  if (!isAddress(lower)) throw misused(`${text} is not an address`)
  if (![lower, getAddress(lower, chainId), getAddress(lower)].some((form) => form === text)) {
    throw misused(`${text} has the checksum of another chain or a wrong digit`)
  }
  return lower
}

function readAmount(env: NodeJS.ProcessEnv, name: string, byDefault: string): bigint {
  const text = env[name] || byDefault
  if (!/^\d+(\.\d{1,18})?$/.test(text)) throw misused(`${name} is not an amount: ${text}`)
  return parseEther(text)
}

function readCount(
  env: NodeJS.ProcessEnv,
  name: string,
  byDefault: number,
  atMost = 999_999,
): number {
  const text = env[name]
  if (!text) return byDefault
  if (!/^\d{1,6}$/.test(text)) throw misused(`${name} is not a whole number: ${text}`)
  if (Number(text) > atMost) throw misused(`${name} is at most ${atMost}, not ${text}`)
  return Number(text)
}

function readYes(env: NodeJS.ProcessEnv, name: string): boolean {
  const text = env[name] || 'no'
  if (text !== 'yes' && text !== 'no') throw misused(`${name} is yes or no, not ${text}`)
  return text === 'yes'
}

const misused = (fault: string) => new Misused(`${fault}.`)

/** Gives the standard JSON input of the last build, which explorers verify a contract by. */
function sourceJson(name: string): object {
  const { settings, sources } = readArtifact(name).metadata
  const { compilationTarget: _, ...rest } = settings
  const read = (path: string) => ({ content: readFileSync(join(projectRoot, path), 'utf8') })
  return {
    language: 'Solidity',
    sources: Object.fromEntries(Object.keys(sources).map((path) => [path, read(path)])),
    settings: {
      ...rest,
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } },
    },
  }
}

if (import.meta.main) process.exitCode = await deployCommand()
