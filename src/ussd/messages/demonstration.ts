import { english } from './en.ts'
import type { Messages } from './texts.ts'

/** English with the screens of the demonstration, to the letter. */
export const demonstration: Messages = {
  ...english,
  enterRecipient: 'Enter Recipient Address:_________',
  enterAmount: () => 'Enter Amount:_____',
  enterRepayment: 'Enter Amount:_____',
  labels: { ...english.labels, send: 'Send Money (P2P)', borrow: 'Request Micro-Loan' },
  askAgain: (why) => `${why} Try again, or 0 to go back.`,
  refused: {
    ...english.refused,
    existing_loan: (owed) => `You already have a loan. Still to repay: ${owed}.`,
  },
}
