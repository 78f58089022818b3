import { createDateFormat, type Wording } from './texts.ts'

/** Lists the words that several screens share. A language that lacks one does not compile. */
export const english = {
  wording: 'en' as Wording,
  allYouHave: 'all you have',
  enterAmount: (to: string) => `To: ${to}\nAmount, or all:\n0. Back`,
  amountsIn: (unit: string) => `Amounts in ${unit}`,
  noRate: (local: string) => `${local}: no rate now.`,
  amountsNotIn: (local: string, unit: string) => `No ${local} rate now: type ${unit}, NOT ${local}`,
  sendAgain: 'Send once more',
  change: 'Change',
  /** Tells how long ago a payment was made. */
  age: (minutes: number) => {
    if (minutes === 0) return 'Just now'
    return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`
  },
  repeated: (amount: string, to: string, age: string | undefined) =>
    age === undefined
      ? `Send ${amount}\nTo: ${to}?`
      : `You sent ${amount}\nTo: ${to}\n${age}. Send it again?`,
  paidBefore: (payment: string, age: string) =>
    `${payment}\n${age}. Nothing more was sent. Please dial again.`,
  date: createDateFormat('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'),
  hasFailed: 'A payment failed: see 5',
  pin: {
    choose: 'Choose a PIN of 4 to 6 digits. It guards your money: tell it to nobody.',
    again: 'Type the same PIN again.',
    enter: {
      see: 'Enter your PIN',
      change: 'Enter your current PIN',
      confirm: 'Enter PIN to confirm',
    },
    form: 'A PIN has 4 to 6 digits.',
    easy: 'This PIN is easy to guess.',
    differs: 'The two PINs differ.',
    forgot: 'Forgot it? Type 00, then 8.',
    wrong: (left: number) => `Wrong PIN. Tries left: ${left}.`,
    locked: {
      blocked:
        '3 wrong PINs: nothing can be sent. Nothing was sent. Dial again and type 8, then 3, for a new PIN in 24 hours.',
      unset: 'You have no PIN. Nothing was sent. Please dial again to choose one.',
      dormant: (help: string | undefined) =>
        `This phone was not used for 90 days. Nothing was sent. ${help === undefined ? 'Ask your provider' : `Call ${help}`} to open the account again.`,
    },
    isBlocked: 'Blocked. New PIN: 8, then 3',
    waits: (hours: number) => `New PIN in ${hours} h`,
    isSet: 'Your PIN is set.',
    chosen: 'Your PIN is set. Please dial again.',
    unchanged: 'Nothing was changed. Please dial again.',
    forgotten:
      'A new PIN can be chosen in 24 hours. Entering your old PIN before then cancels this.',
    forgottenBlocked: 'A new PIN can be chosen in 24 hours.',
    requested: (time: string) =>
      `You can choose a new PIN from ${time}: dial again then. Without a PIN you can receive money, not send it. Asking again changes nothing.`,
  },
  failed: (label: string) => `${label}: FAILED\nNo money was moved. Please dial again.`,
  nothingMoved: 'No money was moved.',
  languageChosen: 'Your language is English now. Please dial again.',
  more: 'More',
  back: 'Back',

  receipt: {
    number: (number: string) => `Ref: ${number}`,
    noFee: 'Fee: none',
    fee: (amount: string) => `Fee: ${amount}`,
    balanceAfter: (amount: string) => `Balance after: about ${amount}`,
    owedAfter: (amount: string) => `You then owe: ${amount}`,
  },
  queued: 'queued',
  queuedFor: (minutes: string) => `queued, about ${minutes} min`,

  unknownChoice: 'Please choose from the list.',
  notSentYet: 'Not sent yet.',
  askAgain: (mistake: string) => `${mistake} Please try again.`,
  badRecipient: {
    unknown_form: 'Not a valid address or phone number.',
    bad_checksum: 'This address has a typing mistake.',
    own_number: 'This is your own number.',
    own_account: 'This is your own account.',
    zero_address: 'Nobody owns the zero address: money is lost.',
    nobody: 'Nobody has a wallet at this address: money is lost.',
    bridge: 'This is the bridge: you get no BTC this way, and money is lost.',
    contract: 'This address is a contract of this service.',
  },
  badAmount: {
    not_a_number: 'Not a valid amount, such as 0.001.',
    not_local: 'Not a valid amount, such as 500.',
    zero: 'The amount must be more than 0.',
    too_fine: 'At most 18 digits after the point.',
    too_large: 'This amount is too large.',
  },
  tooManyMistakes: 'Too many wrong answers. Nothing was sent. Please dial again.',
  tooLittle: (min: string) => `The smallest amount to send is ${min}.`,
  lowBalance: (balance: string) => `Your balance is too low: ${balance}.`,
  lowDebt: (owed: string) => `You owe only ${owed}.`,
  sessionEnded: 'This session has ended. Please dial again.',
  sessionClosed: 'This session has ended. Nothing was sent. Please dial again.',

  refused: {
    balance_too_low: (balance: string) =>
      `Your balance is too low: ${balance}. Nothing was sent. Dial again to send less.`,
    balanceBelowDebt: (owed: string, balance: string) =>
      `To repay: ${owed}. Your balance is too low: ${balance}. Nothing was sent. Dial again to repay a part.`,
    existing_loan: (owed: string) =>
      `You already have a loan. Still to repay: ${owed}. Dial again to repay it.`,
    no_loan: 'You have no loan to repay. Dial again for the menu.',
    repayment_too_large: (owed: string) =>
      `You owe only ${owed}. Nothing was sent. Dial again to repay all of it.`,
    no_liquidity: 'No loan can be given at the moment. Please try again later.',
    not_listed: 'Loans are not open to this number. Ask your lender.',
    loan_limit: 'You had a loan a short time ago. Please try again later.',
    terms_changed:
      'The terms of a loan have changed. Nothing was sent. Please dial again in a minute.',
    contract:
      'This address is a contract, not a wallet. Nothing was sent. Dial again to send to another.',
    invalid_recipient:
      'This recipient cannot receive money. Nothing was sent. Dial again to send to another.',
    token_refused:
      'The issuer of this money does not let it go there now. Nothing was sent. Try another wallet, or again later.',
    paused:
      'Loans and cash-outs are paused. You can still send money and repay. Nothing was sent. Please try again later.',
    withdrawal_limit: (left: string | undefined) =>
      left === undefined
        ? 'You cannot cash out that much now. Nothing was sent. Please try again later.'
        : `Only ${left} can be cashed out at the moment. Nothing was sent. Dial again for less.`,
    nothing_there: 'Your balance is 0. Nothing was sent. Dial again for the menu.',
    unknown: 'This is not possible at the moment. Nothing was sent. Please try again later.',
  },
  nothingSent: 'Nothing was sent.',
  nothingWasSent: 'Service not available. Nothing was sent. Please try again later.',
  walletChanged:
    'This wallet was changed or removed. A changed one pays nobody for 24 hours. Nothing was sent. To cancel a change: 8, then 4.',
  tooManyDials: 'Too many requests from this phone. Please wait a minute and dial again.',
  unsettled:
    'Your payment at an agent is still being completed. Nothing was sent. Please try again in about 10 minutes.',
  tooManyOpen: (max: number) =>
    `Only ${max} payments at a time. Nothing was sent. Please wait until they have arrived.`,
  tooManyToday: (max: number) =>
    `Only ${max} transfers a day. Nothing was sent. Please try again later.`,
  tooMuchToday: (left: string) =>
    `You can send ${left} more within a day. Nothing was sent. Dial again to send less.`,
  tooManyWait: (minutes: number) =>
    `Too many payments are waiting. Nothing was sent. Try again in about ${minutes} minutes.`,
  feesTooHigh: 'Network fees are too high now. Nothing was sent. Please try again later.',
  cannotPayFees: 'Payments are stopped for a moment. Nothing was sent. Please try again later.',
  paused: 'Payments are paused. Nothing was sent. Please try again later.',
  held: (help: string | undefined) =>
    `Your account is held. Nothing was sent. ${help === undefined ? 'Ask your provider' : `Call ${help}`}.`,
  unsent: 'Not sent so far, but it may still be sent. Check your balance before you try again.',
  uncertain: 'It is not known yet whether this was sent. Check your balance before you try again.',
  unavailable: 'Service not available. Please try again later.',
  /** Stands on lists, also below what asks politely for another answer. */
  unread: 'Not available. Try again later.',
  unlistedNumber: 'This is not a known phone number. Nothing was sent.',
  outOfService: 'This service is not in operation.',
}

export type Messages = typeof english
