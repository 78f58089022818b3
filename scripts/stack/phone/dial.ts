import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { commonOptions, readNumber } from '../../ops/command-line.ts'
import { createCommand, runAsProgram, text, textOr } from '../command.ts'
import { readIfThere } from '../files.ts'
import { openFolder } from '../folder.ts'
import { demoCallers, toPhone } from '../money/callers.ts'
import { readOrigin } from '../options.ts'
import { Misused, StackError, say } from '../report.ts'
import { readRunningStack } from '../running-stack.ts'
import { playScript } from './dial-script.ts'
import { findGatewayForm, gatewayForms, openPhoneLine, type PhoneLine } from './phone-lines.ts'

const usage = `Usage: npm run dial -- [--phone +254700000001] [--text 1 [--session NAME]] [--json]
       npm run dial -- --url https://<host> [--text 1 [--session NAME]] [--json]
       npm run dial -- --script FILE
       Each with --gateway ${Object.keys(gatewayForms).join('|')}: whose requests are sent, or with
       the name of the one that GATEWAY declares in the environment

A phone in the terminal. With --text one request is sent and its answer shown; a script is played line by
line (scripts/stack/phone/dial-script.ts), with the numbers that it names.
Dials the local stack, or the deployment at --url with CALLBACK_SECRET in the environment; there the number
is read from a prompt, or from the standard input.`

export const dialCommand = createCommand({
  usage,
  options: {
    ...commonOptions,
    phone: text,
    text: text,
    session: text,
    script: text,
    gateway: textOr('africas-talking'),
  },
  async run(
    { url, phone: chosen, text, session = newSession(), script, gateway },
    given,
    terminal,
  ) {
    if (given.length > 0 || (url !== undefined && (chosen ?? script) !== undefined)) {
      throw new Misused()
    }
    const send = openLine(url, gateway, terminal.env)
    // Off this machine no number is offered, and none is an argument.
    const offered = url === undefined ? demoCallers[0] : undefined
    if (script !== undefined) {
      const written = readIfThere(script)
      if (written === undefined) throw new Misused(`There is no script ${script}.`)
      await playScript(`${written}`, {
        newSession,
        toPhone,
        show: terminal.say,
        send: (dialled) => send({ ...dialled, phone: toPhone(dialled.phone) }),
      })
      return undefined
    }
    if (text === undefined) return pickUp(send, chosen, offered)
    const phone = toPhone(chosen ?? offered ?? (await readNumber(terminal)))
    const screen = await send({ phone, session, text })
    return { json: { session, screen }, lines: [screen] }
  },
})
runAsProgram(import.meta, dialCommand)

function openLine(url: string | undefined, gateway: string, env: NodeJS.ProcessEnv): PhoneLine {
  const form = findGatewayForm(gateway, env.GATEWAY)
  const isLocal = url === undefined
  const relayUrl = isLocal ? readRunningStack(openFolder(env), env).relayUrl : readOrigin(url)
  const secret = isLocal ? undefined : env.CALLBACK_SECRET
  const authorization = secret ? { authorization: `Bearer ${secret}` } : {}
  const start = 'Start it with: npm start (or, after npm run setup: npx wrangler dev)'
  const silent = isLocal
    ? `The relay at ${relayUrl} does not answer. ${start}`
    : `Nothing answers at ${relayUrl}.`
  return openPhoneLine(form, async (path, headers, body) => {
    const init = { method: 'POST', headers: { ...headers, ...authorization }, body }
    const response = await fetch(`${relayUrl}${path}`, init).catch(() => {
      throw new StackError(silent)
    })
    if (response.status !== 404) return response.text()
    throw new StackError(`${relayUrl} has another CALLBACK_SECRET than you, or is no relay.`)
  })
}

type Ask = (question: string) => Promise<string | undefined>

/** Asks whose phone it is and has it dial, again and again, until the phone is put away. */
async function pickUp(send: PhoneLine, chosen?: string, offered?: string): Promise<undefined> {
  const input = createInterface({ input: process.stdin, output: process.stdout })
  input.once('SIGINT', () => input.close())
  const lines = input[Symbol.asyncIterator]()
  // Piped answers may end at any question, which puts the phone away.
  const ask: Ask = async (question) => {
    process.stdout.write(question)
    const answer = await lines.next()
    return answer.done ? undefined : answer.value.trim()
  }
  say('A phone. Ctrl-D or q puts it away.')
  let phone: string | undefined = chosen ?? offered
  let typed = chosen === undefined ? undefined : ''
  for (; ; typed = undefined) {
    typed ??= await ask(`\nNumber [${phone ?? ''}]: `)
    if (typed === undefined || typed === 'q') break
    try {
      phone = toPhone(typed || (phone ?? ''))
    } catch (error) {
      if (!(error instanceof StackError)) throw error
      say(error.message)
      continue
    }
    if (!(await dial(send, phone, ask))) break
  }
  input.close()
}

/** Shows a session, screen after screen; false where the phone was put away in the middle. */
async function dial(send: PhoneLine, phone: string, ask: Ask): Promise<boolean> {
  const session = newSession()
  const answers: string[] = []
  for (;;) {
    const reply = await send({ phone, session, text: answers.join('*') })
    const [, kind, screen = reply] = /^(CON|END) ([\s\S]*)$/.exec(reply) ?? []
    say(`\n${framed(screen)}`)
    if (kind !== 'CON') return true
    const answer = await ask('> ')
    if (answer === undefined) return false
    answers.push(answer)
  }
}

function framed(screen: string): string {
  const lines = screen.split('\n')
  const width = Math.max(24, ...lines.map((line) => line.length))
  const edge = `+${'-'.repeat(width + 2)}+`
  return [edge, ...lines.map((line) => `| ${line.padEnd(width)} |`), edge].join('\n')
}

const newSession = () => `dial-${randomBytes(6).toString('hex')}`
