import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, getAddress, parseUnits } from 'viem'
import type { Chain } from '../../src/chain/chains.ts'
import { parseAddress } from '../../src/chain/payees.ts'
import { deriveRelayerAccount } from '../../src/relay/signer.ts'
import { readMaxGasPrice } from '../stack/chain/node.ts'
import { createCommand, flag, runAsProgram, text } from '../stack/command.ts'
import { root } from '../stack/folder.ts'
import { keyOptions, keyUsage, readKeyOf } from '../stack/money/key-source.ts'
import { environments, readEnvironment, readNodeUrl, readRequired } from '../stack/options.ts'
import { Misused } from '../stack/report.ts'
import { deployContracts, type Wanted } from './deploy.ts'
import { buildContracts, readArtifact } from './forge.ts'

const usage = `Usage: npm run deploy:contracts -- --network testnet|mainnet [--keystore FILE | --stdin] [--record FILE]
                                       [--secrets FILE] [--json]

Deploys both contracts and records them in deployments/<chain id>.json, or in FILE. Where they are already,
it sends nothing and says what differs.

${keyUsage}
It owns what it deploys where no owner is named.

       npm run -s deploy:contracts -- --source forwarder|loan

Prints what explorers verify that contract by: the standard JSON input of this build.

The environment says the rest, or FILE of npm run ops -- secrets, for contracts that are deployed now; of others it is said what differs:
  NODE_URL          the node (of several, the first)
  RELAYERS          addresses of the relayers to allow, comma-separated: by default that of RELAYER_MNEMONIC
  FORWARDER_OWNER   final owners, one for each contract: multisigs or hardware wallets
  LOAN_OWNER
  GUARDIAN          may pause both contracts (nobody but the owners by default)
  CREDITOR          keeps the list of borrowers (nobody by default)
  LIST_ONLY         yes: only listed borrowers get a loan (no by default)
  TOKEN             the ERC-20 that the pool is over, for good (the chain's currency by default); amounts are in it
  POOL              given to the pool (none by default)
  PRINCIPAL         of a loan (0.01 by default, 10 of a token)
  CEILING           of the limits that the creditor sets for borrowers (none above the principal by default)
  DAILY_CAP         of loans in any 24 hours (1 by default, 1000 of a token)
  FEE_BASIS_POINTS  of a loan's principal, owed with it, at most 1000 (none by default)
  TERM_DAYS         until a loan is due (30 by default)
  LOANS_PER_DAY     of one borrower, at most 15 (as many as it likes by default)
  PAUSE_MINUTES     between two loans of one borrower (none by default)
  WITHDRAWAL_LIMIT  of forwarded withdrawals in any 24 hours, and of direct transfers (as DAILY_CAP)
  PREDECESSOR       the loan contract whose accounts may move to the new one (none by default)
  MAX_GAS_PRICE_WEI the most that is paid for a unit of gas (1 gwei by default)
`

export const deployCommand = createCommand({
  usage,
  options: { network: text, record: text, source: text, json: flag, ...keyOptions },
  async run(values, given, { env, say, complain }) {
    if (given.length > 0) throw new Misused()
    if (values.source !== undefined) return { lines: [await sourceOf(values.source)] }
    const chainId = environments[readEnvironment(values.network, '--network')]
    const wanted = readWanted(env, chainId)
    const nodeUrl = readNodeUrl(env)
    const relayers = readRelayers(env, chainId)
    // Asked for once all else is known to be good.
    const deployerKey = await readKeyOf(values, env)
    if (deployerKey === undefined) throw new Misused('no key is named that pays.')
    const { loan, forwarder, deployedBlock, differences } = await deployContracts({
      ...wanted,
      nodeUrl,
      relayers,
      chainId,
      recordFile: values.record ?? join(root, 'deployments', `${chainId}.json`),
      deployerKey,
      // What a program reads is the answer alone.
      log: values.json ? complain : say,
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
runAsProgram(import.meta, deployCommand)

/** Reads whom the forwarder takes: addresses, or the mnemonic's first key. @throws {Misused} */
function readRelayers(env: NodeJS.ProcessEnv, chainId: Chain['id']): Address[] {
  const { RELAYERS = '', RELAYER_MNEMONIC: mnemonic } = env
  if (RELAYERS === '' && mnemonic) return [deriveRelayerAccount(mnemonic, chainId, 0).address]
  const texts = readRequired(env, 'RELAYERS').split(',')
  return texts.map((text) => address(text.trim(), 'RELAYERS', chainId))
}

type Read<Value> = (text: string, name: string, chainId: number) => Value

/** Reads what the environment asks for, by these names and in these ways. @throws {Misused} */
function readWanted(env: NodeJS.ProcessEnv, chainId: number): Wanted {
  const amount = env.TOKEN?.trim() ? amountIn(6) : amountIn(18)
  const settings: { readonly [Name in keyof Wanted]-?: [string, Read<Wanted[Name]>] } = {
    token: ['TOKEN', nobodyOr(address)],
    poolWei: ['POOL', amount({ currency: '0', token: '0' })],
    principalWei: ['PRINCIPAL', amount({ currency: '0.01', token: '10' })],
    ceilingWei: ['CEILING', amount({ currency: '0', token: '0' })],
    dailyCapWei: ['DAILY_CAP', amount({ currency: '1', token: '1000' })],
    withdrawalLimitWei: ['WITHDRAWAL_LIMIT', amount({ currency: '1', token: '1000' })],
    maxGasPriceWei: ['MAX_GAS_PRICE_WEI', () => readMaxGasPrice(env)],
    feeRate: ['FEE_BASIS_POINTS', count(0, { atMost: 1_000 })],
    termSeconds: ['TERM_DAYS', count(30, { unit: 24 * 60 * 60 })],
    pauseBetweenSeconds: ['PAUSE_MINUTES', count(0, { unit: 60 })],
    loansPerDay: ['LOANS_PER_DAY', count(0, { atMost: 15 })],
    isListOnly: ['LIST_ONLY', yesOrNo],
    forwarderOwner: ['FORWARDER_OWNER', nobodyOr(address)],
    loanOwner: ['LOAN_OWNER', nobodyOr(address)],
    guardian: ['GUARDIAN', nobodyOr(address)],
    creditor: ['CREDITOR', nobodyOr(address)],
    predecessor: ['PREDECESSOR', nobodyOr(address)],
  }
  return Object.fromEntries(
    Object.entries(settings).map(([wanted, [name, read]]) => {
      return [wanted, read(env[name]?.trim() ?? '', name, chainId)]
    }),
  )
}

function address(text: string, name: string, chainId: number): Address {
  const found = parseAddress(text, chainId)
  if (found !== undefined) return found
  throw new Misused(`${name} has ${text}, which is no address, or one of another chain.`)
}

function nobodyOr<Value>(read: Read<Value>): Read<Value | undefined> {
  return (text, name, chainId) => (text === '' ? undefined : read(text, name, chainId))
}

/** Reads amounts of the currency (18 decimals), or of a token as the contract counts it (6). */
function amountIn(decimals: 6 | 18) {
  return (usual: { currency: string; token: string }): Read<bigint> =>
    (given, name) => {
      const text = given || (decimals === 6 ? usual.token : usual.currency)
      const isAmount = /^\d+(\.\d+)?$/.test(text) && (text.split('.')[1] ?? '').length <= decimals
      if (isAmount) return parseUnits(text, decimals)
      throw new Misused(`${name} is not an amount: ${text}.`)
    }
}

function count(usual: number, { unit = 1, atMost = 999_999 }): Read<number> {
  return (text, name) => {
    if (text === '') return usual * unit
    if (!/^\d{1,6}$/.test(text)) throw new Misused(`${name} is not a whole number: ${text}.`)
    if (Number(text) > atMost) throw new Misused(`${name} is at most ${atMost}, not ${text}.`)
    return Number(text) * unit
  }
}

function yesOrNo(text: string, name: string): boolean {
  if (/^(yes|no|)$/.test(text)) return text === 'yes'
  throw new Misused(`${name} is yes or no, not ${text}.`)
}

/** Gives the standard JSON input of this build, which explorers verify a contract by. */
async function sourceOf(source: string): Promise<string> {
  const name = { forwarder: 'RelayForwarder', loan: 'MicroLoan' }[source]
  if (name === undefined) throw new Misused('--source is forwarder or loan.')
  await buildContracts()
  const { settings, sources } = readArtifact(name).metadata
  const { compilationTarget: _, ...rest } = settings
  const read = (path: string) => ({ content: readFileSync(join(root, path), 'utf8') })
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } }
  return JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(Object.keys(sources).map((path) => [path, read(path)])),
    settings: { ...rest, outputSelection },
  })
}
