import { type Address, decodeEventLog, encodeEventTopics, type Hex } from 'viem'
import { loanAbi } from './abi.ts'

/** Lists the states of a loan; `moved` to another account or contract. */
export const loanStates = ['owed', 'written_off', 'repaid', 'moved'] as const

/** Holds a borrower's last loan, by the contract's events. Times are Unix times in s. */
export type BookedLoan = {
  borrower: Address
  state: (typeof loanStates)[number]
  issuedAt: number
  dueAt: number
  lentWei: bigint
  owedWei: bigint
  repaidWei: bigint
  /** Counts the borrower's loans before this one. */
  earlier: number
}

/** Sums up all loans of a contract; `termSeconds` is the term of new loans. */
export type LoanSums = {
  termSeconds: number
  loans: number
  lentWei: bigint
  repaidWei: bigint
  writtenOffWei: bigint
}

export const noLoans: LoanSums = {
  ...{ termSeconds: 0, loans: 0, lentWei: 0n, repaidWei: 0n, writtenOffWei: 0n },
}

const bookedEvents = [
  ...(['TermsSet', 'LoanIssued', 'LoanRepaid', 'LoanWrittenOff'] as const),
  ...(['AccountPassed', 'AccountMoved', 'AccountTakenOver'] as const),
] as const

/** Lists the topics of events that change a loan. */
export const bookedTopics: Hex[] = bookedEvents.flatMap(
  (eventName) => encodeEventTopics({ abi: loanAbi, eventName }) as Hex[],
)

export type LoanLog = { topics: readonly Hex[]; data: Hex }

export type OpenBook = {
  sums: LoanSums
  findLoan(borrower: Address): BookedLoan | undefined
  keep(loan: BookedLoan): void
}

/** Applies one event, in the chain's order, and returns the new sums. */
export function bookEvent({ sums, findLoan, keep }: OpenBook, { topics, data }: LoanLog): LoanSums {
  const event = decodeEventLog({ abi: loanAbi, data, topics: topics as [Hex, ...Hex[]] })
  switch (event.eventName) {
    case 'TermsSet':
      return { ...sums, termSeconds: event.args.current.term }
    case 'LoanIssued': {
      const { borrower, amount: lentWei, fee, dueAt } = event.args
      const issuedAt = Number(dueAt) - sums.termSeconds
      begin({ borrower, issuedAt, dueAt: Number(dueAt), lentWei, owedWei: lentWei + fee })
      return { ...sums, loans: sums.loans + 1, lentWei: sums.lentWei + lentWei }
    }
    case 'LoanRepaid': {
      const { borrower, amount, remaining: owedWei } = event.args
      change(borrower, ({ state, repaidWei }) => ({
        owedWei,
        repaidWei: repaidWei + amount,
        state: owedWei === 0n ? 'repaid' : state,
      }))
      return { ...sums, repaidWei: sums.repaidWei + amount }
    }
    case 'LoanWrittenOff':
      change(event.args.borrower, () => ({ state: 'written_off' }))
      return { ...sums, writtenOffWei: sums.writtenOffWei + event.args.amount }
    case 'AccountPassed': {
      const loan = findLoan(event.args.from)
      if (loan !== undefined && loan.owedWei > 0n) keep({ ...loan, borrower: event.args.to })
      change(event.args.from, moved)
      return sums
    }
    case 'AccountMoved':
      change(event.args.account, moved)
      return sums
    case 'AccountTakenOver': {
      const { account: borrower, loan } = event.args
      const [issuedAt, dueAt] = [Number(loan.issuedAt), Number(loan.dueAt)]
      if (loan.owed === 0n) return sums
      begin({ borrower, issuedAt, dueAt, lentWei: loan.owed, owedWei: loan.owed })
      if (loan.isWrittenOff) change(borrower, () => ({ state: 'written_off' }))
      return { ...sums, loans: sums.loans + 1, lentWei: sums.lentWei + loan.owed }
    }
    default:
      return sums
  }

  function begin(loan: Omit<BookedLoan, 'state' | 'repaidWei' | 'earlier'>): void {
    const before = findLoan(loan.borrower)
    const earlier = before === undefined ? 0 : before.earlier + 1
    keep({ ...loan, state: 'owed', repaidWei: 0n, earlier })
  }

  function change(borrower: Address, to: (loan: BookedLoan) => Partial<BookedLoan>): void {
    const loan = findLoan(borrower)
    if (loan !== undefined) keep({ ...loan, ...to(loan) })
  }
}

const moved = ({ owedWei, state }: BookedLoan): Partial<BookedLoan> =>
  owedWei > 0n ? { owedWei: 0n, state: 'moved' } : { state }
