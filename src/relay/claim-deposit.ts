import type { Hex, LocalAccount } from 'viem'
import { gasPriceWithin } from './fees.ts'
import type { Relayer } from './relayer.ts'
import { createSigner } from './signer.ts'

/** What came of an attempt to bring what is at an account's own address into its balance. */
export type DepositClaim =
  /** On its way. `isTaken`: a node said that it has it; else none may, and it can be asked for again. */
  | { kind: 'sent'; amountWei: bigint; hash: Hex; isTaken: boolean }
  /** A transaction of the account waits for a block already. Nothing more was sent. */
  | { kind: 'under_way' }
  /** Nothing is there, or no more than the gas costs. With the last deposit of the account, if it was lately. */
  | { kind: 'too_little'; thereWei: bigint; gasWei: bigint; last: Deposit | undefined }
  /** The chain's gas price is above the operator's limit. Nothing was sent. */
  | { kind: 'price_too_high' }
  /** An operator has stopped payments. Nothing was sent. */
  | { kind: 'paused' }
  /** Nodes refuse the transaction: nothing has moved. */
  | { kind: 'refused' }

/** One that a block has. */
export type Deposit = { amountWei: bigint; hash: Hex; block: number }

export type DepositClaimOptions = Pick<Relayer, 'ledger' | 'node' | 'fees' | 'clock' | 'log'> & {
  chainId: number
  /** The contract's call that takes the money. */
  deposit: DepositCall
}

/** A call that credits its sender with what is sent along. */
export type DepositCall = {
  to: Hex
  data: Hex
  /** Fails where the contract is not there: what is sent to an empty address is lost. */
  isThere: (account: Hex) => Promise<unknown>
  /** Filters its events of an account's own deposits. */
  topicsOf: (account: Hex) => Hex[]
  amountIn: (event: { topics: Hex[]; data: Hex }) => bigint
}

/**
 * Gas that a deposit may use. A test holds it to the snapshots of what it takes in Rootstock's prices and
 * in Ethereum's; what it does not use stays at the address.
 */
export const depositGas = 80_000

/** How far back the last deposit is looked for: some hours on Rootstock, and one question to a node. */
const lookBackBlocks = 1_000
const nodeTimeoutMs = 5_000

/**
 * Has an account's own key deposit what is at its address, less the gas. It happens once by its nature: one
 * nonce of the account carries it, and what has been deposited is there no more. So nothing is stored,
 * and it may be asked for again whatever became of an answer.
 *
 * @throws {TransportError} no node tells: nothing was sent
 */
export async function claimDeposit(
  options: DepositClaimOptions,
  account: LocalAccount,
): Promise<DepositClaim> {
  const { ledger, node, fees, clock, deposit } = options
  const { address } = account
  const { intake } = await ledger.vitals()
  if (intake.kind !== 'open') return { kind: 'paused' }
  const within = () => clock.timeout(nodeTimeoutMs)
  const [nonce, pending, thereWei, nodePriceWei] = await Promise.all([
    node.transactionCount(address, within()),
    node.transactionCount(address, within(), 'pending'),
    node.balance(address, within()),
    node.gasPrice(within()),
    deposit.isThere(address),
  ])
  if (pending > nonce) return { kind: 'under_way' }
  if (nodePriceWei > fees.maxWei) {
    const facts = { gasPrice: { wei: `${nodePriceWei}` } }
    await ledger.saw({ facts, node: 'answered', round: undefined })
    return { kind: 'price_too_high' }
  }
  const gasPriceWei = gasPriceWithin(fees, nodePriceWei)
  const gasWei = BigInt(depositGas) * gasPriceWei
  if (thereWei <= gasWei) {
    const last = nonce === 0 ? undefined : await lastDeposit(options, address)
    return { kind: 'too_little', thereWei, gasWei, last }
  }
  return await send(options, account, { nonce, gasPriceWei, valueWei: thereWei - gasWei })
}

async function send(
  { node, clock, log, chainId, deposit: { to, data } }: DepositClaimOptions,
  account: LocalAccount,
  { valueWei, ...rest }: { nonce: number; gasPriceWei: bigint; valueWei: bigint },
): Promise<DepositClaim> {
  const signer = createSigner(account, chainId)
  const { raw, hash } = await signer.sign({ ...rest, to, data, gas: depositGas, valueWei })
  const sent = await node.send(raw, clock.timeout(nodeTimeoutMs))
  const outcome = sent.kind === 'refused' ? sent.refusal : sent.kind
  log({ level: 'info', event: 'deposit.sent', message: `Deposit ${outcome}: ${hash}` })
  switch (outcome) {
    case 'taken':
    case 'unknown':
      return { kind: 'sent', amountWei: valueWei, hash, isTaken: outcome === 'taken' }
    // Another claim of the same money was faster.
    case 'nonce_used':
    case 'nonce_occupied':
      return { kind: 'under_way' }
    case 'insufficient_funds':
    case 'nonce_too_high':
    case 'quota':
    case 'price_too_low':
    case 'price_too_high':
    case 'other':
      return { kind: 'refused' }
  }
}

async function lastDeposit(
  { node, clock, deposit }: DepositClaimOptions,
  account: Hex,
): Promise<Deposit | undefined> {
  const head = await node.head(clock.timeout(nodeTimeoutMs))
  const events = await node.logs(
    {
      ...{ address: deposit.to, topics: deposit.topicsOf(account) },
      fromBlock: Math.max(0, head.number - lookBackBlocks),
    },
    clock.timeout(nodeTimeoutMs),
  )
  const event = events.at(-1)
  return (
    event && {
      amountWei: deposit.amountIn(event),
      hash: event.transactionHash,
      block: event.block.number,
    }
  )
}
