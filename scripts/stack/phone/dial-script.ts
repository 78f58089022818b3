import { type UntilOptions, until } from '../../dev/wait.ts'
import { StackError } from '../report.ts'

export type Dialled = { phone: string; session: string; text: string }

type ScriptPhone = {
  send: (dialled: Dialled) => Promise<string>
  newSession: () => string
  toPhone: (typed: string) => string
  show: (line: string) => void
  /** Has what waits for the chain done. Undefined: the chain does it by itself. */
  settle?: () => Promise<void>
  /** Sets how often a waiting screen is dialled again, and the time limit. */
  polling?: Pick<UntilOptions, 'everyMs' | 'withinMs'>
}

type Line = { number: number; verb: Verb; rest: string }

const verbs = ['phone', 'dial', '>', '=', 'again', 'until'] as const
type Verb = (typeof verbs)[number]

/** Matches a payment's number on its screen, and behind its line of the activity. */
const receiptNumbers = / \(\d{3}-\d{4}(?:, \d+ \S+)?\)$|(?<=^\w+: )\d{3}-\d{4}\b/gmu

const usualPolling = { everyMs: 500, withinMs: 180_000 }

/**
 * Plays a script of flows, and says of each screen what the script says of it.
 *
 * - `phone +254700000001`: whose phone is used from here on
 * - `dial`: a new session, which shows the main menu
 * - `> 2`, `> 0700000002`, `> My Balance`: types it; a label of the list is typed as its digit
 * - `= Your Balance: 1 tRBTC`: the screen has this line
 * - `again`: the gateway delivers once more; the screen has to be the same
 * - `until Your Balance: 1 tRBTC`: where the screen does not have this line, dials and answers the
 *   same again until it does
 *
 * `= Code: <code>` reads the 6 digits of a payment, for which `<code>` stands in later lines.
 *
 * Receipt numbers, which differ at each run, are left out of lines: `= Ref: `.
 *
 * Empty lines, and lines that begin with `#`, are for people.
 *
 * @throws {StackError} naming the line that does not hold
 */
export async function playScript(script: string, phone: ScriptPhone): Promise<void> {
  let caller: string | undefined
  let session = ''
  let answers: string[] = []
  let screen: string | undefined
  let code: string | undefined

  /** Finds a line on a screen, with the code that `Code: <code>` has read before. */
  const hasLine = (shown: string, wanted: string): boolean => {
    const [before = '', after] = wanted.split('<code>')
    const lines = shown
      .replace(/^(CON|END) /, '')
      .replaceAll(receiptNumbers, '')
      .split('\n')
    if (after === undefined) return lines.includes(wanted)
    const known = before.startsWith('Code') ? undefined : code
    const found = lines
      .filter((line) => line.startsWith(before) && line.endsWith(after))
      .map((line) => line.slice(before.length, line.length - after.length))
      .find((each) => /^\d{6}$/.test(each) && each === (known ?? each))
    code = found ?? code
    return found !== undefined
  }

  const deliver = async (): Promise<string> => {
    if (caller === undefined) throw new StackError('The script has to begin with: phone NUMBER')
    return phone.send({ phone: caller, session, text: answers.join('*') })
  }
  const redial = () => {
    session = phone.newSession()
    return deliver()
  }

  for (const line of linesOf(script)) {
    const { verb, rest } = line
    const fault = (reason: string) => lineFault(line.number, reason)
    phone.show(`${verb} ${rest}`.trim())
    if (verb === 'phone') {
      caller = phone.toPhone(rest)
      screen = undefined
      continue
    }
    if (verb === 'dial') {
      answers = []
      screen = await redial()
    }
    if (screen === undefined) throw fault('no one has dialled yet')
    const before: string = screen
    switch (verb) {
      case '>':
        if (!before.startsWith('CON ')) throw fault(`the session is over: ${before}`)
        answers.push(digitOf(rest.replace('<code>', code ?? ''), before))
        screen = await deliver()
        break
      case '=':
        if (!hasLine(before, rest)) throw fault(`the screen is: ${before}`)
        continue
      case 'again':
        screen = await deliver()
        if (screen !== before) throw fault(`the screen was ${before} and is ${screen}`)
        continue
      case 'until': {
        const isThere = async () => {
          if (hasLine(`${screen}`, rest)) return true
          await phone.settle?.()
          screen = await redial()
          return hasLine(screen, rest)
        }
        const late = () => fault(`the screen stays: ${screen}`)
        await until(isThere, { ...(phone.polling ?? usualPolling), late })
      }
    }
    phone.show(`\n${screen}\n`)
  }
}

function linesOf(script: string): Line[] {
  return script.split('\n').flatMap((text, index): Line[] => {
    const [name, ...rest] = text.trim().split(' ')
    if (name === '' || name?.startsWith('#')) return []
    const verb = verbs.find((known) => known === name)
    if (verb === undefined) throw lineFault(index + 1, `a line begins with ${verbs.join(', ')}`)
    return [{ number: index + 1, verb, rest: rest.join(' ').trim() }]
  })
}

function digitOf(typed: string, screen: string): string {
  for (const line of screen.split('\n')) {
    const [, digit, label] = /^(\d{1,2})\. (.+)$/.exec(line) ?? []
    // A label may have a note in parentheses.
    if (digit && (label === typed || label?.startsWith(`${typed} (`))) return digit
  }
  return typed
}

const lineFault = (number: number, reason: string): StackError =>
  new StackError(`Line ${number} of the script: ${reason}`)
