type CallRules = {
  /** Names the event by which the contract tells what it has moved. */
  moves: 'Transferred' | 'Withdrawn' | 'LoanIssued' | 'LoanRepaid'
  /** Says what it takes of what all accounts share. */
  takes: 'nothing' | 'loans' | 'withdrawals'
  /** Is a fifth more than the most in the snapshots, in both price lists. */
  gas: number
}

export const loanCalls = {
  transfer: { moves: 'Transferred', takes: 'nothing', gas: 38_000 },
  loan: { moves: 'LoanIssued', takes: 'loans', gas: 95_000 },
  repayment: { moves: 'LoanRepaid', takes: 'nothing', gas: 26_000 },
  cashOut: { moves: 'Withdrawn', takes: 'withdrawals', gas: 116_000 },
} as const satisfies Record<string, CallRules>

export type KindRules = {
  name: string
  call: keyof typeof loanCalls
  /** Counts toward the day's limit, and is asked about where an equal one was made a moment ago. */
  isSent: boolean
  /** Tells the caller what it comes to where the balance is too low. */
  namesNeed: boolean
}

/** Lists every kind of payment: what depends on the kind is read here. */
export const paymentKinds = {
  transfer: { name: 'Transfer', call: 'transfer', isSent: true, namesNeed: false },
  loan: { name: 'Loan', call: 'loan', isSent: false, namesNeed: false },
  repayment: { name: 'Repayment', call: 'repayment', isSent: false, namesNeed: true },
  cashOut: { name: 'Cash-out', call: 'cashOut', isSent: true, namesNeed: false },
  withdrawal: { name: 'Withdrawal', call: 'transfer', isSent: true, namesNeed: false },
  purchase: { name: 'Bill', call: 'transfer', isSent: true, namesNeed: false },
} as const satisfies Record<string, KindRules>

export type PaymentKind = keyof typeof paymentKinds

export const kindNames = Object.keys(paymentKinds) as [PaymentKind, ...PaymentKind[]]

export const getCallRules = (kind: PaymentKind): CallRules => loanCalls[paymentKinds[kind].call]
