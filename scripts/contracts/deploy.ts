import {
  type Address,
  encodeDeployData,
  getAddress,
  getContractAddress,
  type Hex,
  isAddressEqual,
  zeroAddress,
} from 'viem'
import type { Chain as ServedChain } from '../../src/chain/chains.ts'
import { type ChainNode, maxGasPrice, openNode, priceObstacle } from '../stack/chain/node.ts'
import { readIfThere, writeJson } from '../stack/files.ts'
import { createTreasury, fundCalls, type Treasury } from '../stack/money/treasury.ts'
import { money, StackError } from '../stack/report.ts'
import { buildContracts, readArtifact } from './forge.ts'
import { forwarderAt, loanAt } from './reads.ts'
import { type DeploymentRecord, deploymentRecord } from './records.ts'

/** Describes a deployment and who pays for it; amounts are in wei, or a token's in millionths. */
export type DeployOptions = {
  nodeUrl: string
  chainId: ServedChain['id']
  /** Pays, and owns what it deploys where no owner is named. It is never shown. */
  deployerKey: Hex
  relayers: readonly Address[]
  /** Names records: `.dev/…` for a local chain, `deployments/<chainId>.json` for a public one. */
  recordFile: string
  log: (line: string) => void
} & Wanted

/** Describes a deployment's request; missing terms are the usual ones, roles the deployer's. */
export type Wanted = Some<Amount, bigint> &
  Some<Count, number> &
  Some<Role, Address> &
  Some<'isListOnly', boolean>

type Some<Names extends string, Value> = { readonly [Name in Names]?: Value | undefined }

type Amount =
  | 'poolWei'
  | 'principalWei'
  | 'ceilingWei'
  | 'dailyCapWei'
  | 'withdrawalLimitWei'
  | 'maxGasPriceWei'
/** The fee is in basis points of the principal. */
type Count = 'feeRate' | 'termSeconds' | 'pauseBetweenSeconds' | 'loansPerDay'
/** The predecessor's accounts may move to the new contract; the token is what it is over. */
type Role = 'forwarderOwner' | 'loanOwner' | 'guardian' | 'creditor' | 'predecessor' | 'token'

export type Deployment = Awaited<ReturnType<typeof deployContracts>>

type Chain = { node: ChainNode; client: ChainNode['client']; deployer: Treasury }

type ContractName = 'RelayForwarder' | 'MicroLoan'

/** Brings both contracts onto the chain, or says what differs there. @throws {StackError} */
export async function deployContracts(options: DeployOptions) {
  const { nodeUrl, chainId, deployerKey, maxGasPriceWei, recordFile, log } = options
  const node = await openNode([nodeUrl], chainId)
  const { client } = node
  const isPublic = /(^|[\\/])deployments[\\/][^\\/]+$/.test(recordFile)
  if (node.isAnvil && isPublic) throw publicRecord(recordFile)
  const deployer = createTreasury(node, deployerKey, { maxGasPriceWei, log })
  const chain = { node, client, deployer }
  await buildContracts()
  const before = await findDeployed(chain, options)
  const isThere = before?.hasForwarder === true && before.hasLoan
  if (isThere && before.record.state === 'deployed') {
    log(`contracts are in place on chain ${chainId}`)
    return finish(chain, options, before.record)
  }
  // Each sending looks once more; here nothing is recorded yet.
  const price = await client.getGasPrice()
  const obstacle = priceObstacle(maxGasPrice(maxGasPriceWei, node), price)
  if (obstacle !== undefined) throw new StackError(`nothing was sent: ${obstacle}`)
  const sentWei = isOverToken(options) ? 0n : options.poolWei
  if (!before?.hasForwarder) await checkFunds(chain, price, sentWei)
  const record = isThere ? before.record : await planRecord(chain, before)
  writeJson(recordFile, record)
  log('deploying contracts')
  await sendMissing(chain, options, { record, before })
  const isSeen =
    (await checkCode(chain, 'RelayForwarder', record.forwarder)) &&
    (await checkCode(chain, 'MicroLoan', record.loan))
  if (!isSeen) throw missingCode(recordFile)
  return finish(chain, options, record)
}

/** Limits the gas of both contracts and the pool's money, with what transactions reserve. */
const deploymentGas = 8_500_000n

/** Refuses a deployment that its payer cannot pay for at today's price. @throws {StackError} */
async function checkFunds({ node, deployer }: Chain, priceWei: bigint, poolWei = 0n) {
  const [has, gasWei] = [await deployer.balance(), (deploymentGas * priceWei * 11n) / 10n]
  if (has >= gasWei + poolWei) return
  const amount = (wei: bigint) => money(wei, node.chain.currency)
  throw new StackError(
    `Insufficient funds: ${deployer.address} has ${amount(has)}, and a deployment takes ${amount(gasWei)} for gas at today's price and ${amount(poolWei)} for the pool. Send it ${amount(gasWei + poolWei - has)}. Nothing was sent.`,
  )
}

type Found = NonNullable<Awaited<ReturnType<typeof findDeployed>>>

/** Finds the record's contracts on the chain. Foreign code at their addresses is an error. */
async function findDeployed(chain: Chain, { recordFile, chainId }: DeployOptions) {
  const { isAnvil, genesis } = chain.node
  const kept = readIfThere(recordFile)
  if (kept === undefined) return undefined
  const record = deploymentRecord.parse(JSON.parse(`${kept}`))
  const isSameChain = record.chainId === chainId && record.genesisHash === genesis
  // A local chain that was started over leaves its record behind. A public one is never started
  // over.
  if (!isSameChain && isAnvil) return undefined
  if (!isSameChain) throw publicRecord(recordFile)
  const hasForwarder = await checkCode(chain, 'RelayForwarder', record.forwarder)
  const hasLoan = await checkCode(chain, 'MicroLoan', record.loan)
  const found = { record, hasForwarder, hasLoan }
  await checkTrust(chain, found)
  const isGone = !hasForwarder || !hasLoan
  if (isGone && record.state === 'deployed' && !isAnvil) throw missingCode(recordFile)
  return found
}

/** Refuses a pair that does not name each other: masked code says nothing of its immutables. */
async function checkTrust({ client }: Chain, { record, hasForwarder, hasLoan }: Found) {
  const { loan, forwarder } = record
  if (!hasLoan) return
  const trusted = await loanAt(client, loan).trustedForwarder()
  if (!isAddressEqual(trusted, forwarder)) throw new OtherCode('MicroLoan', loan)
  if (!hasForwarder) return
  const target = await forwarderAt(client, forwarder).target()
  if (!isAddressEqual(target, loan)) throw new OtherCode('RelayForwarder', forwarder)
}

/** Finds what is otherwise on the chain than asked for; what was not asked for is not compared. */
async function findDifferences(chain: Chain, options: DeployOptions, record: DeploymentRecord) {
  const { client } = chain
  const forwarder = forwarderAt(client, record.forwarder)
  const loan = loanAt(client, record.loan)
  const terms = await loan.terms()
  const unit = (await loan.token()) === zeroAddress ? 'wei' : 'millionths of the token'
  const pairs: [string, unknown, unknown][] = [
    [`the principal in ${unit}`, terms.principal, options.principalWei],
    [`the ceiling of limits in ${unit}`, await loan.ceilingOfLimits(), options.ceilingWei],
    [`the daily cap in ${unit}`, terms.dailyCap, options.dailyCapWei],
    ['the fee in basis points', terms.feeRate, options.feeRate],
    ['the term in seconds', terms.term, options.termSeconds],
    ['the pause between loans in seconds', terms.pauseBetween, options.pauseBetweenSeconds],
    ['the loans of a borrower in a day', terms.loansPerDay, options.loansPerDay],
    ['lending by list', terms.listOnly, options.isListOnly],
    [
      `the limit of withdrawals in ${unit}`,
      await loan.withdrawalLimit(),
      options.withdrawalLimitWei,
    ],
    ['the creditor', await loan.creditor(), options.creditor],
    ['the predecessor', await loan.predecessor(), options.predecessor],
    ['the token', await loan.token(), options.token],
    ["the loan contract's owner", await loan.owner(), options.loanOwner],
    ["the loan contract's guardian", await loan.guardian(), options.guardian],
    ["the forwarder's owner", await forwarder.owner(), options.forwarderOwner],
    ["the forwarder's guardian", await forwarder.guardian(), options.guardian],
  ]
  const found: string[] = []
  for (const relayer of options.relayers) {
    const isAllowed = await forwarder.isRelayer([relayer])
    if (!isAllowed) found.push(`the relayer ${relayer} is not allowed`)
  }
  for (const [what, is, wanted] of pairs) {
    const isSame = `${is}`.toLowerCase() === `${wanted}`.toLowerCase()
    if (wanted !== undefined && !isSame) found.push(`${what} is ${is}, not ${wanted}`)
  }
  return found
}

async function planRecord({ client, node, deployer }: Chain, before: Found | undefined) {
  const from = deployer.address
  const nonce = await client.getTransactionCount({ address: from })
  const pending = await client.getTransactionCount({ address: from, blockTag: 'pending' })
  if (pending !== nonce) {
    const words = `${from} has transactions that no block holds yet: wait for them, then try again`
    throw new StackError(words)
  }
  const next = (offset: number) =>
    getContractAddress({ from, nonce: BigInt(nonce + offset) }).toLowerCase() as Address
  const common = { chainId: node.chain.id, genesisHash: node.genesis, state: 'sending' } as const
  if (before?.hasForwarder) {
    // The forwarder calls one address for good: where none of ours can come to stand there any
    // more, it is left.
    const target = await forwarderAt(client, before.record.forwarder).target()
    if (isAddressEqual(target, next(0))) return { ...before.record, ...common, loan: next(0) }
  }
  const block = await client.getBlockNumber()
  return { ...common, forwarder: next(0), loan: next(1), deployedBlock: `${block + 1n}` }
}

/** Deploys what is missing and funds an empty pool, one transaction after another. */
async function sendMissing(
  { client, node, deployer }: Chain,
  options: DeployOptions,
  { record, before }: { record: DeploymentRecord; before: Found | undefined },
): Promise<void> {
  const { forwarder, loan } = record
  const { address: owner } = deployer
  const { forwarderOwner = owner, loanOwner = owner, guardian = zeroAddress } = options
  const create = async (name: ContractName, args: readonly unknown[]) => {
    const { abi, bytecode } = readArtifact(name)
    await deployer.send({ data: encodeDeployData({ abi, bytecode: bytecode.object, args }) })
  }
  if (!before?.hasForwarder || before.record.forwarder !== forwarder) {
    // The two name each other: this one is told where the other comes to stand.
    await create('RelayForwarder', [forwarderOwner, guardian, options.relayers, loan])
  }
  if (!before?.hasLoan) {
    const usualLimit = isOverToken(options) ? 1_000n * 10n ** 6n : 10n ** 18n
    const setup = readSetup(options, (node.isAnvil ? 1_000n : 1n) * usualLimit)
    await create('MicroLoan', [{ ...setup, forwarder, owner: loanOwner, guardian }])
  }
  const { poolWei = 0n } = options
  if (poolWei > 0n && (await loanAt(client, loan).liquidity()) === 0n) {
    await deployer.payLoan(loan, fundCalls, [], poolWei)
  }
}

const isOverToken = ({ token = zeroAddress }: Wanted): boolean => token !== zeroAddress

/** Returns a loan contract's setup: as asked, else as usual, with this limit of a day. */
export function readSetup(options: Wanted, usualLimitWei: bigint) {
  return {
    predecessor: options.predecessor ?? zeroAddress,
    token: options.token ?? zeroAddress,
    creditor: options.creditor ?? zeroAddress,
    ceiling: options.ceilingWei ?? 0n,
    withdrawalLimit: options.withdrawalLimitWei ?? usualLimitWei,
    terms: {
      principal: options.principalWei ?? (isOverToken(options) ? 10n ** 7n : 10n ** 16n),
      dailyCap: options.dailyCapWei ?? usualLimitWei,
      term: options.termSeconds ?? 30 * 24 * 60 * 60,
      pauseBetween: options.pauseBetweenSeconds ?? 0,
      loansPerDay: options.loansPerDay ?? 0,
      listOnly: options.isListOnly ?? false,
      feeRate: options.feeRate ?? 0,
    },
  }
}

/** Returns addresses in lower case, which has no checksum, and what only an owner may change. */
async function finish(chain: Chain, options: DeployOptions, record: DeploymentRecord) {
  const { loan, forwarder, chainId, deployedBlock } = record
  writeJson(options.recordFile, { ...record, state: 'deployed' })
  options.log(`RelayForwarder ${getAddress(forwarder, chainId)}`)
  options.log(`MicroLoan      ${getAddress(loan, chainId)}`)
  const differences = await findDifferences(chain, options, record)
  for (const difference of differences) options.log(`differs: ${difference}`)
  return { loan, forwarder, deployedBlock: BigInt(deployedBlock), differences }
}

async function checkCode({ client }: Chain, name: ContractName, address: Address) {
  const code = await client.getCode({ address })
  if (code === undefined || code === '0x') return false
  const { object, immutableReferences } = readArtifact(name).deployedBytecode
  const spans = Object.values(immutableReferences).flat()
  // Immutables are the constructor's to write, and so the only bytes that a build does not know.
  const masked = (hex: Hex) => {
    const bytes = Buffer.from(hex.slice(2), 'hex')
    for (const { start, length } of spans) bytes.fill(0, start, start + length)
    return bytes
  }
  if (code.length === object.length && masked(code).equals(masked(object))) return true
  throw new OtherCode(name, address)
}

function publicRecord(file: string): StackError {
  return new StackError(
    `${file} is the record of a public network, and the node serves another chain with its id: name a file for that one, --record FILE`,
  )
}

function missingCode(file: string): StackError {
  return new StackError(
    `the chain has no code at an address of ${file}: the node may be behind; nothing is deployed over a record`,
  )
}

/** Is thrown for code that this build did not make, which is left unchanged. */
export class OtherCode extends StackError {
  constructor(contract: ContractName, address: Address) {
    super(
      `${contract} at ${address} differs from this build: use the version that deployed it, or move to a new one (contracts/README.md)`,
    )
  }
}
