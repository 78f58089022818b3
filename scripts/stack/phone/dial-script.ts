import { type UntilOptions, until } from '../../dev/wait.ts'
import { StackError } from '../report.ts'

export type Dialled = { phone: string; session: string; text: string }

export type ScriptPhone = {
  send: (dialled: Dialled) => Promise<string>
  newSession: () => string
  toPhone: (typed: string) => string
  show: (line: string) => void
  /** Has what waits for the chain done. Undefined: the chain does it by itself. */
  settle?: () => Promise<void>
  /** How often a screen that waits for the chain is dialled again, and when it is given up. */
  looks?: Pick<UntilOptions, 'everyMs' | 'withinMs'>
}

type Line = { number: number; verb: Verb; rest: string }

const verbs = ['phone', 'dial', '>', '=', 'again', 'until'] as const
type Verb = (typeof verbs)[number]

const usualLooks = { everyMs: 500, withinMs: 180_000 }

/**
 * Plays a script of flows, and says of each screen what the script says of it.
 *
 * - `phone +254700000001`: whose phone is used from here on
 * - `dial`: a new session, which shows the main menu
 * - `> 2`, `> 0700000002`, `> My Balance`: types it; a label of the list is typed as its digit
 * - `= Your Balance: 1 tRBTC`: the screen has this line
 * - `again`: the gateway delivers once more; the screen has to be the same
 * - `until Your Balance: 1 tRBTC`: where the screen does not have this line, dials and answers the same
 *   again until it does
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

  const deliver = async (): Promise<string> => {
    if (caller === undefined) throw new StackError('The script has to begin with: phone NUMBER')
    return phone.send({ phone: caller, session, text: answers.join('*') })
  }
  const shown = (line: Line): string => {
    if (screen === undefined) throw fault(line, 'no one has dialled yet')
    return screen
  }
  const restart = () => {
    session = phone.newSession()
    return deliver()
  }

  const isThere = async ({ rest }: Line) => {
    if (screen !== undefined && hasLine(screen, rest)) return true
    await phone.settle?.()
    screen = await restart()
    return hasLine(screen, rest)
  }

  for (const line of linesOf(script)) {
    phone.show(`${line.verb} ${line.rest}`.trim())
    switch (line.verb) {
      case 'phone':
        caller = phone.toPhone(line.rest)
        screen = undefined
        continue
      case 'dial':
        answers = []
        screen = await restart()
        break
      case '>':
        if (!shown(line).startsWith('CON ')) throw fault(line, 'the session is over')
        answers.push(digitOf(line.rest, shown(line)))
        screen = await deliver()
        break
      case '=':
        if (!hasLine(shown(line), line.rest)) throw fault(line, `the screen is: ${screen}`)
        continue
      case 'again': {
        const once = shown(line)
        screen = await deliver()
        if (screen !== once) throw fault(line, `the screen was ${once} and is ${screen}`)
        continue
      }
      case 'until':
        screen = shown(line)
        await until(() => isThere(line), {
          ...(phone.looks ?? usualLooks),
          late: () => fault(line, `the screen stays: ${screen}`),
        })
        break
    }
    phone.show(`\n${screen}\n`)
  }
}

function linesOf(script: string): Line[] {
  return script.split('\n').flatMap((text, index): Line[] => {
    const written = text.trim()
    if (written === '' || written.startsWith('#')) return []
    const [verb, ...rest] = written.split(' ')
    const line = { number: index + 1, rest: rest.join(' ').trim() }
    const known = verbs.find((name) => name === verb)
    if (known === undefined)
      throw fault({ ...line, verb: 'dial' }, `a line begins with ${verbs.join(', ')}`)
    return [{ ...line, verb: known }]
  })
}

function digitOf(typed: string, screen: string): string {
  for (const line of screen.split('\n')) {
    const [, digit, label] = /^(\d{1,2})\. (.+)$/.exec(line) ?? []
    if (digit !== undefined && label === typed) return digit
  }
  return typed
}

const hasLine = (screen: string, wanted: string): boolean =>
  screen
    .replace(/^(CON|END) /, '')
    .split('\n')
    .includes(wanted)

const fault = ({ number }: Line, reason: string): StackError =>
  new StackError(`Line ${number} of the script: ${reason}`)
