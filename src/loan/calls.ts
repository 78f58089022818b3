import {
  type Abi,
  type Address,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  maxUint256,
} from 'viem'
import { microLoanAbi } from './abi.ts'

export type LoanTerms = { principalWei: bigint; feeWei: bigint; termSeconds: number }

export type LoanCall =
  | { kind: 'transfer'; to: Address; amountWei: bigint }
  /** Is refused on the chain where the terms are not those that were shown. */
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
  /** Has no free currency in the pool, or has reached the day's cap on new loans. */
  | { reason: 'no_liquidity' }
  | { reason: 'not_listed' }
  | { reason: 'loan_limit' }
  | { reason: 'terms_changed' }
  | { reason: 'invalid_recipient' }
  | { reason: 'paused' }
  /** Leaves less than was asked for to all withdrawals of a day. */
  | { reason: 'withdrawal_limit'; leftWei: bigint | undefined }
  | { reason: 'nothing_there' }
  | { reason: 'unknown' }

export function callOf(call: LoanCall): Hex {
  switch (call.kind) {
    case 'transfer':
      return encodeFunctionData({
        abi: microLoanAbi,
        functionName: 'transfer',
        args: [call.to, call.amountWei],
      })
    case 'loan':
      return encodeFunctionData({
        abi: microLoanAbi,
        functionName: 'applyForLoanOf',
        args: [call.principalWei, call.feeWei, BigInt(call.termSeconds)],
      })
    case 'repayment':
      return encodeFunctionData({
        abi: microLoanAbi,
        functionName: 'repayLoan',
        // The contract takes the largest number as all that is owed.
        args: [call.amountWei === 'all' ? maxUint256 : call.amountWei],
      })
    case 'cashOut':
      return encodeFunctionData({
        abi: microLoanAbi,
        functionName: 'withdrawTo',
        args: [call.to, call.amountWei],
      })
  }
}

/** Reads calldata of {@link callOf}; undefined for any other. */
export function callIn(data: Hex): LoanCall | undefined {
  const call = decodeCall(data)
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

function decodeCall(data: Hex) {
  try {
    return decodeFunctionData({ abi: microLoanAbi, data })
  } catch {
    // No function of this contract, or not its arguments.
    return undefined
  }
}

export type LoanRead =
  | ('getBalance' | 'loanOf' | 'loanDetailsOf')
  | ('terms' | 'liquidity' | 'issuable' | 'withdrawable')

export const readCall = (functionName: LoanRead, ...args: [] | [account: Address]): Hex =>
  encodeFunctionData({ abi: microLoanAbi as Abi, functionName, args })

/** Makes calldata that credits what is sent along to the sender. */
export const depositCall = (): Hex =>
  encodeFunctionData({ abi: microLoanAbi, functionName: 'deposit' })

export function depositTopics(account: Address): Hex[] {
  const args = { account, payer: account }
  return encodeEventTopics({ abi: microLoanAbi, eventName: 'Deposited', args }) as Hex[]
}

export function depositedWei({ topics, data }: { topics: Hex[]; data: Hex }): bigint {
  const [first, ...rest] = topics
  if (first === undefined) throw new Error('an event has no topic')
  const event = { abi: microLoanAbi, eventName: 'Deposited', data } as const
  return decodeEventLog({ ...event, topics: [first, ...rest] }).args.amount
}

export function refusalOf(revertData: Hex): LoanRefusal {
  const error = decodeRevert(revertData)
  switch (error?.errorName) {
    case 'InsufficientBalance':
      return { reason: 'balance_too_low', balanceWei: error.args[1], neededWei: error.args[2] }
    case 'LoanActive':
      return { reason: 'existing_loan', owedWei: error.args[1] }
    case 'NoLoan':
      return { reason: 'no_loan' }
    case 'RepaymentTooLarge':
      return { reason: 'repayment_too_large', owedWei: error.args[0] }
    case 'InsufficientLiquidity':
    case 'DailyCapReached':
      return { reason: 'no_liquidity' }
    case 'NotListed':
      return { reason: 'not_listed' }
    case 'LoanTooSoon':
    case 'BorrowerLimitReached':
      return { reason: 'loan_limit' }
    case 'TermsChanged':
      return { reason: 'terms_changed' }
    case 'InvalidRecipient':
    case 'CurrencyRefused':
      return { reason: 'invalid_recipient' }
    case 'EnforcedPause':
      return { reason: 'paused' }
    case 'WithdrawalLimitReached':
      return { reason: 'withdrawal_limit', leftWei: error.args[0] }
    case 'ZeroAmount':
      return { reason: 'nothing_there' }
    default:
      return { reason: 'unknown' }
  }
}

/** Words refusals for log lines, as the demonstration does, and for English screens. */
export const refusalWordsOf: Readonly<Record<LoanRefusal['reason'], string>> = {
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

export const refusalWords = ({ reason }: LoanRefusal): string => refusalWordsOf[reason]

/** Finds the refusal that a log line names. */
export function refusalIn(words: string): LoanRefusal['reason'] {
  const named = Object.entries(refusalWordsOf).find(([, each]) => each === words)
  return (named?.[0] ?? 'unknown') as LoanRefusal['reason']
}

function decodeRevert(data: Hex) {
  try {
    return decodeErrorResult({ abi: microLoanAbi, data })
  } catch {
    // Foreign or empty data: the call ran out of gas, or another contract's error came through.
    return undefined
  }
}
