type CallRules = {
  /** The event in which the contract names the amount that was moved. */
  event: 'Transferred' | 'Withdrawn' | 'LoanIssued' | 'LoanRepaid'
  /** The limit that all accounts share, from which the call takes. */
  sharedLimit: 'nothing' | 'loans' | 'withdrawals'
  /** The highest gas use in the snapshots, with either chain's gas costs, plus a fifth. */
  gas: number
}

export const loanCalls = {
  transfer: { event: 'Transferred', sharedLimit: 'nothing', gas: 38_000 },
  loan: { event: 'LoanIssued', sharedLimit: 'loans', gas: 95_000 },
  repayment: { event: 'LoanRepaid', sharedLimit: 'nothing', gas: 26_000 },
  cashOut: { event: 'Withdrawn', sharedLimit: 'withdrawals', gas: 116_000 },
} as const satisfies Record<string, CallRules>

export type KindRules = {
  name: string
  call: keyof typeof loanCalls
  /** Counts toward the day's limits, and asks before an equal payment is made again. */
  countsAsSent: boolean
  /** Shows the needed amount if the balance is too low. */
  showsNeededAmount: boolean
}

/** Lists the kinds of payment, with the rules that depend on the kind. */
export const paymentKinds = {
  transfer: { name: 'Transfer', call: 'transfer', countsAsSent: true, showsNeededAmount: false },
  loan: { name: 'Loan', call: 'loan', countsAsSent: false, showsNeededAmount: false },
  repayment: { name: 'Repayment', call: 'repayment', countsAsSent: false, showsNeededAmount: true },
  cashOut: { name: 'Cash-out', call: 'cashOut', countsAsSent: true, showsNeededAmount: false },
  withdrawal: {
    name: 'Withdrawal',
    call: 'transfer',
    countsAsSent: true,
    showsNeededAmount: false,
  },
  purchase: { name: 'Bill', call: 'transfer', countsAsSent: true, showsNeededAmount: false },
} as const satisfies Record<string, KindRules>

export type PaymentKind = keyof typeof paymentKinds

export const kindNames = Object.keys(paymentKinds) as [PaymentKind, ...PaymentKind[]]

export const getCallRules = (kind: PaymentKind): CallRules => loanCalls[paymentKinds[kind].call]
