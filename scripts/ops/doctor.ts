import { isLoopback } from '../../src/compose/environment.ts'
import { readingExpiresMs } from '../../src/operator/health.ts'
import { operatorError } from '../../src/operator/schemas/fields.ts'
import { healthAnswer } from '../../src/operator/schemas/health.ts'
import { type StatusAnswer, statusAnswer } from '../../src/operator/schemas/status.ts'
import { doctorAgent, version } from '../../src/operator/version.ts'
import { parseJson } from '../../src/runtime/json.ts'
import { tryTo } from '../../src/runtime/log.ts'
import { createCommand, text } from '../stack/command.ts'
import { openFolder } from '../stack/folder.ts'
import { readOrigin } from '../stack/options.ts'
import type { GatewayForm } from '../stack/phone/page/handset.ts'
import { findGatewayForm } from '../stack/phone/phone-lines.ts'
import { readRunningStack } from '../stack/running-stack.ts'
import { commonOptions } from './command-line.ts'
import { describeCheck, describeGuards, describeRelayer } from './show.ts'
import { isServedBy, readVersion } from './version.ts'

/** Is fictional, and may have dialled before. */
const doctorPhone = '+254700000099'

const usage = `Usage: npm run ops -- doctor [--url https://<host>] [--gateway NAME [--sample TEXT]]
  [--secrets FILE] [--json]

Looks whether the local stack, or the deployment at --url, can carry a payment, and says what mends what it
finds. It pays nothing. With CALLBACK_SECRET in the environment, or in FILE, it dials a balance there, with
OPERATOR_TOKEN it asks for the status. With --gateway it reads that gateway's declaration (GATEWAY in the
environment, or FILE) and delivers a first dial in its form. --sample is the text that the gateway posts when
the code is dialled and nothing is answered yet: it shows whether the declaration has to name that code.
Ends with 1 where something is wrong.`

/** Holds the finding of one check; `skipped` if the environment lacks what it needs. */
export type Finding = { name: string; state: 'ok' | 'bad' | 'skipped'; says: string }

export const doctor = createCommand({
  usage,
  options: { ...commonOptions, gateway: text, sample: text },
  async run({ url, gateway, sample }, _, { env }) {
    const local = url === undefined ? readRunningStack(openFolder(env), env) : undefined
    const origin = readOrigin(url ?? local?.relayUrl ?? '')
    const form = gateway === undefined ? undefined : findGatewayForm(gateway, env.GATEWAY)
    const known = { ...env, OPERATOR_TOKEN: local?.operatorToken ?? env.OPERATOR_TOKEN }
    const findings = await examine(origin, known)
    if (form !== undefined) findings.push(await gatewayFinding(origin, form, env.CALLBACK_SECRET))
    if (form !== undefined && sample !== undefined) findings.push(sampleFinding(form, sample))
    return {
      json: { url: origin, findings },
      lines: findings.map((one) => `${marks[one.state]}  ${one.name.padEnd(16)}${one.says}`),
      isBad: findings.some(({ state }) => state === 'bad'),
    }
  },
})

/** Runs the checks in order: without an answer nothing else can be checked. */
export async function examine(origin: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const isSafe = origin.startsWith('https:') || isLoopback(origin)
  const first = [
    isSafe
      ? good('address', origin)
      : bad('address', 'Secrets would travel in clear text: register an https address.'),
    ...(await healthFindings(origin)),
  ]
  const isServing = !first.some(
    ({ name, state }) => state === 'bad' && ['answers', 'configuration'].includes(name),
  )
  if (!isServing) return first
  const { isOpen, ...callback } = await closedFinding(origin)
  return [
    ...first,
    await versionFinding(origin),
    callback,
    await dialFinding(origin, env.CALLBACK_SECRET, isOpen),
    await keysFinding(origin),
    ...(await statusFindings(origin, env.OPERATOR_TOKEN)),
  ]
}

/** Asks a deployment for its health; without an answer that is the only finding. */
export async function healthFindings(origin: string): Promise<Finding[]> {
  const { status: code, json } = await ask(`${origin}/healthz`)
  const { data } = healthAnswer.safeParse(json)
  if (data === undefined) {
    const what = code === undefined ? 'Nothing answers' : `HTTP ${code}`
    return [bad('answers', `${what}: is this the address, and is the Worker deployed there?`)]
  }
  const { status, checks = [], faults = [] } = data
  const states = { ok: 'ok', failing: 'bad', unknown: 'skipped' } as const
  const found: Finding[] = [
    ...faults.map(({ variable, reason }) => {
      const remedy = `Set it: npx wrangler secret put ${variable}, or in [vars]`
      return bad('configuration', `${variable} ${reason}. ${remedy}`)
    }),
    ...checks.map((check) => {
      return { name: check.name, state: states[check.state], says: describeCheck(check) }
    }),
  ]
  const isNamed = found.some(({ state }) => state === 'bad')
  if (status !== 'ok' && !isNamed) return [bad('answers', `The service says that it is ${status}.`)]
  return [good('answers', `It says that it is ${status}.`), ...found]
}

/** Checks the version; a deployment without one is older than 1.0.0. */
async function versionFinding(origin: string): Promise<Finding> {
  const theirs = await readVersion(origin)
  if (theirs === version) return good('version', `It is ${version}, as this command.`)
  const says = `It is ${theirs ?? 'older than 1.0.0'}, this command ${version}`
  if (theirs !== undefined && isServedBy(theirs)) return good('version', `${says}: they fit.`)
  return bad('version', `${says}: deploy this version, or take the commands of that one.`)
}

/** Checks the callback, because whoever can post there can act for any phone. */
async function closedFinding(origin: string): Promise<Finding & { isOpen?: boolean }> {
  const { status: code } = await dial(origin, '')
  switch (code) {
    case 404:
      return good('callback', 'Closed to all who do not have its secret.')
    case 503:
      return bad('callback', 'Closed to all: set it, npx wrangler secret put CALLBACK_SECRET')
    case 200:
      if (isLoopback(origin)) return { ...good('callback', 'Open, on loopback.'), isOpen: true }
      return bad('callback', 'Open to all: anybody can spend for any phone. Take ENVIRONMENT away.')
    default:
      return bad('callback', `It answers ${code ?? 'nothing'} to a request without the secret.`)
  }
}

/** Delivers a first dial as a gateway does, which pays nothing, and reads the reply in its form. */
export async function gatewayFinding(
  origin: string,
  { path, contentType, write, parseReply }: GatewayForm,
  secret: string | undefined,
): Promise<Finding> {
  const session = `doctor-${Date.now()}`
  const authorization = secret ? { authorization: `Bearer ${secret}` } : {}
  const { status: code, text = '' } = await ask(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': contentType, ...authorization },
    body: write({ phone: doctorPhone, session, text: '' }, ''),
  })
  if (code === 403)
    return good('gateway', 'It takes deliveries of named addresses alone, and not from this one.')
  if (code === 404)
    return bad('gateway', `Nothing is at ${path}: is it declared there, and CALLBACK_SECRET yours?`)
  const screen = tryTo(() => parseReply(text, session).screen)
  if (screen === undefined)
    return bad('gateway', `HTTP ${code}, and not in its form: has the service another declaration?`)
  if (code === 200 && screen.startsWith('CON '))
    return good('gateway', `A first dial at ${path} is answered in its form.`)
  return bad('gateway', `A first dial is answered ${code}: ${screen.split('\n')[0]}`)
}

/** Judges the text that a gateway posts when its code is dialled, by the declaration. */
export function sampleFinding({ dialled, startsEmpty }: GatewayForm, sample: string): Finding {
  const code = sample.replace(/#$/, '')
  if (startsEmpty) return good('sample', 'The text of a first dial is not read: "kinds" names it.')
  if (code === (dialled ?? '')) return good('sample', 'The declaration fits this first dial.')
  return dialled === undefined || code !== ''
    ? bad('sample', `The text begins with the dialled code. Declare it: "dialled": "${code}"`)
    : bad('sample', 'The text has no dialled code. Leave "dialled" out of the declaration.')
}

/** Dials a balance, which needs the ledger, its secrets, the node and the contract. */
async function dialFinding(origin: string, secret?: string, isOpen = false): Promise<Finding> {
  if (!secret && !isOpen) return skipped('dial', notSet('CALLBACK_SECRET'))
  const { status: code, text = '' } = await dial(origin, '1', secret)
  if (code === 404) return bad('dial', 'The deployment has another CALLBACK_SECRET than you.')
  return judgeDial(code, text)
}

/** Judges the screen of a dialled balance, by the answer's HTTP status and text. */
export function judgeDial(code: number | undefined, text: string): Finding {
  const screen = code === 200 ? text : ''
  if (/^END Your Balance: /.test(screen)) return good('dial', 'A balance is shown.')
  // A number that never dialled chooses a language first, where there are several, and then a PIN.
  if (/^CON (.*\n)?(Language|Lugha|Langue|Idioma) \/ /.test(screen))
    return good('dial', 'A language is asked for before a balance is shown.')
  if (/^CON .*PIN/.test(screen))
    return good('dial', 'A PIN is asked for before a balance is shown.')
  return bad('dial', `A balance is not shown, but: ${text.split('\n')[0] || code}`)
}

async function keysFinding(origin: string): Promise<Finding> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
  const { status: code } = await ask(`${origin}/rpc`, { method: 'POST', body })
  if (code === 401) return good('node service', 'The node service wants a key.')
  return bad('node service', `It answers ${code ?? 'nothing'} to a request without a key.`)
}

async function statusFindings(origin: string, token: string | undefined): Promise<Finding[]> {
  if (!token) return [skipped('operator', notSet('OPERATOR_TOKEN'))]
  const headers = { authorization: `Bearer ${token}` }
  const told = await ask(`${origin}/operator/status`, { headers })
  // Only these answers are about the token; all others come after it was compared.
  if (told.status === 401) {
    return [bad('operator', 'The deployment knows no such OPERATOR_TOKEN: is it retired?')]
  }
  if (told.status === 404)
    return [bad('operator', 'The deployment has neither OPERATOR_TOKEN nor OPERATORS.')]
  if (told.status === undefined) return [skipped('operator', 'Nothing answered in time.')]
  const refusal = operatorError.safeParse(told.json).data?.error
  if (told.status !== 200 && refusal === undefined) {
    return [skipped('operator', `Not known: the status is answered by HTTP ${told.status}.`)]
  }
  const { data } = statusAnswer.safeParse(told.json)
  const whose = data && `, as that of ${data.you.name} (${data.you.role})`
  const operator = good('operator', `The token is taken${whose ?? ''}.`)
  if (data === undefined) {
    const why = refusal ?? 'it is of another version than this doctor'
    return [operator, bad('status', `It is not told: ${why}.`)]
  }
  const { alerts, currency, guards, relayers } = data
  const gas = relayers.map((relayer): Finding => {
    const { lastsFor } = relayer
    if (lastsFor !== null)
      return (lastsFor > 0 ? good : bad)('gas', describeRelayer(relayer, currency))
    return skipped('gas', 'No round has looked yet: wait a minute.')
  })
  const guarded = good('guards', describeGuards(guards))
  return [operator, guarded, ...gas, ...tokenFindings(data), ...alerts.map(alertFinding)]
}

/** Reports that the pool's token moves, or is not known to; an alert tells where it does not. */
function tokenFindings({ unit, contracts: { token, tokenAt }, now }: StatusAnswer): Finding[] {
  if (unit.token === null) return []
  if (!token || !tokenAt)
    return [skipped('token', 'No round has looked yet whether the token moves: wait a minute.')]
  if (Date.parse(now) - Date.parse(tokenAt) > readingExpiresMs)
    return [skipped('token', `Not known: nodes told last at ${tokenAt} whether the token moves.`)]
  return token === 'moves' ? [good('token', 'It lets the pool pay and be paid.')] : []
}

/** Reports an alert; one that is over stays for a while, because it may return. */
const alertFinding = ({ says, overSince }: StatusAnswer['alerts'][number]): Finding =>
  overSince === null ? bad('alert', says) : good('alert', `Ended at ${overSince}: ${says}`)

const good = (name: string, says: string): Finding => ({ name, state: 'ok', says })
const bad = (name: string, says: string): Finding => ({ name, state: 'bad', says })
const skipped = (name: string, says: string): Finding => ({ name, state: 'skipped', says })

const notSet = (variable: string) => `Not looked at: set ${variable} in the environment.`

const marks = { ok: 'ok ', bad: 'BAD', skipped: '-  ' }

function dial(origin: string, text: string, secret?: string) {
  const fields = { phoneNumber: doctorPhone, sessionId: `doctor-${Date.now()}`, text }
  const authorization = secret ? { authorization: `Bearer ${secret}` } : {}
  const headers = { 'user-agent': doctorAgent, ...authorization }
  return ask(`${origin}/ussd`, { method: 'POST', body: new URLSearchParams(fields), headers })
}

/** Asks a URL; the status is undefined without an answer in time. */
async function ask(url: string, init: RequestInit = {}) {
  try {
    const signal = AbortSignal.timeout(20_000)
    const response = await fetch(url, { ...init, signal, redirect: 'manual' })
    const text = await response.text()
    return { status: response.status, text, json: parseJson(text) }
  } catch {
    return {}
  }
}
