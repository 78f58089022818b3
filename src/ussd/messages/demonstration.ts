import { english, type Messages } from './en.ts'

/** Replaces English words by those of the demonstration, whose screens never change. */
export const demonstration: Messages = {
  ...english,
  wording: 'demo',
  enterAmount: () => 'Enter Amount:_____',
  askAgain: (mistake) => `${mistake} Try again, or 0 to go back.`,
  refused: {
    ...english.refused,
    existing_loan: (owed) => `You already have a loan. Still to repay: ${owed}.`,
  },
}
