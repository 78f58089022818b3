import type { AmountFault } from '../../loan/amounts.ts'
import type { LoanRefusal } from '../../loan/calls.ts'
import type { Intent } from '../intent.ts'
import type { RecipientFault } from '../recipient.ts'
import type { Messages } from './texts.ts'

/** English. The first screens are the demonstration's, to the letter. */
export const english: Messages = {
  mainTitle: (phone) => `Rootstock DeFi (${phone})`,
  enterRecipient: 'Enter Recipient Address:_________',
  enterAmount: 'Enter Amount:_____',
  repayTitle: 'Repay Loan',
  labels: {
    balance: 'My Balance',
    send: 'Send Money (P2P)',
    borrow: 'Request Micro-Loan',
    repay: 'Repay Loan',
    all: 'All of it',
    part: 'A part',
  },
  more: 'More',
  back: 'Back',

  balance: (amount) => `Your Balance: ${amount}`,
  transferSubmitted: (to, tx) =>
    ['Transfer Submitted', `To: ${to}`, `Tx: ${tx}`, 'Funds will arrive shortly.'].join('\n'),
  loanRequested: (amount, tx) =>
    ['Loan Requested', `Tx: ${tx}`, `${amount} credited shortly.`].join('\n'),
  repaymentSubmitted: (amount, tx) =>
    [
      'Repayment Submitted',
      `Amount: ${amount === 'all' ? 'all that is owed' : amount}`,
      `Tx: ${tx}`,
      'Your loan will be updated shortly.',
    ].join('\n'),
  queued: 'queued',
  failed,

  unknownChoice: 'Please choose from the list.',
  askAgain: (why) => `${why} Try again, or 0 to go back.`,
  badRecipient: recipientFault,
  badAmount: amountFault,
  tooManyMistakes: 'Too many wrong answers. Nothing was sent. Please dial again.',
  tooLong: 'This session is too long. Nothing was sent. Please dial again.',
  tooLittle: (least) => `The smallest amount to send is ${least}.`,
  sessionEnded: 'This session has ended. Please dial again.',
  sessionClosed: 'This session has ended. Nothing was sent. Please dial again.',

  refused,
  nothingWasSent: 'Service not available. Nothing was sent. Please try again later.',
  tooManyDials: 'Too many requests from this phone. Please wait a minute and dial again.',
  tooManyOpen: (most) =>
    `Only ${most} payments at a time. Nothing was sent. Please wait until they have arrived.`,
  tooManyToday: (most) => `Only ${most} transfers a day. Nothing was sent. Please try again later.`,
  tooMuchToday: (left) =>
    `You can send ${left} more within a day. Nothing was sent. Dial again to send less.`,
  tooManyWait: (minutes) =>
    `Too many payments are waiting. Nothing was sent. Try again in about ${minutes} minutes.`,
  feesTooHigh: 'Network fees are too high now. Nothing was sent. Please try again later.',
  cannotPayFees: 'Payments are stopped for a moment. Nothing was sent. Please try again later.',
  paused: 'Payments are paused. Nothing was sent. Please try again later.',
  uncertain: 'It is not known yet whether this was sent. Check your balance before you try again.',
  unavailable: 'Service not available. Please try again later.',
  outOfService: 'This service is not in operation.',
}

function recipientFault(fault: RecipientFault): string {
  switch (fault) {
    case 'unknown_form':
      return 'Not a valid address or phone number.'
    case 'bad_checksum':
      return 'This address has a typing mistake.'
    case 'own_number':
      return 'This is your own number.'
    case 'zero_address':
      return 'The zero address is nobody: money there is lost.'
    case 'contract':
      return 'This address is a contract of this service.'
  }
}

function amountFault(fault: AmountFault): string {
  switch (fault) {
    case 'not_a_number':
      return 'Not a valid amount. Example: 0.001'
    case 'zero':
      return 'The amount must be more than 0.'
    case 'too_fine':
      return 'At most 18 digits after the point.'
    case 'too_large':
      return 'This amount is too large.'
  }
}

function failed(payment: Intent['kind']): string {
  switch (payment) {
    case 'transfer':
      return 'Transfer Failed\nNo money was moved. Please dial again.'
    case 'loan':
      return 'Loan Failed\nNothing was credited. Please dial again.'
    case 'repayment':
      return 'Repayment Failed\nNothing was repaid. Please dial again.'
  }
}

function refused(
  refusal: LoanRefusal,
  format: (wei: bigint) => string,
  payment: Intent['kind'],
): string {
  switch (refusal.reason) {
    case 'balance_too_low': {
      const balance = format(refusal.balanceWei)
      return payment === 'repayment'
        ? `To repay: ${format(refusal.neededWei)}. Your balance is too low: ${balance}. Nothing was sent. Dial again to repay a part.`
        : `Your balance is too low: ${balance}. Nothing was sent. Dial again to send less.`
    }
    case 'existing_loan':
      return `You already have a loan. Still to repay: ${format(refusal.owedWei)}.`
    case 'no_loan':
      return 'You have no loan to repay. Dial again for the menu.'
    case 'repayment_too_large':
      return `You owe only ${format(refusal.owedWei)}. Nothing was sent. Dial again to repay all of it.`
    case 'no_liquidity':
      return 'No loan can be given at the moment. Please try again later.'
    case 'not_listed':
      return 'Loans are not open to this number. Ask your lender.'
    case 'loan_limit':
      return 'You had a loan a short time ago. Please try again later.'
    case 'principal_changed':
      return 'The amount of a loan has changed. Nothing was sent. Please dial again in a minute.'
    case 'invalid_recipient':
      return 'This recipient cannot receive money. Nothing was sent. Dial again to send to another.'
    case 'paused':
      return 'The service is paused. Nothing was sent. Please try again later.'
    case 'unknown':
      return 'This is not possible at the moment. Nothing was sent. Please try again later.'
  }
}
