import { type Address, encodeEventTopics, type Hex } from 'viem'
import { loanAbi } from './abi.ts'
import { decodeEvent, type LoanLog } from './calls.ts'

/** Lists the states of a loan; `moved`: another account or contract has taken it over. */
export const loanStates = ['owed', 'written_off', 'repaid', 'moved'] as const

/** Describes a borrower's last loan as the contract's events tell it. Times are in Unix s. */
export type BookedLoan = {
  borrower: Address
  state: (typeof loanStates)[number]
  issuedAt: number
  dueAt: number
  lentWei: bigint
  owedWei: bigint
  repaidWei: bigint
  earlierLoanCount: number
}

/** Sums up a contract's loans: `loans` is their number, and `termSeconds` the term of new ones. */
export type LoanSums = typeof emptySums

export const emptySums = {
  termSeconds: 0,
  loans: 0,
  lentWei: 0n,
  repaidWei: 0n,
  writtenOffWei: 0n,
}

const loanEvents = [
  'TermsSet',
  'LoanIssued',
  'LoanRepaid',
  'LoanWrittenOff',
  'AccountPassed',
  'AccountMoved',
  'AccountTakenOver',
] as const

export const loanEventTopics: Hex[] = loanEvents.flatMap(
  (eventName) => encodeEventTopics({ abi: loanAbi, eventName }) as Hex[],
)

export type LoanBookAccess = {
  sums: LoanSums
  findLoan(borrower: Address): BookedLoan | undefined
  saveLoan(loan: BookedLoan): void
}

/** Applies one event to the book, and returns the new sums. Events come in the chain's order. */
export function applyLoanEvent({ sums, findLoan, saveLoan }: LoanBookAccess, log: LoanLog) {
  const event = decodeEvent(log)
  switch (event.eventName) {
    case 'TermsSet':
      return { ...sums, termSeconds: event.args.current.term }
    case 'LoanIssued': {
      const { borrower, amount: lentWei, fee, dueAt } = event.args
      // The event has no time of issue.
      const issuedAt = Number(dueAt) - sums.termSeconds
      startLoan({ borrower, issuedAt, dueAt: Number(dueAt), lentWei, owedWei: lentWei + fee })
      return { ...sums, loans: sums.loans + 1, lentWei: sums.lentWei + lentWei }
    }
    case 'LoanRepaid': {
      const { borrower, amount, remaining: owedWei } = event.args
      updateLoan(borrower, ({ state, repaidWei }) => ({
        owedWei,
        repaidWei: repaidWei + amount,
        state: owedWei === 0n ? 'repaid' : state,
      }))
      return { ...sums, repaidWei: sums.repaidWei + amount }
    }
    case 'LoanWrittenOff':
      updateLoan(event.args.borrower, () => ({ state: 'written_off' }))
      return { ...sums, writtenOffWei: sums.writtenOffWei + event.args.amount }
    case 'AccountPassed': {
      // An open debt goes to the new account, and replaces that account's loan in the book.
      const loan = findLoan(event.args.from)
      if (loan !== undefined && loan.owedWei > 0n) saveLoan({ ...loan, borrower: event.args.to })
      updateLoan(event.args.from, markMoved)
      return sums
    }
    case 'AccountMoved':
      updateLoan(event.args.account, markMoved)
      return sums
    case 'AccountTakenOver': {
      const { account: borrower, loan } = event.args
      if (loan.owed === 0n) return sums
      const times = { issuedAt: Number(loan.issuedAt), dueAt: Number(loan.dueAt) }
      startLoan({ borrower, ...times, lentWei: loan.owed, owedWei: loan.owed })
      if (loan.isWrittenOff) updateLoan(borrower, () => ({ state: 'written_off' }))
      return { ...sums, loans: sums.loans + 1, lentWei: sums.lentWei + loan.owed }
    }
    default:
      return sums
  }

  function startLoan(loan: Omit<BookedLoan, 'state' | 'repaidWei' | 'earlierLoanCount'>): void {
    const formerLoan = findLoan(loan.borrower)
    const earlierLoanCount = formerLoan === undefined ? 0 : formerLoan.earlierLoanCount + 1
    saveLoan({ ...loan, state: 'owed', repaidWei: 0n, earlierLoanCount })
  }

  function updateLoan(borrower: Address, change: (loan: BookedLoan) => Partial<BookedLoan>): void {
    const loan = findLoan(borrower)
    if (loan !== undefined) saveLoan({ ...loan, ...change(loan) })
  }
}

const markMoved = ({ owedWei, state }: BookedLoan): Partial<BookedLoan> =>
  owedWei > 0n ? { owedWei: 0n, state: 'moved' } : { state }
