import { kindNames, type PaymentKind } from '../../../src/loan/kinds.ts'
import { balance } from '../../../src/ussd/menu/entries/balance.ts'
import { help } from '../../../src/ussd/menu/entries/help.ts'
import { loan } from '../../../src/ussd/menu/entries/loan.ts'
import { receive } from '../../../src/ussd/menu/entries/receive.ts'
import { payments } from '../../../src/ussd/menu/payments.ts'
import type { Messages } from '../../../src/ussd/messages/en.ts'
import { withClosing } from '../../../src/ussd/receipt.ts'

export type Claim = keyof typeof endings

/**
 * Names a screen's message; `tx` is the beginning of the shown hash: of a lender's screen, which
 * shows none, only `0x`, if its payment does not wait.
 */
export type ScreenMessage = { key: string; claim: Claim; tx?: string }

/** Finds the message of a screen; undefined if no message matches. */
type ScreenReader = (text: string, kind: 'ask' | 'end') => ScreenMessage | undefined

type MessageKey =
  | keyof Messages
  | `pin.${keyof Messages['pin']}`
  | `${PaymentKind}.submitted`
  | ('balance.balance' | 'help.help' | 'receive.claimed' | 'deposit.nothing')

function gatherWords(say: Messages): Words {
  const own = { balance, help, receive, ...payments }
  const ofParts = Object.entries(own).map(([name, part]) => [name, part.words(say)])
  return { ...say, ...Object.fromEntries(ofParts) }
}

/** Maps messages that end a session to their claims; any other screen is unknown. */
const endings = {
  submitted: kindNames.map((kind) => `${kind}.submitted` as const),
  /** The payment was submitted and has failed for good. */
  failed: ['failed'],
  /** Nothing was sent, and nothing will be. */
  refused: [
    'refused',
    'deposit.nothing',
    'nothingWasSent',
    'tooManyMistakes',
    'tooManyDials',
    'tooManyOpen',
    'unsettled',
    'tooManyToday',
    'tooMuchToday',
    'tooManyWait',
    'feesTooHigh',
    'cannotPayFees',
    'paused',
    'unlistedNumber',
    'pin.locked',
    'pin.chosen',
    'pin.unchanged',
    'pin.requested',
    'pin.forgottenBlocked',
  ],
  /** The payment was made before, and nothing is sent for this delivery. */
  paid: ['paidBefore'],
  /** Another question decided this session. */
  ended: ['sessionEnded'],
  /** Another question decided this session, and nothing was sent. */
  closed: ['sessionClosed'],
  uncertain: ['uncertain', 'unsent'],
  /** Nothing could be read. */
  unavailable: ['unavailable', 'outOfService'],
  /** No claim: the screen shows something, or asks. */
  none: ['balance.balance', 'help.help', 'languageChosen', 'receive.claimed'],
} satisfies Record<string, readonly MessageKey[]>

/** Messages that begin screens which ask. */
const questions = [
  'pin.wrong',
  'pin.choose',
  'notSentYet',
  'repeated',
] as const satisfies readonly MessageKey[]

type Saying = string | ((...args: never[]) => string)
type Words = Saying | { readonly [key: string]: Words }

/** Creates a reader that finds a screen's message by the messages' patterns. */
export function createScreenReader(messages: Messages): ScreenReader {
  const all = gatherWords(messages)
  const findWords = (key: MessageKey): Words =>
    key.split('.').reduce((words, part) => (words as Record<string, Words>)[part] as Words, all)
  const createPatterns = (key: MessageKey, claim: Claim, after: string) =>
    listReceiptForms(key, listForms(key, findWords(key))).map((form) => ({
      ...form,
      claim,
      pattern: new RegExp(form.source + after),
    }))
  const ends = Object.entries(endings)
    .flatMap(([claim, keys]) => keys.flatMap((key) => createPatterns(key, claim as Claim, '$')))
    .sort((a, b) => b.source.length - a.source.length)
  const asks = questions.flatMap((key) => createPatterns(key, 'none', '\n'))
  const known = new Map<string, ScreenMessage | undefined>()

  function read(screen: string, kind: 'ask' | 'end'): ScreenMessage | undefined {
    // A loan's refusals say the same in other words.
    const text = readReceipt(screen).replace(loan.words(messages).notTaken, messages.nothingSent)
    for (const { key, claim, pattern } of kind === 'end' ? ends : asks) {
      const found = pattern.exec(text)
      if (found === null) continue
      const tx = found
        .map((shown) => /^(?:Tx: (0x[0-9a-f]+)|\w+: \d{3}-\d{4}$)/.exec(shown))
        .find((each) => each !== null)
      return { key, claim, ...(tx && { tx: tx[1] ?? '0x' }) }
    }
    return kind === 'ask' ? { key: 'asked', claim: 'none' } : undefined
  }

  return (text, kind) => {
    const name = `${kind} ${text}`
    if (!known.has(name)) known.set(name, read(text, kind))
    return known.get(name)
  }
}

/** Leaves out the lines of a lender's receipt that a payment's message has no words for. */
function readReceipt(screen: string): string {
  if (!/: \d{3}-\d{4}\b/.test(screen)) return screen
  const lines = screen.split('\n')
  const transferLine = /^([A-Z]{3} )?[\d,.]+( \w+)?( \([\d.]+ \w+\))?$/
  return lines
    .filter(
      (line) => !transferLine.test(line) && !/^(Fee: |Balance after: |You then owe: )/.test(line),
    )
    .join('\n')
}

type Form = { key: string; source: string }

function listForms(key: string, words: Words): Form[] {
  if (typeof words === 'object') {
    return Object.entries(words).flatMap(([part, inner]) => listForms(`${key}.${part}`, inner))
  }
  return listTexts(words).map((text) => {
    const literal = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    return { key, source: `^${literal.replaceAll(blank, '([^]*?)')}` }
  })
}

/** Adds the forms of receipts that had no room for their last line. */
const listReceiptForms = (key: string, forms: readonly Form[]): readonly Form[] =>
  [...withClosing].some((kind) => key === `${kind}.submitted`)
    ? forms.flatMap((form) => [form, { ...form, source: form.source.replace(/\n[^\n]*$/, '') }])
    : forms

const blank = '\u0001'

/** Lists a message's texts: with blanks, and with values that some messages treat apart. */
function listTexts(words: Saying): string[] {
  if (typeof words === 'string') return [words]
  const say = words as (...args: unknown[]) => string
  const blanks = Array.from({ length: say.length }, () => blank)
  const apart = blanks.flatMap((_, index) =>
    ['all', undefined, 1].map((arg) => blanks.with(index, arg as string)),
  )
  return [...new Set([blanks, ...apart].map((args) => say(...args)))]
}
