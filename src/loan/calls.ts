import {
  type Abi,
  type Address,
  type ContractErrorName,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  maxUint256,
} from 'viem'
import { loanAbi } from './abi.ts'

export type LoanTerms = { principalWei: bigint; feeWei: bigint; termSeconds: number }

export type LoanCall =
  | { kind: 'transfer'; to: Address; amountWei: bigint }
  /** Is refused on the chain if the terms are not the shown ones. */
  | ({ kind: 'loan' } & LoanTerms)
  /** Repays `all` that is owed when it executes. */
  | { kind: 'repayment'; amountWei: bigint | 'all' }
  /** Pays out of the contract, to an address that anybody may hold. */
  | { kind: 'cashOut'; to: Address; amountWei: bigint }

export type LoanRefusal =
  | { reason: 'balance_too_low'; balanceWei: bigint; neededWei: bigint }
  | { reason: 'existing_loan'; owedWei: bigint }
  | { reason: 'no_loan' }
  | { reason: 'repayment_too_large'; owedWei: bigint }
  /** Means that the pool is empty, or the day's cap on new loans is reached. */
  | { reason: 'no_liquidity' }
  | { reason: 'not_listed' }
  | { reason: 'loan_limit' }
  | { reason: 'terms_changed' }
  | { reason: 'invalid_recipient' }
  | { reason: 'paused' }
  /** Exceeds what is left of the day's limit on withdrawals. */
  | { reason: 'withdrawal_limit'; leftWei: bigint | undefined }
  | { reason: 'nothing_there' }
  | { reason: 'unknown' }

export function encodeCall(call: LoanCall): Hex {
  switch (call.kind) {
    case 'transfer':
      return encode('transfer', call.to, call.amountWei)
    case 'loan':
      return encode('applyForLoanOf', call.principalWei, call.feeWei, BigInt(call.termSeconds))
    case 'repayment':
      // The contract takes the largest number as all that is owed.
      return encode('repayLoan', call.amountWei === 'all' ? maxUint256 : call.amountWei)
    case 'cashOut':
      return encode('withdrawTo', call.to, call.amountWei)
  }
}

/** Decodes calldata of {@link encodeCall}; undefined for any other. */
export function callIn(data: Hex): LoanCall | undefined {
  const call = decoded(() => decodeFunctionData({ abi: loanAbi, data }))
  switch (call?.functionName) {
    case 'transfer':
      return { kind: 'transfer', to: call.args[0], amountWei: call.args[1] }
    case 'applyForLoanOf': {
      const [principalWei, feeWei, termSeconds] = call.args
      return { kind: 'loan', principalWei, feeWei, termSeconds: Number(termSeconds) }
    }
    case 'withdrawTo':
      return { kind: 'cashOut', to: call.args[0], amountWei: call.args[1] }
    case 'repayLoan':
      return { kind: 'repayment', amountWei: call.args[0] === maxUint256 ? 'all' : call.args[0] }
    default:
      return undefined
  }
}

function decoded<Found>(decode: () => Found): Found | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

export type LoanRead =
  | ('getBalance' | 'loanOf' | 'loanDetailsOf')
  | ('terms' | 'liquidity' | 'issuable' | 'withdrawable')

const encode = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: loanAbi as Abi, functionName, args })

export const readCall: (name: LoanRead, ...args: [] | [account: Address]) => Hex = encode

export const depositCall = (): Hex => encode('deposit')

export function depositTopics(account: Address): Hex[] {
  const args = { account, payer: account }
  return encodeEventTopics({ abi: loanAbi, eventName: 'Deposited', args }) as Hex[]
}

export function depositedWei({ topics, data }: { topics: Hex[]; data: Hex }): bigint {
  const [first, ...rest] = topics
  if (first === undefined) throw new Error('an event has no topic')
  const event = { abi: loanAbi, eventName: 'Deposited', data } as const
  return decodeEventLog({ ...event, topics: [first, ...rest] }).args.amount
}

const reasons: Partial<Record<ContractErrorName<typeof loanAbi>, PlainReason>> = {
  NoLoan: 'no_loan',
  InsufficientLiquidity: 'no_liquidity',
  DailyCapReached: 'no_liquidity',
  NotListed: 'not_listed',
  LoanTooSoon: 'loan_limit',
  BorrowerLimitReached: 'loan_limit',
  TermsChanged: 'terms_changed',
  InvalidRecipient: 'invalid_recipient',
  CurrencyRefused: 'invalid_recipient',
  EnforcedPause: 'paused',
  ZeroAmount: 'nothing_there',
}

type PlainReason = Exclude<
  LoanRefusal,
  { owedWei: bigint } | { balanceWei: bigint } | { leftWei?: bigint | undefined }
>['reason']

export function decodeRefusal(data: Hex): LoanRefusal {
  const error = decoded(() => decodeErrorResult({ abi: loanAbi, data }))
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
      return { reason: reasons[error.errorName] ?? 'unknown' }
  }
}

/** Words refusals for log lines, like the demonstration, and for English screens. */
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
  paused: 'Paused',
  withdrawal_limit: 'Limit of withdrawals reached',
  nothing_there: 'Nothing there',
  unknown: 'Reverted',
}

export const refusalWords = ({ reason }: LoanRefusal): string => refusalWordings[reason]

export function refusalIn(words: string): LoanRefusal['reason'] {
  const named = Object.entries(refusalWordings).find(([, each]) => each === words)
  return (named?.[0] ?? 'unknown') as LoanRefusal['reason']
}
