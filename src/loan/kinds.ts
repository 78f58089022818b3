/** Names the limit that a call uses up, which all accounts share. */
export type SharedLimit = 'nothing' | 'loans' | 'withdrawals'

type CallRules = {
  /** Names the event in which the contract logs the moved amount. */
  event: 'Transferred' | 'Withdrawn' | 'LoanIssued' | 'LoanRepaid' | 'Deposited'
  sharedLimit: SharedLimit
  /** Limits the gas: a fifth more than the highest use in the snapshots of both chains. */
  gas: number
}

export const loanCalls = {
  transfer: { event: 'Transferred', sharedLimit: 'nothing', gas: 38_000 },
  loan: { event: 'LoanIssued', sharedLimit: 'loans', gas: 98_000 },
  repayment: { event: 'LoanRepaid', sharedLimit: 'nothing', gas: 26_000 },
  cashOut: { event: 'Withdrawn', sharedLimit: 'withdrawals', gas: 117_000 },
  deposit: { event: 'Deposited', sharedLimit: 'nothing', gas: 117_000 },
} as const satisfies Record<string, CallRules>

export type KindRules = {
  name: string
  call: keyof typeof loanCalls
  /** Counts toward the day's limits. An equal payment is made again only after a question. */
  countsAsSent: boolean
}

export const paymentKinds = {
  transfer: { name: 'Transfer', call: 'transfer', countsAsSent: true },
  loan: { name: 'Loan', call: 'loan', countsAsSent: false },
  repayment: { name: 'Repayment', call: 'repayment', countsAsSent: false },
  cashOut: { name: 'Cash-out', call: 'cashOut', countsAsSent: true },
  withdrawal: { name: 'Withdrawal', call: 'transfer', countsAsSent: true },
  /** Costs gas and moves nothing out, so it counts toward the day's number of payments. */
  deposit: { name: 'Deposit', call: 'deposit', countsAsSent: true },
  purchase: { name: 'Bill', call: 'transfer', countsAsSent: true },
} as const satisfies Record<string, KindRules>

export type PaymentKind = keyof typeof paymentKinds

export const kindNames = Object.keys(paymentKinds) as [PaymentKind, ...PaymentKind[]]

export const getCallKind = (kind: PaymentKind): keyof typeof loanCalls => paymentKinds[kind].call

export const getCallRules = (kind: PaymentKind): CallRules => loanCalls[getCallKind(kind)]
