import { type Address, encodeErrorResult, type Hex, maxUint256, toFunctionSelector } from 'viem'
import { lowestWallet } from '../../../../src/chain/payees.ts'
import { microLoanAbi } from '../../../../src/loan/abi.ts'
import { getLeastLoan, getQuantum, type Unit } from '../../../../src/loan/amounts.ts'
import { intentLifetimeSeconds } from '../../../../src/relay/forwarder/abi.ts'
import type { SignedRequest } from '../../../../src/relay/forwarder/requests.ts'
import { digest } from './hashing.ts'

export type ContractState = {
  accounts: Map<Address, LoanAccount>
  liquidityWei: bigint
  /** What has left for addresses outside. */
  outWei: bigint
  /** Principal issued, by the hour (Unix time). */
  issuedWei: Map<number, bigint>
  /** What lies at an inlet, in the token's own parts, and what its account was credited from it. */
  inlets: Map<string, { parts: bigint; sweptWei: bigint }>
  isPaused: boolean
  /** Tells that the owner named a successor two days before the start. */
  hasSuccessor?: boolean
  isRelayerAllowed: boolean
  /** What stands at addresses outside; of all others it is nothing. */
  codes: Map<string, Hex>
  /** When and where an account last spent an intent, by {@link spendingKey}. */
  spentAt: Map<string, Spending>
}

export type Spending = { timestampSeconds: number; blockNumber: number }

/** What an account has spent an intent by, unless the forwarder has forgotten it. */
export function findSpending(
  { spentAt }: ContractState,
  [signer, intentId]: readonly [Address, Hex],
  timestampSeconds: number,
): Spending | undefined {
  const spent = spentAt.get(spendingKey(signer, intentId))
  const isLive = spent && timestampSeconds < spent.timestampSeconds + intentLifetimeSeconds
  return isLive ? spent : undefined
}

const spendingKey = (signer: Address, intentId: Hex): string => `${signer}${intentId}`

/** `issuedHour`: of the last loan, in hours of Unix time; zero if there was none. */
export type LoanAccount = {
  balanceWei: bigint
  owedWei: bigint
  issuedHour: number
  /** Tells that its key announced a withdrawal two days before the start. */
  hasAnnounced?: boolean
  /** Counts the transactions of its own key. */
  actions?: number
}

/** What the owner and the deployment decided for good. Addresses are lower case throughout. */
export type ContractWorld = {
  unit: Unit
  forwarder: Address
  loan: Address
  principalWei: bigint
  dailyCapWei: bigint
  /** Lends to listed accounts alone, and nobody is listed. */
  isListOnly?: boolean
  isSigned: (request: SignedRequest) => boolean
  /** Multiplies `execute`'s usual gas for a request: later ones of a batch may be skipped. */
  gasTimes?: number
}

export const Status = {
  executed: 0,
  failed: 1,
  expired: 2,
  deadlineTooFar: 3,
  badSignature: 4,
  alreadySpent: 5,
  skipped: 6,
  outOfBounds: 7,
} as const

export type ProcessedRequest = { intentId: Hex; from: Address; status: number; returnData: Hex }

export const termSeconds = 30 * 24 * 3_600

const maxDeadlineAheadSeconds = 24 * 60 * 60
const maxGas = 1_000_000
const maxDataBytes = 1024
const maxReturnBytes = 256
const callOverheadGas = 45_000
const requestOverheadGas = 35_000
const hourSeconds = 60 * 60
const selectors = {
  transfer: toFunctionSelector('transfer(address,uint256)'),
  applyForLoanOf: toFunctionSelector('applyForLoanOf(uint256,uint256,uint256)'),
  repayLoan: toFunctionSelector('repayLoan(uint256)'),
  withdrawTo: toFunctionSelector('withdrawTo(address,uint256)'),
  sweepInlet: toFunctionSelector('sweepInlet(address)'),
}

export function cloneContracts(state: ContractState): ContractState {
  return {
    ...state,
    accounts: new Map([...state.accounts].map(([address, account]) => [address, { ...account }])),
    issuedWei: new Map(state.issuedWei),
    inlets: new Map(state.inlets),
    spentAt: new Map(state.spentAt),
  }
}

type Call = { world: ContractWorld; state: ContractState; caller: Address; seconds: number }

/** RelayForwarder's `execute` by an allowed relayer, as its source has it. Changes the state. */
export function executeRequests(
  world: ContractWorld,
  state: ContractState,
  requests: readonly SignedRequest[],
  block: Spending,
  gas: number,
): ProcessedRequest[] {
  let gasLeft = gas
  let isSkipping = false
  return requests.map((request, index) => {
    const { intentId, from } = request
    const of = (status: number, returnData: Hex = '0x') => ({ intentId, from, status, returnData })
    if (isSkipping) return of(Status.skipped)
    const call = { world, state, caller: from, seconds: block.timestampSeconds }
    const refusal = judge(call, request)
    if (refusal !== undefined) return of(refusal)
    const following = requests.length - index - 1
    const needed =
      callOverheadGas + Math.ceil((request.gas * 64) / 63) + following * requestOverheadGas
    if (gasLeft < needed) {
      isSkipping = true
      return of(Status.skipped)
    }
    gasLeft -= (callOverheadGas + requestOverheadGas) * (world.gasTimes ?? 1)
    state.spentAt.set(spendingKey(from, intentId), block)
    const reverted = callLoan(call, request.data)
    if (reverted === undefined) return of(Status.executed)
    return of(Status.failed, reverted.slice(0, 2 + 2 * maxReturnBytes) as Hex)
  })
}

function judge({ world, state, seconds }: Call, request: SignedRequest): number | undefined {
  const bytes = (request.data.length - 2) / 2
  if (bytes < 4 || bytes > maxDataBytes || request.gas > maxGas) return Status.outOfBounds
  const spent = findSpending(state, [request.from, request.intentId], seconds)
  if (spent !== undefined) return Status.alreadySpent
  if (seconds > request.deadline) return Status.expired
  if (request.deadline > seconds + maxDeadlineAheadSeconds) return Status.deadlineTooFar
  if (!world.isSigned(request)) return Status.badSignature
  return undefined
}

/** Answers a forwarded call: undefined, or the data of its revert, which changes nothing. */
function callLoan(call: Call, data: Hex): Hex | undefined {
  const word = (index: number) => BigInt(`0x${data.slice(10 + 64 * index, 74 + 64 * index)}`)
  switch (data.slice(0, 10)) {
    case selectors.transfer:
      return transfer(call, `0x${data.slice(34, 74)}`, word(1))
    case selectors.applyForLoanOf:
      return applyForLoanOf(call, [word(0), word(1), word(2)])
    case selectors.repayLoan:
      return repayLoan(call, word(0))
    case selectors.withdrawTo:
      return withdrawTo(call, word(1))
    case selectors.sweepInlet:
      return sweepInlet(call.world, call.state, `0x${data.slice(34, 74)}`)
    default:
      return '0x'
  }
}

const refused = (errorName: string, ...args: unknown[]): Hex =>
  encodeErrorResult({ abi: microLoanAbi, errorName, args } as Parameters<
    typeof encodeErrorResult
  >[0])

function transfer(call: Call, to: Address, amountWei: bigint): Hex | undefined {
  const { loan, forwarder } = call.world
  const isNobody = BigInt(to) < lowestWallet
  if (isNobody || [loan, forwarder].includes(to)) return refused('InvalidRecipient', to)
  const refusal = debit(call, amountWei)
  if (refusal === undefined) readAccount(call.state, to).balanceWei += amountWei
  return refusal
}

const hourOf = (seconds: number): number => Math.floor(seconds / hourSeconds)

export function issuableWei({ dailyCapWei }: ContractWorld, state: ContractState, seconds: number) {
  const first = hourOf(seconds) - 24
  let issuedWei = 0n
  for (const [at, amountWei] of state.issuedWei) if (at >= first) issuedWei += amountWei
  return dailyCapWei > issuedWei ? dailyCapWei - issuedWei : 0n
}

function applyForLoanOf({ world, state, caller, seconds }: Call, shown: bigint[]): Hex | undefined {
  const [principalWei = 0n] = shown
  const leastPrincipalWei = getLeastLoan(world.unit)
  if (state.isPaused) return refused('EnforcedPause')
  if (world.isListOnly) return refused('NotListed', caller)
  const terms = [principalWei, 0n, BigInt(termSeconds)] as const
  if (terms.some((term, index) => shown[index] !== term)) return refused('TermsChanged', ...terms)
  if (principalWei < leastPrincipalWei || principalWei > world.principalWei) {
    return refused('PrincipalOutOfRange', principalWei, leastPrincipalWei, world.principalWei)
  }
  const account = readAccount(state, caller)
  if (account.owedWei !== 0n) return refused('LoanActive', caller, account.owedWei)
  const leftWei = issuableWei(world, state, seconds)
  if (principalWei > leftWei) return refused('DailyCapReached', leftWei, principalWei)
  if (principalWei > state.liquidityWei) {
    return refused('InsufficientLiquidity', state.liquidityWei, principalWei)
  }
  const hour = hourOf(seconds)
  state.issuedWei.set(hour, (state.issuedWei.get(hour) ?? 0n) + principalWei)
  account.balanceWei += principalWei
  account.owedWei = principalWei
  account.issuedHour = hour
  state.liquidityWei -= principalWei
  return undefined
}

function repayLoan(call: Call, wanted: bigint): Hex | undefined {
  const { state, caller, seconds } = call
  const account = readAccount(state, caller)
  if (account.owedWei === 0n) return refused('NoLoan', caller)
  const amountWei = wanted === maxUint256 ? account.owedWei : wanted
  if (amountWei > account.owedWei) return refused('RepaymentTooLarge', account.owedWei, amountWei)
  const refusal = debit(call, amountWei)
  if (refusal !== undefined) return refusal
  account.owedWei -= amountWei
  state.liquidityWei += amountWei
  // What is repaid counts no more against the cap of its day.
  const { issuedHour } = account
  if (issuedHour >= hourOf(seconds) - 24) {
    state.issuedWei.set(issuedHour, (state.issuedWei.get(issuedHour) ?? 0n) - amountWei)
  }
  return undefined
}

/** No recipient refuses it, and no day has a limit here. */
function withdrawTo(call: Call, amountWei: bigint): Hex | undefined {
  if (call.state.isPaused) return refused('EnforcedPause')
  const refusal = debit(call, amountWei)
  if (refusal === undefined) call.state.outWei += amountWei
  return refusal
}

/** The address at which tokens for an account arrive. */
export const inletOf = (account: string): Address =>
  digest('inlet', account.toLowerCase()).slice(0, 42) as Address

/** Credits the whole quanta at an account's inlet to it, whoever asks for that. */
export function sweepInlet(
  { unit }: Pick<ContractWorld, 'unit'>,
  state: ContractState,
  account: Address,
): Hex | undefined {
  const inlet = inletOf(account)
  const { parts = 0n, sweptWei = 0n } = state.inlets.get(inlet) ?? {}
  const amountWei = parts / getQuantum(unit)
  if (amountWei === 0n) return refused('ZeroAmount')
  state.inlets.set(inlet, { parts: parts % getQuantum(unit), sweptWei: sweptWei + amountWei })
  readAccount(state, account).balanceWei += amountWei
  return undefined
}

function debit({ state, caller }: Call, amountWei: bigint): Hex | undefined {
  if (amountWei === 0n) return refused('ZeroAmount')
  const account = readAccount(state, caller)
  if (amountWei > account.balanceWei) {
    return refused('InsufficientBalance', caller, account.balanceWei, amountWei)
  }
  account.balanceWei -= amountWei
  return undefined
}

/** The account's entry, made if it is missing: Solidity's mappings have one for every key. */
export function readAccount(state: ContractState, address: Address): LoanAccount {
  const known = state.accounts.get(address)
  if (known !== undefined) return known
  const made = { balanceWei: 0n, owedWei: 0n, issuedHour: 0 }
  state.accounts.set(address, made)
  return made
}

/** What the loan contract owes to anybody, or has paid out, less deposits: no call changes it. */
export function totalWei(state: ContractState): bigint {
  let sum = state.liquidityWei + state.outWei
  for (const { balanceWei } of state.accounts.values()) sum += balanceWei
  for (const { sweptWei } of state.inlets.values()) sum -= sweptWei
  return sum
}
