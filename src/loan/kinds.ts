/** What every rule has to know of a kind of payment. */
export type KindRules = {
  /** What log lines call it. */
  name: string
  /**
   * Money leaves the account for another one, or for outside: it counts toward the day's limit, and an equal
   * one of a moment ago is asked about.
   */
  isSent: boolean
  /** By which event the loan contract tells what it has moved. */
  moves: 'Transferred' | 'Withdrawn' | 'LoanIssued' | 'LoanRepaid'
  /** What it takes of what all accounts share. */
  takes: 'nothing' | 'loans' | 'withdrawals'
  /** Its amount comes into an account: whose it is, is told so. */
  isCredit: boolean
  /** Where the balance is too low for it, the caller is told what it comes to. */
  namesNeed: boolean
}

/** Every kind of payment, from the menu to the ledger: what depends on the kind is read here. */
export const paymentKinds = {
  transfer: {
    name: 'Transfer',
    isSent: true,
    moves: 'Transferred',
    takes: 'nothing',
    isCredit: true,
    namesNeed: false,
  },
  loan: {
    name: 'Loan',
    isSent: false,
    moves: 'LoanIssued',
    takes: 'loans',
    isCredit: true,
    namesNeed: false,
  },
  repayment: {
    name: 'Repayment',
    isSent: false,
    moves: 'LoanRepaid',
    takes: 'nothing',
    isCredit: false,
    namesNeed: true,
  },
  cashOut: {
    name: 'Cash-out',
    isSent: true,
    moves: 'Withdrawn',
    takes: 'withdrawals',
    isCredit: false,
    namesNeed: false,
  },
} as const satisfies Record<string, KindRules>

export type PaymentKind = keyof typeof paymentKinds

export const kindNames = Object.keys(paymentKinds) as [PaymentKind, ...PaymentKind[]]

/** What a payment of one kind or another is made of, named by its `kind`. */
export type OfKind<Parts extends Record<PaymentKind, object>> = {
  [Kind in PaymentKind]: { kind: Kind } & Parts[Kind]
}[PaymentKind]

/** The kinds of which a rule says this. */
export type KindsWith<Rule extends keyof KindRules, Says extends KindRules[Rule]> = {
  [Kind in PaymentKind]: (typeof paymentKinds)[Kind][Rule] extends Says ? Kind : never
}[PaymentKind]
