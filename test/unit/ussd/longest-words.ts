import { writeActivityLine } from '../../../src/ussd/menu/entries/activity.ts'
import { codeWords } from '../../../src/ussd/menu/entries/code.ts'
import { nameWords } from '../../../src/ussd/menu/entries/names.ts'
import { walletWords } from '../../../src/ussd/menu/entries/wallets.ts'
import { menuParts } from '../../../src/ussd/menu/main-menu.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import type { Messages } from '../../../src/ussd/messages/en.ts'

const amount = '20999999.123456 tRBTC'
const recipient = 'WWWWWWWW 0x12345678...'
const till = '123456 WWWWWWWWWWWW'
const paidFor = `${till}, ${'W'.repeat(20)}`
const shortRecipient = '0x12345678...'
const name = `${'W'.repeat(15)} W.`
const date = '30 Sep 2026'
const tx = 'en attente, environ 1000 min'

/** Lists the longest values by key; others are an amount's and a hash's. */
const values: Record<string, readonly unknown[][]> = {
  age: [[0], [10], [200 * 60]],
  amountsIn: [['KES: 1 USDRIF = KES 99,999,999,999.999999']],
  noRate: [['KES']],
  lowBalance: [[amount]],
  lowDebt: [[amount]],
  // With each of what it says: a question is asked again below why.
  askAgain: [],
  confirmCashOut: [[amount, recipient]],
  confirmPurchase: [[amount, till]],
  confirmWithdrawal: [[amount, till]],
  day: [[amount, amount, amount]],
  add: [['WWWWWWWW', '0x12345678...123456']],
  added: [['WWWWWWWW']],
  replaced: [['WWWWWWWW']],
  cancel: [['WWWWWWWW', '0x12345678...123456', 24]],
  cancelled: [['WWWWWWWW']],
  isChanged: [[24]],
  dormant: [['+254 700 000 000 099'], [undefined]],
  creditedMessage: [
    [amount, shortRecipient],
    [amount, shortRecipient, '*384*123456789#'],
  ],
  date: [[1_798_000_000]],
  debt: [[amount]],
  until: [[date]],
  overdue: [[date]],
  reminder: [[amount, date]],
  enterAmount: [[recipient]],
  failed: [['W'.repeat(26)]],
  held: [['+254 700 000 000 099'], [undefined]],
  help: [['+254 700 000 000 099']],
  activityLine: [[amount, paidFor]],
  paidOutAt: [['23:59 UTC, 30 Sep 2026']],
  balanceBelowDebt: [[amount, amount]],
  queuedFor: [[1_000]],
  ask: [[amount, shortRecipient]],
  isHeld: [[amount, '23:59 UTC, 30 Sep 2026']],
  told: [['WWWWWWWW', '0x12345678...']],
  mistaken: [[amount, shortRecipient, '23:59 UTC, 30 Sep 2026']],
  heldLine: [[amount]],
  untilLine: [[amount, '23:59 UTC, 30 Sep 2026']],
  requested: [['23:59 UTC, 30 Sep 2026']],
  notBack: [[amount, shortRecipient]],
  recalled: [[amount, '23:59 UTC, 30 Sep 2026']],
  receiveTokens: [['+999 700 000 000 001', 'USDRIF', `0x${'1'.repeat(40)}`]],
  receive: [['+999 700 000 000 001', `0x${'1'.repeat(40)}`]],
  'receipt.number': [['123-4567']],
  'receipt.fee': [[amount]],
  'receipt.balanceAfter': [[amount]],
  'receipt.owedAfter': [[amount]],
  repeated: [
    [amount, recipient, 'Dakika 10 zilizopita'],
    [amount, recipient, undefined],
  ],
  sendingTo: [[recipient]],
  own: [[name]],
  verified: [[name]],
  offered: [[name]],
  seen: [[24]],
  terms: [[amount, amount, amount, date]],
  'claimed.tooLittle': [['0.000001 tRBTC', '0.000080 tRBTC']],
  tooManyOpen: [[16]],
  tooManyToday: [[1_000]],
  tooManyWait: [[1_000]],
  waits: [[24]],
  withdrawal_limit: [[amount], [undefined]],
  wrong: [[2]],
}
const both = [amount, 'all']
const usual = both.map((much) => [much, tx])

type Called = (...args: unknown[]) => string

/** The keys that have values of their own, each without the names of what it stands in. */
export const longestKeys = Object.entries(values).flatMap(([key, calls]) =>
  calls.length > 0 ? [key.split('.').at(-1) ?? ''] : [],
)

/** Everything that a language can say, by its key, with the longest values. */
export const longestWords = (say: Messages): [key: string, words: string][] =>
  [
    say,
    walletWords(say),
    codeWords(say),
    nameWords(say),
    ...menuParts.map(({ words }) => words(say)),
  ].flatMap((words) => wordsIn(say, words))

const wordsIn = (say: Messages, words: object, above = ''): [key: string, words: string][] =>
  Object.entries(words).flatMap(([key, each]): [string, string][] => {
    if (typeof each === 'string') return [[key, each]]
    if (typeof each === 'object') return wordsIn(say, each, `${key}.`)
    if (key === 'paidBefore')
      return paymentLines(say).map((line) => [key, each(line, say.age(200 * 60))])
    const calls = valuesOf(say, words, key) ?? values[above + key] ?? values[key] ?? usual
    return calls.map((args) => [key, (each as Called)(...args)])
  })

/** The longest lines about payments that have not failed. */
const paymentLines = (say: Messages): string[] =>
  (['arriving', 'done'] as const).map((kind) => {
    const paid = { amountWei: 1n, counterparty: paidFor }
    return writeActivityLine(say, { kind: 'purchase', ...paid, state: { kind } }, () => amount)
  })

/** What goes to a till is shown with a code, and with what a bill is paid for. */
const valuesOf = (say: Messages, words: object, key: string): readonly unknown[][] | undefined => {
  if (key !== 'submitted') return undefined
  const isDemo = say === demonstration
  const line = isDemo ? `Tx: ${tx}` : `${say.receipt.number('123-4567')}, ${say.queuedFor('1000')}`
  const code = '123456'
  if ('confirmPurchase' in words) return both.map((much) => [much, paidFor, line, code])
  if ('confirmWithdrawal' in words) return both.map((much) => [much, till, line, code])
  return both.map((much) => [much, shortRecipient, line])
}
