import {
  type Abi,
  type AbiFunction,
  type Address,
  type ContractErrorName,
  type ContractFunctionName,
  type DecodeFunctionDataReturnType,
  decodeAbiParameters,
  decodeErrorResult,
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  isAddressEqual,
  maxUint256,
  slice,
  toFunctionSelector,
} from 'viem'
import { tryTo } from '../runtime/log.ts'
import { loanAbi } from './abi.ts'

export type LoanTerms = { principalWei: bigint; feeWei: bigint; termSeconds: number }

export type LoanCall =
  | { kind: 'transfer'; to: Address; amountWei: bigint }
  /** The contract refuses the loan if these are not its terms. */
  | ({ kind: 'loan' } & LoanTerms)
  /** Repays a part of the debt; `all` is the debt at the time of execution. */
  | { kind: 'repayment'; amountWei: bigint | 'all' }
  /** Moves money out of the contract, to any address. */
  | { kind: 'cashOut'; to: Address; amountWei: bigint }
  /** Credits all that arrived at an account's inlet. */
  | { kind: 'deposit'; account: Address; amountWei: 'all' }

export type LoanRefusal =
  | { reason: 'balance_too_low'; balanceWei: bigint; neededWei: bigint }
  | { reason: 'existing_loan'; owedWei: bigint }
  | { reason: 'no_loan' }
  | { reason: 'repayment_too_large'; owedWei: bigint }
  /** The pool is empty, or the day's new loans have reached their cap. */
  | { reason: 'no_liquidity' }
  | { reason: 'not_listed' }
  | { reason: 'loan_limit' }
  | { reason: 'terms_changed' }
  | { reason: 'invalid_recipient' }
  /** The token moves nothing to there: all of it is paused, or pool or recipient is blocked. */
  | { reason: 'token_refused' }
  | { reason: 'paused' }
  /** The amount is more than the day's limit on withdrawals leaves. */
  | { reason: 'withdrawal_limit'; leftWei: bigint | undefined }
  | { reason: 'nothing_there' }
  | { reason: 'unknown' }

type FunctionItem = Extract<(typeof loanAbi)[number], AbiFunction>

/** Has each function with its selector: viem would hash its signature at each use. */
const functions = loanAbi.flatMap((item) =>
  item.type === 'function' ? [{ item, selector: toFunctionSelector(item) }] : [],
)

function encodeFunctionCall(name: FunctionItem['name'], ...args: readonly unknown[]): Hex {
  const called = functions.find(({ item }) => item.name === name)
  if (called === undefined) throw new Error(`the contract has no function ${name}`)
  return encodeFunctionData({ abi: [called.item] as Abi, functionName: called.selector, args })
}

export function encodeCall(call: LoanCall): Hex {
  switch (call.kind) {
    case 'transfer':
      return encodeFunctionCall('transfer', call.to, call.amountWei)
    case 'loan':
      return encodeFunctionCall(
        'applyForLoanOf',
        call.principalWei,
        call.feeWei,
        BigInt(call.termSeconds),
      )
    case 'repayment':
      // The contract reads the largest number as the whole debt.
      return encodeFunctionCall('repayLoan', call.amountWei === 'all' ? maxUint256 : call.amountWei)
    case 'cashOut':
      return encodeFunctionCall('withdrawTo', call.to, call.amountWei)
    case 'deposit':
      return encodeFunctionCall('sweepInlet', call.account)
  }
}

export const cashOutSelector = toFunctionSelector(getAbiItem({ abi: loanAbi, name: 'withdrawTo' }))

type FunctionCall = DecodeFunctionDataReturnType<typeof loanAbi>

/** Decodes calldata of {@link encodeCall}; returns undefined for other calldata. */
export function decodeCall(data: Hex): LoanCall | undefined {
  const { item } = functions.find(({ selector }) => data.startsWith(selector)) ?? {}
  const args = item && tryTo(() => decodeAbiParameters(item.inputs, slice(data, 4)))
  const call = args && ({ functionName: item.name, args } as unknown as FunctionCall)
  switch (call?.functionName) {
    case 'transfer':
      return { kind: 'transfer', to: call.args[0], amountWei: call.args[1] }
    case 'applyForLoanOf': {
      const [principalWei, feeWei, termSeconds] = call.args
      return { kind: 'loan', principalWei, feeWei, termSeconds: Number(termSeconds) }
    }
    case 'withdrawTo':
      return { kind: 'cashOut', to: call.args[0], amountWei: call.args[1] }
    case 'sweepInlet':
      return { kind: 'deposit', account: call.args[0], amountWei: 'all' }
    case 'repayLoan':
      return { kind: 'repayment', amountWei: call.args[0] === maxUint256 ? 'all' : call.args[0] }
    default:
      return undefined
  }
}

export type LoanRead = ContractFunctionName<typeof loanAbi, 'view'>

export const encodeReadCall: (name: LoanRead, ...args: [] | [account: Address]) => Hex =
  encodeFunctionCall

export const encodeDepositCall = (): Hex => encodeFunctionCall('deposit')

export function encodeDepositTopics(account: Address): Hex[] {
  const args = { account, payer: account }
  return encodeEventTopics({ abi: loanAbi, eventName: 'Deposited', args }) as Hex[]
}

export type LoanLog = { topics: readonly Hex[]; data: Hex }

/** @throws {Error} the contract has no such event */
export const decodeEvent = ({ topics, data }: LoanLog) =>
  decodeEventLog({ abi: loanAbi, data, topics: topics as [Hex, ...Hex[]] })

/** Decodes the amount of a deposit's event. @throws {Error} the event is another one */
export function decodeDepositedWei(log: LoanLog): bigint {
  const event = decodeEvent(log)
  if (event.eventName !== 'Deposited') throw new Error('the event is no deposit')
  return event.args.amount
}

/** Finds what a sweep credited to an account, or what it repaid, if a receipt has one of these. */
export function findCredited(
  events: readonly LoanLog[],
  name: 'Deposited' | 'LoanRepaid',
  account: Address,
): bigint | undefined {
  const decoded = events.map((event) => tryTo(() => decodeEvent(event)))
  const [own, ...others] = decoded.flatMap((event) => {
    if (event?.eventName !== name) return []
    const of = event.eventName === 'Deposited' ? event.args.account : event.args.payer
    return isAddressEqual(of, account) ? event : []
  })
  if (own === undefined || others.length > 0) return undefined
  if (own.eventName === 'LoanRepaid') return own.args.amount
  // Who took the inlet for an account has paid it within the contract.
  const inside = decoded.map((event) =>
    event?.eventName === 'Transferred' && isAddressEqual(event.args.from, own.args.payer)
      ? event.args.amount
      : 0n,
  )
  return inside.reduce((sum, wei) => sum + wei, own.args.amount)
}

const reasonsByError: Partial<Record<ContractErrorName<typeof loanAbi>, PlainReason>> = {
  NoLoan: 'no_loan',
  InsufficientLiquidity: 'no_liquidity',
  DailyCapReached: 'no_liquidity',
  NotListed: 'not_listed',
  LoanTooSoon: 'loan_limit',
  BorrowerLimitReached: 'loan_limit',
  TermsChanged: 'terms_changed',
  // The caller's limit is lower than what was shown.
  PrincipalOutOfRange: 'terms_changed',
  InvalidRecipient: 'invalid_recipient',
  CurrencyRefused: 'invalid_recipient',
  TokenRefused: 'token_refused',
  EnforcedPause: 'paused',
  ZeroAmount: 'nothing_there',
}

type PlainReason = Exclude<
  LoanRefusal,
  { owedWei: bigint } | { balanceWei: bigint } | { leftWei?: bigint | undefined }
>['reason']

/** Decodes why the contract refused a call; `unknown` if the contract does not define the error. */
export function decodeRefusal(data: Hex): LoanRefusal {
  const error = tryTo(() => decodeErrorResult({ abi: loanAbi, data }))
  if (error === undefined) return { reason: 'unknown' }
  switch (error.errorName) {
    case 'InsufficientBalance':
      return { reason: 'balance_too_low', balanceWei: error.args[1], neededWei: error.args[2] }
    case 'LoanActive':
      return { reason: 'existing_loan', owedWei: error.args[1] }
    case 'RepaymentTooLarge':
      return { reason: 'repayment_too_large', owedWei: error.args[0] }
    case 'WithdrawalLimitReached':
      return { reason: 'withdrawal_limit', leftWei: error.args[0] }
    default:
      return { reason: reasonsByError[error.errorName] ?? 'unknown' }
  }
}

/** Lists the words for refusals in log lines, as in the demonstration, and on English screens. */
export const refusalWordings: Readonly<Record<LoanRefusal['reason'], string>> = {
  balance_too_low: 'Balance too low',
  existing_loan: 'Existing loan active',
  no_loan: 'No loan to repay',
  repayment_too_large: 'More than is owed',
  no_liquidity: 'No liquidity',
  not_listed: 'Not a listed borrower',
  loan_limit: 'Too many loans',
  terms_changed: 'Loan terms changed',
  invalid_recipient: 'Recipient not allowed',
  token_refused: 'Refused by the token',
  paused: 'Paused',
  withdrawal_limit: 'Limit of withdrawals reached',
  nothing_there: 'Nothing there',
  unknown: 'Reverted',
}

export const describeLoanRefusal = ({ reason }: LoanRefusal): string => refusalWordings[reason]

/** Returns the reason from its words in a log line; `unknown` if no reason has these words. */
export function parseRefusalReason(words: string): LoanRefusal['reason'] {
  const entry = Object.entries(refusalWordings).find(([, wording]) => wording === words)
  return (entry?.[0] ?? 'unknown') as LoanRefusal['reason']
}
