/** What every rule has to know of a call of the loan contract that pays. */
type CallRules = {
  /** By which event the contract tells what it has moved. */
  moves: 'Transferred' | 'Withdrawn' | 'LoanIssued' | 'LoanRepaid'
  /** What it takes of what all accounts share. */
  takes: 'nothing' | 'loans' | 'withdrawals'
  /**
   * Gas that its request is signed for: the most that it takes in the snapshots, in Rootstock's prices and in
   * Ethereum's, and a fifth more. Never what a simulation took: a recipient that is emptied before the request is
   * executed costs 15,000 more. A test holds this to the snapshots.
   */
  gas: number
}

/** The calls of the loan contract that pay. */
export const loanCalls = {
  transfer: { moves: 'Transferred', takes: 'nothing', gas: 38_000 },
  loan: { moves: 'LoanIssued', takes: 'loans', gas: 95_000 },
  repayment: { moves: 'LoanRepaid', takes: 'nothing', gas: 26_000 },
  cashOut: { moves: 'Withdrawn', takes: 'withdrawals', gas: 116_000 },
} as const satisfies Record<string, CallRules>

/** What every rule has to know of a kind of payment. */
export type KindRules = {
  /** What log lines call it. */
  name: string
  call: keyof typeof loanCalls
  /**
   * Money leaves the account for another one, or for outside: it counts toward the day's limit, and an equal
   * one of a moment ago is asked about.
   */
  isSent: boolean
  /** Where the balance is too low for it, the caller is told what it comes to. */
  namesNeed: boolean
}

/** Every kind of payment, from the menu to the ledger: what depends on the kind is read here. */
export const paymentKinds = {
  transfer: { name: 'Transfer', call: 'transfer', isSent: true, namesNeed: false },
  loan: { name: 'Loan', call: 'loan', isSent: false, namesNeed: false },
  repayment: { name: 'Repayment', call: 'repayment', isSent: false, namesNeed: true },
  cashOut: { name: 'Cash-out', call: 'cashOut', isSent: true, namesNeed: false },
} as const satisfies Record<string, KindRules>

export type PaymentKind = keyof typeof paymentKinds

export const kindNames = Object.keys(paymentKinds) as [PaymentKind, ...PaymentKind[]]

export const callRulesOf = (kind: PaymentKind): CallRules => loanCalls[paymentKinds[kind].call]
