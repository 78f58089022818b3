import { refusalWordsOf } from '../../loan/calls.ts'
import { dateWith, languageLabels, type Messages } from './texts.ts'

/** English. */
export const english: Messages = {
  mainTitle: (phone) => `Rootstock DeFi (${phone})`,
  enterRecipient: 'Phone number or address to send to:\n0. Back',
  orRecipient: 'Or phone number or address:\n0. Back',
  enterAmount: (to) => `To: ${to}\nAmount, or all:\n0. Back`,
  enterRepayment: 'Amount to repay, or all:\n0. Back',
  sending: (amount) => (amount === 'all' ? 'Send all you have' : `Send ${amount}`),
  about: (worth) => `(about ${worth})`,
  sendingTo: (to) => `To: ${to}`,
  unregistered: { unregistered: 'Not registered yet', unread: 'Registered: not known now' },
  noFee: 'Fee: none',
  creditsAccount: 'Credits an account of this service, NOT a wallet.',
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
  claimed: {
    sent: (amount, tx) =>
      `Credit Submitted\nAmount: ${amount}\nTx: ${tx}\nYour account will have it shortly.`,
    unknown: 'It is not known yet whether your account is being credited. Dial again in a minute.',
    underWay: 'Your account is being credited. See your balance in a minute.',
    tooLittle: (there, fee) =>
      `Only ${there} has arrived, less than the network's fee of ${fee}. Your account was not credited. Send more and dial again.`,
    nothing: 'Nothing has arrived for your account yet. Dial again in some minutes.',
    nothingSince: (last) =>
      `Nothing new has arrived. Your account was credited with ${last} last. Dial again later.`,
  },
  repeated: (amount, to, minutes) =>
    [`You sent ${amount}`, `To: ${to}`, `${minutes} min ago. Send it again?`].join('\n'),
  loanTerms: (amount, owed, date) =>
    [`Loan: ${amount}`, `To repay: ${owed}`, `Until: ${date}`].join('\n'),
  debt: (amount, date) => `You owe ${amount}\nUntil: ${date}`,
  noLoan: 'You have no loan.',
  date: dateWith('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'),
  help: (number) => `Help: call ${number}\nWe never ask for your PIN.`,
  hasFailed: 'A payment failed: see 5',
  unread: {
    note: 'not known now',
    debt: 'You owe: not known now.',
    recipients: 'Saved numbers: not known now.',
  },
  activity: {
    unavailable: 'Not available. Please try again later.',
    nothing: 'Nothing yet.',
    receivedUnknown: 'What you received cannot be shown now.',
    allOwed: 'all that was owed',
    lines: {
      transfer: (amount, who) => `Sent ${amount} to ${who}`,
      received: (amount, who) => `Received ${amount} from ${who}`,
      loan: (amount) => `Loan of ${amount}`,
      repayment: (amount) => `Repaid ${amount}`,
      cashOut: (amount, who) => `Cashed out ${amount} to wallet ${who}`,
    },
    underWay: 'on its way',
    done: 'done',
    failed: (why) => `FAILED, ${why}`,
    reasons: {
      ...refusalWordsOf,
      unknown: 'not possible',
      too_late: 'too late',
    },
  },
  pin: {
    choose: 'Choose a PIN of 4 to 6 digits. It guards your money: tell it to nobody.',
    again: 'Type the same PIN again.',
    enter: {
      send: 'Enter PIN to send',
      cashOut: 'Enter PIN to cash out',
      agree: 'Enter PIN to agree',
      repay: 'Enter PIN to repay',
      see: 'Enter your PIN',
      change: 'Enter your present PIN',
    },
    form: 'A PIN has 4 to 6 digits.',
    easy: 'This PIN is easy to guess.',
    differs: 'The two PINs differ.',
    wrong: (left) => `Wrong PIN. Tries left: ${left}.`,
    locked: {
      blocked:
        '3 wrong PINs: nothing can be sent. Nothing was sent. If you forgot your PIN, dial again and choose 8.',
      unset: 'You have no PIN. Nothing was sent. Please dial again to choose one.',
      dormant:
        'This phone was not used for 90 days. Nothing was sent. Ask your provider to open the account again.',
    },
    chosen: 'Your PIN is set. Please dial again.',
    kept: 'Nothing was changed. Please dial again.',
    forgotten:
      'A new PIN can be chosen in 24 hours. If your old PIN is typed before, all stays as it is.',
    requested:
      'You can choose a new PIN in 24 hours: dial again then. Your old PIN calls that off.',
  },
  credited: {
    transfer: (amount, who) => `Done: the account of ${who} was credited with ${amount}.`,
    received: (amount, who) => `You received ${amount} from ${who}. Your account was credited.`,
    loan: (amount) => `Your account was credited with your loan of ${amount}.`,
  },
  nothingMoved: 'No money was moved.',
  languageChosen: 'Your language is English now. Please dial again.',
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
    settings: 'Settings',
    language: 'Language',
    changePin: 'Change PIN',
    forgotPin: 'Forgot PIN',
    newPin: 'I need a new PIN',
    all: 'All of it',
    part: 'A part',
    confirmSend: 'Send',
    credit: 'Credit account',
    change: 'Change',
    sendAgain: 'Send once more',
    agree: 'I agree',
    ...languageLabels,
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
  failed: {
    transfer: 'Transfer Failed\nNo money was moved. Please dial again.',
    loan: 'Loan Failed\nNothing was credited. Please dial again.',
    repayment: 'Repayment Failed\nNothing was repaid. Please dial again.',
    cashOut: 'Cash Out Failed\nNo money was moved. Please dial again.',
  },

  unknownChoice: 'Please choose from the list.',
  askAgain: (why) => `${why} Please try again.`,
  badRecipient: {
    unknown_form: 'Not a valid address or phone number.',
    bad_checksum: 'This address has a typing mistake.',
    own_number: 'This is your own number.',
    zero_address: 'The zero address is nobody: money there is lost.',
    contract: 'This address is a contract of this service.',
  },
  badAmount: {
    not_a_number: 'Not a valid amount, such as 0.001.',
    zero: 'The amount must be more than 0.',
    too_fine: 'At most 18 digits after the point.',
    too_large: 'This amount is too large.',
  },
  tooManyMistakes: 'Too many wrong answers. Nothing was sent. Please dial again.',
  tooLong: 'This session is too long. Nothing was sent. Please dial again.',
  tooLittle: (least) => `The smallest amount to send is ${least}.`,
  sessionEnded: 'This session has ended. Please dial again.',
  sessionClosed: 'This session has ended. Nothing was sent. Please dial again.',

  refused: {
    balance_too_low: (balance) =>
      `Your balance is too low: ${balance}. Nothing was sent. Dial again to send less.`,
    owesMore: (owed, balance) =>
      `To repay: ${owed}. Your balance is too low: ${balance}. Nothing was sent. Dial again to repay a part.`,
    existing_loan: (owed) =>
      `You already have a loan. Still to repay: ${owed}. Dial again to repay it.`,
    no_loan: 'You have no loan to repay. Dial again for the menu.',
    repayment_too_large: (owed) =>
      `You owe only ${owed}. Nothing was sent. Dial again to repay all of it.`,
    no_liquidity: 'No loan can be given at the moment. Please try again later.',
    not_listed: 'Loans are not open to this number. Ask your lender.',
    loan_limit: 'You had a loan a short time ago. Please try again later.',
    terms_changed:
      'The terms of a loan have changed. Nothing was sent. Please dial again in a minute.',
    invalid_recipient:
      'This recipient cannot receive money. Nothing was sent. Dial again to send to another.',
    paused: 'The service is paused. Nothing was sent. Please try again later.',
    withdrawal_limit: (left) =>
      left === undefined
        ? 'So much cannot be cashed out at the moment. Nothing was sent. Please try again later.'
        : `Only ${left} can be cashed out at the moment. Nothing was sent. Dial again for less.`,
    nothing_there: 'Your balance is 0. Nothing was sent. Dial again for the menu.',
    unknown: 'This is not possible at the moment. Nothing was sent. Please try again later.',
  },
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
  unsent: 'Not sent so far, but it may still be sent. Check your balance before you try again.',
  uncertain: 'It is not known yet whether this was sent. Check your balance before you try again.',
  unavailable: 'Service not available. Please try again later.',
  unlistedNumber: 'No numbering plan knows this phone number. Nothing was sent.',
  outOfService: 'This service is not in operation.',
}
