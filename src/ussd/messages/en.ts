import type { AmountFault } from '../../loan/amounts.ts'
import type { LoanRefusal } from '../../loan/calls.ts'
import type { Activity } from '../facts.ts'
import type { Intent } from '../intent.ts'
import type { RecipientFault } from '../recipient.ts'
import type { ClaimWords, Messages } from './texts.ts'

/** English. */
export const english: Messages = {
  mainTitle: (phone) => `Rootstock DeFi (${phone})`,
  enterRecipient: 'Phone number or address to send to:\n0. Back',
  enterAmount: (to) => `To: ${to}\nAmount, or all:\n0. Back`,
  enterRepayment: 'Amount to repay, or all:\n0. Back',
  confirmPhone: (amount, to) => [sending(amount), `To: ${to}`, 'Fee: none'].join('\n'),
  confirmAddress: (amount, to) =>
    [sending(amount), `To: ${to}`, 'Credits an account of this service, NOT a wallet.'].join('\n'),
  enterWallet: 'Address of your wallet outside:\n0. Back',
  noWallet: 'Not the address of a wallet.',
  confirmCashOut: (amount, to) =>
    [
      amount === 'all' ? 'Cash out all you have' : `Cash out ${amount}`,
      `To wallet: ${to}`,
      'It cannot be taken back.',
    ].join('\n'),
  receive: (phone, address) =>
    [`Your number: ${phone}`, 'From a wallet, credit this account at:', address].join('\n'),
  claimed: claimWords,
  repeated: (amount, to, minutes) =>
    [`You sent ${amount}`, `To: ${to}`, `${minutes} min ago. Send it again?`].join('\n'),
  loanTerms: (amount, date) =>
    [`Loan: ${amount}`, `To repay: ${amount}`, `Until: ${date}`].join('\n'),
  debt: (amount, date) => `You owe ${amount}\nUntil: ${date}`,
  noLoan: 'You have no loan.',
  date: (time) => {
    const day = new Date(time * 1_000)
    return `${day.getUTCDate()} ${months[day.getUTCMonth()]} ${day.getUTCFullYear()}`
  },
  help: (number) => `Help: call ${number}\nWe never ask for your PIN.`,
  lastFailed: 'Last payment failed: see 5',
  activity: (activity, format) => {
    if (activity === undefined) return 'My Activity\nNot available. Please try again later.'
    const { own, received } = activity
    const lines = [...own, ...(received ?? [])].map((each) => activityLine(each, format))
    if (received === undefined) lines.push('What you received cannot be shown now.')
    return ['My Activity', ...(lines.length === 0 ? ['Nothing yet.'] : lines)].join('\n')
  },
  labels: {
    balance: 'My Balance',
    send: 'Send Money',
    borrow: 'Request Loan',
    repay: 'Repay Loan',
    activity: 'My Activity',
    receive: 'Receive',
    claim: 'Credit what arrived',
    cashOut: 'Cash Out',
    cashOutNow: 'Cash out to wallet',
    help: 'Help',
    all: 'All of it',
    part: 'A part',
    confirmSend: 'Send',
    credit: 'Credit account',
    change: 'Change',
    sendAgain: 'Send once more',
    agree: 'I agree',
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
  cashOutSubmitted: (to, amount, tx) =>
    [
      'Cash Out Submitted',
      `To: ${to}`,
      `Amount: ${amount}`,
      `Tx: ${tx}`,
      'It will arrive shortly.',
    ].join('\n'),
  queued: 'queued',
  failed,

  unknownChoice: 'Please choose from the list.',
  askAgain: (why) => `${why} Please try again.`,
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

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const sending = (amount: string | 'all'): string =>
  amount === 'all' ? 'Send all you have' : `Send ${amount}`

function claimWords(claim: ClaimWords): string {
  switch (claim.kind) {
    case 'sent':
      return `Credit Submitted\nAmount: ${claim.amount}\nTx: ${claim.tx}\nYour account will have it shortly.`
    case 'unknown':
      return 'It is not known yet whether your account is being credited. Dial again in a minute.'
    case 'under_way':
      return 'Your account is being credited. See your balance in a minute.'
    case 'too_little':
      return `Only ${claim.there} has arrived, less than the network's fee of ${claim.fee}. Your account was not credited. Send more and dial again.`
    case 'nothing':
      return claim.last === undefined
        ? 'Nothing has arrived for your account yet. Dial again in some minutes.'
        : `Nothing new has arrived. Your account was credited with ${claim.last} last. Dial again later.`
  }
}

function activityLine(
  { kind, amountWei, who = '', state }: Activity,
  format: (wei: bigint) => string,
): string {
  const amount = amountWei === 'all' ? 'all that was owed' : format(amountWei)
  const words = {
    sent: `Sent ${amount} to ${who}`,
    received: `Received ${amount} from ${who}`,
    borrowed: `Loan of ${amount}`,
    repaid: `Repaid ${amount}`,
    cashed_out: `Cashed out ${amount} to wallet ${who}`,
  } satisfies Record<Activity['kind'], string>
  switch (state.kind) {
    case 'under_way':
      return `${words[kind]}: on its way`
    case 'done':
      return `${words[kind]}: done`
    case 'failed':
      return `${words[kind]}: FAILED, ${state.reason === '' ? 'too late' : state.reason}`
  }
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
      return 'Not a valid amount, such as 0.001.'
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
    case 'cashOut':
      return 'Cash Out Failed\nNo money was moved. Please dial again.'
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
      return `You already have a loan. Still to repay: ${format(refusal.owedWei)}. Dial again to repay it.`
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
    case 'withdrawal_limit':
      return refusal.leftWei === undefined
        ? 'So much cannot be cashed out at the moment. Nothing was sent. Please try again later.'
        : `Only ${format(refusal.leftWei)} can be cashed out at the moment. Nothing was sent. Dial again for less.`
    case 'nothing_there':
      return 'Your balance is 0. Nothing was sent. Dial again for the menu.'
    case 'unknown':
      return 'This is not possible at the moment. Nothing was sent. Please try again later.'
  }
}
