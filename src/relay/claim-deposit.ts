import type { Address, Hex, LocalAccount } from 'viem'
import type { SendResult } from '../chain/node.ts'
import { chooseVerdict, type SendVerdict } from '../chain/refusals.ts'
import { decodeDepositedWei, encodeDepositCall, encodeDepositTopics } from '../loan/calls.ts'
import type { LoanReader } from '../loan/reader.ts'
import { hashKeccak } from '../runtime/keccak.ts'
import { limitGasPrice, nodeTimeoutMs, type Relayer } from './relayer.ts'

/** Tells the result of depositing the balance of an account's own address. */
export type DepositClaim =
  /** Was sent; unless `isTaken`, no node confirmed that, so the caller may try again. */
  | { kind: 'sent'; amountWei: bigint; hash: Hex; isTaken: boolean }
  /** Was not sent, because another transaction of the account waits for a block. */
  | { kind: 'under_way' }
  /** Was not sent: the balance does not exceed the gas. Has the last deposit, if one is known. */
  | { kind: 'too_little'; balanceWei: bigint; gasWei: bigint; last: Deposit | undefined }
  /** Was not sent: the chain's gas price is above the operator's limit. */
  | { kind: 'price_too_high' }
  /** Was not sent: an operator has stopped payments, or holds the account. */
  | { kind: 'paused' | 'held' }
  /** Was refused by nodes: nothing has moved. */
  | { kind: 'refused' }

export type Deposit = { amountWei: bigint; hash: Hex; block: number }

type DepositClaimOptions = { relayer: Relayer; loan: Address; reader: LoanReader }

/** Limits a deposit's gas; a test compares it with real use at both networks' gas prices. */
export const depositGas = 80_000

/** Limits how many blocks are searched for the last deposit: hours on Rootstock, one request. */
const lookBackBlocks = 1_000
/**
 * Deposits the balance of an account's address, less the gas. Stores nothing and may be repeated:
 * one nonce executes once, and deposited money has left the address.
 * @throws {TransportError} no node answers; nothing was sent
 */
export async function claimDeposit(
  options: DepositClaimOptions,
  account: LocalAccount,
): Promise<DepositClaim> {
  const { ledger, node, fees, clock } = options.relayer
  const { address } = account
  const [{ intake }, { heldAt }] = await Promise.all([
    ledger.readVitals(),
    ledger.readStanding(address),
  ])
  if (intake.kind !== 'open') return { kind: 'paused' }
  if (heldAt !== undefined) return { kind: 'held' }
  const within = () => clock.timeout(nodeTimeoutMs)
  const [nonce, pending, balanceWei, nodePriceWei] = await Promise.all([
    node.getTransactionCount(address, within()),
    node.getTransactionCount(address, within(), 'pending'),
    node.getBalance(address, within()),
    node.getGasPrice(within()),
    // Rejects if the contract is missing: value sent to an empty address is lost.
    options.reader.readBalance(address),
  ])
  if (pending > nonce) return { kind: 'under_way' }
  if (nodePriceWei > fees.maxWei) {
    const facts = { gasPriceWei: { value: nodePriceWei } }
    await ledger.recordObservations({ facts, node: 'answered', round: undefined })
    return { kind: 'price_too_high' }
  }
  const gasPriceWei = limitGasPrice(fees, nodePriceWei)
  const gasWei = BigInt(depositGas) * gasPriceWei
  if (balanceWei <= gasWei) {
    const last = nonce === 0 ? undefined : await findLastDeposit(options, address)
    return { kind: 'too_little', balanceWei, gasWei, last }
  }
  return await send(options, account, { nonce, gasPriceWei, valueWei: balanceWei - gasWei })
}

async function send(
  { relayer: { node, clock, log, forwarder }, loan: to }: DepositClaimOptions,
  account: LocalAccount,
  { nonce, gasPriceWei, valueWei }: { nonce: number; gasPriceWei: bigint; valueWei: bigint },
): Promise<DepositClaim> {
  const [gas, gasPrice, value] = [BigInt(depositGas), gasPriceWei, valueWei]
  const { chainId } = forwarder
  const priced = { type: 'legacy', chainId, nonce, gas, gasPrice, value } as const
  const raw = await account.signTransaction({ ...priced, to, data: encodeDepositCall() })
  const hash = hashKeccak(raw)
  const sent = await node.send(raw, clock.timeout(nodeTimeoutMs))
  const outcome = readOutcome(sent)
  log({ level: 'info', event: 'deposit.sent', message: `Deposit ${outcome}: ${hash}` })
  switch (outcome) {
    case 'taken':
    case 'unknown':
      return { kind: 'sent', amountWei: valueWei, hash, isTaken: outcome === 'taken' }
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

/** Returns what became of a deposit: while one node may have it, no refusal counts. */
function readOutcome(sent: SendResult): SendVerdict {
  if (sent.kind === 'taken') return 'taken'
  const mayHave = sent.verdicts.some(({ verdict }) => verdict === 'unknown')
  return (!mayHave && chooseVerdict(sent.verdicts)?.verdict) || 'unknown'
}

async function findLastDeposit(
  { relayer: { node, clock }, loan: address }: DepositClaimOptions,
  account: Hex,
): Promise<Deposit | undefined> {
  const head = await node.getHead(clock.timeout(nodeTimeoutMs))
  const fromBlock = Math.max(0, head.number - lookBackBlocks)
  const filter = { address, topics: encodeDepositTopics(account), fromBlock }
  const event = (await node.getLogs(filter, clock.timeout(nodeTimeoutMs))).at(-1)
  if (event === undefined) return undefined
  const { transactionHash: hash, block } = event
  return { amountWei: decodeDepositedWei(event), hash, block: block.number }
}
