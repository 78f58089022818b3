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

/** What a loan is: amounts in wei, and how long after its issue it is due. */
export type LoanTerms = { principalWei: bigint; feeWei: bigint; termSeconds: number }

/** A call of the loan contract that pays, by its name in `loanCalls`. */
export type LoanCall =
  | { kind: 'transfer'; to: Address; amountWei: bigint }
  /** What the caller was shown; other terms are refused on the chain. */
  | ({ kind: 'loan' } & LoanTerms)
  /** `all`: all that is owed when it executes. */
  | { kind: 'repayment'; amountWei: bigint | 'all' }
  /** Out of the contract, to an address that anybody may hold. */
  | { kind: 'cashOut'; to: Address; amountWei: bigint }

/** Why the loan contract refuses a call. Amounts are in wei. */
export type LoanRefusal =
  | { reason: 'balance_too_low'; balanceWei: bigint; neededWei: bigint }
  | { reason: 'existing_loan'; owedWei: bigint }
  | { reason: 'no_loan' }
  | { reason: 'repayment_too_large'; owedWei: bigint }
  /** No free currency in the pool, or the day's cap on new loans is reached. */
  | { reason: 'no_liquidity' }
  /** Loans are for listed borrowers, and this one is not. */
  | { reason: 'not_listed' }
  /** The borrower has had its loans of the day, or the last one a moment ago. */
  | { reason: 'loan_limit' }
  /** A loan is not what was shown: its amount, its fee or its term. */
  | { reason: 'terms_changed' }
  | { reason: 'invalid_recipient' }
  | { reason: 'paused' }
  /** What all accounts together may take out in a day is used up, but for this, or for less than was asked for. */
  | { reason: 'withdrawal_limit'; leftWei: bigint | undefined }
  /** All of nothing: an empty account. */
  | { reason: 'nothing_there' }
  /** A revert without words of the contract's own. */
  | { reason: 'unknown' }

/** Calldata of MicroLoan.sol. */
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

/** The call in calldata of {@link callOf}; undefined for any other. */
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

/** What is read of the contract, of an account or of all. */
export type LoanRead =
  | ('getBalance' | 'loanOf' | 'loanDetailsOf')
  | ('terms' | 'liquidity' | 'issuable' | 'withdrawable')

export const readCall = (functionName: LoanRead, ...args: [] | [account: Address]): Hex =>
  encodeFunctionData({ abi: microLoanAbi as Abi, functionName, args })

/** Calldata of `deposit`: what is sent along is credited to the sender. */
export const depositCall = (): Hex =>
  encodeFunctionData({ abi: microLoanAbi, functionName: 'deposit' })

/** The topics of what an account's own key has deposited. */
export function depositTopics(account: Address): Hex[] {
  const args = { account, payer: account }
  return encodeEventTopics({ abi: microLoanAbi, eventName: 'Deposited', args }) as Hex[]
}

/** The amount in an event with these topics, in wei. */
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

/** Refusals in the words of log lines and of English screens; "Existing loan active" is the demonstration's. */
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

/** Which refusal a log line names: `unknown` where it is another's words. */
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
