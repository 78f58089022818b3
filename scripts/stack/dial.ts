import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { demoCallers, toPhone } from './callers.ts'
import { playScript } from './dial-script.ts'
import { openFolder } from './folder.ts'
import { command, StackError, say } from './report.ts'
import { readRunningStack } from './running-stack.ts'

const usage = `Usage: npm run dial [-- --phone +254700000001 [--text "1"] [--session name]]
       npm run dial -- --script FILE`

await command(async () => {
  const flags = readFlags()
  const { relayUrl } = readRunningStack(openFolder())
  if (flags.script !== undefined) {
    await playScript(readScript(flags.script), {
      ...{ newSession, toPhone, show: say },
      send: (dialled) => send(relayUrl, dialled),
      pause: () => setTimeout(500),
    })
    return
  }
  if (flags.text !== undefined) {
    const phone = toPhone(flags.phone ?? demoCallers[0] ?? '')
    say(await send(relayUrl, { phone, session: flags.session ?? newSession(), text: flags.text }))
    return
  }
  await pickUp(relayUrl, flags.phone)
})

function readFlags() {
  try {
    const text = { type: 'string' } as const
    return parseArgs({ options: { phone: text, text, session: text, script: text } }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error)
    throw new StackError(`${reason}. ${usage}`)
  }
}

function readScript(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new StackError(`The script ${file} cannot be read. ${usage}`)
  }
}

/** A phone with a screen and a keypad: dials until it is put away. */
async function pickUp(relayUrl: string, chosen: string | undefined): Promise<void> {
  const input = createInterface({ input: process.stdin, output: process.stdout })
  // Piped answers may end at any question, which puts the phone away.
  const ended = new Promise<undefined>((resolve) => {
    input.once('close', () => resolve(undefined))
    input.once('SIGINT', () => input.close())
  })
  const lines = input[Symbol.asyncIterator]()
  const ask = async (question: string): Promise<string | undefined> => {
    process.stdout.write(question)
    const answer = await Promise.race([lines.next(), ended])
    return answer === undefined || answer.done ? undefined : answer.value.trim()
  }

  say('A phone. Ctrl-D or q puts it away.')
  let phone = chosen === undefined ? undefined : toPhone(chosen)
  for (;;) {
    const current: string = phone ?? demoCallers[0] ?? ''
    const answer =
      phone === undefined || chosen === undefined ? await ask(`\nNumber [${current}]: `) : ''
    if (answer === undefined || answer === 'q') break
    try {
      phone = answer === '' ? toPhone(current) : toPhone(answer)
    } catch (error) {
      if (!(error instanceof StackError)) throw error
      say(error.message)
      continue
    }
    chosen = undefined
    if (!(await dial(relayUrl, phone, ask))) break
  }
  input.close()
}

/** One session, screen after screen. False when the phone was put away in the middle. */
async function dial(
  relayUrl: string,
  phone: string,
  ask: (question: string) => Promise<string | undefined>,
): Promise<boolean> {
  const session = newSession()
  const answers: string[] = []
  for (;;) {
    const reply = await send(relayUrl, { phone, session, text: answers.join('*') })
    const [, kind, screen = reply] = /^(CON|END) ([\s\S]*)$/.exec(reply) ?? []
    say(`\n${framed(screen)}`)
    if (kind !== 'CON') return true
    const answer = await ask('> ')
    if (answer === undefined) return false
    answers.push(answer)
  }
}

async function send(
  relayUrl: string,
  { phone, session, text }: { phone: string; session: string; text: string },
): Promise<string> {
  try {
    const response = await fetch(`${relayUrl}/ussd`, {
      method: 'POST',
      body: new URLSearchParams({ sessionId: session, phoneNumber: phone, text }),
    })
    return await response.text()
  } catch {
    throw new StackError(
      `The relay at ${relayUrl} does not answer. Start it with: npm start (or, after npm run setup: npx wrangler dev)`,
    )
  }
}

function framed(screen: string): string {
  const lines = screen.split('\n')
  const width = Math.max(24, ...lines.map((line) => line.length))
  const edge = `+${'-'.repeat(width + 2)}+`
  return [edge, ...lines.map((line) => `| ${line.padEnd(width)} |`), edge].join('\n')
}

function newSession(): string {
  return `dial-${randomBytes(6).toString('hex')}`
}
