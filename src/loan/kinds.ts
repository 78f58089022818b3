type CallRules = {
  /** Names the event by which the contract tells what it has moved. */
  moves: 'Transferred' | 'Withdrawn' | 'LoanIssued' | 'LoanRepaid'
  /** Names the common resource that it takes from. */
  takes: 'nothing' | 'loans' | 'withdrawals'
  /** Is the highest use in the snapshots, in both price lists, plus a fifth. */
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
  /** Counts toward the day's limits, and asks to confirm a payment equal to a recent one. */
  isSent: boolean
  /** Shows the needed amount when the balance is too low. */
  namesNeed: boolean
}

/** Lists every kind of payment; all that depends on the kind is here. */
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
