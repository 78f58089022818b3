import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatGwei, type Hex } from 'viem'
import { computeFingerprint } from '../../src/account/secrets.ts'
import type { ActionAnswer, ActionRequest } from '../../src/operator/actions/list.ts'
import { writeAuditEntry } from '../../src/operator/holds.ts'
import { alertsAnswer } from '../../src/operator/schemas/alerts.ts'
import { auditAnswer, eventsAnswer } from '../../src/operator/schemas/kept.ts'
import { loansAnswer } from '../../src/operator/schemas/loans.ts'
import { paymentAnswer, paymentsAnswer } from '../../src/operator/schemas/payments.ts'
import { readDeployed } from '../contracts/records.ts'
import { type Found, flag, text, textOr, type Values } from '../stack/command.ts'
import { root } from '../stack/folder.ts'
import { Misused, StackError } from '../stack/report.ts'
import { type commonOptions, type Operated, operatorCommand, readNumber } from './command-line.ts'
import { importFile, writeExport } from './kept-file.ts'
import type { OperatorClient } from './operator-client.ts'
import { reconcile } from './reconcile/reconcile-deployment.ts'
import * as show from './show.ts'

const usage = `Usage: npm run ops -- <what> [--url https://<host>] [--json]

status                    how things are, and what wants a person
watch [--every SECONDS]   the same again and again (5 s), until Ctrl-C; with --json a line each time
payments [--state S] [--account 0x…] [--since TIME] [--before TIME] [--limit N] [--archived]
why <hash, code or till>  what became of a payment, step by step: by its intent, its hash or the 10 characters after
                          0x that screens show, a receipt number (Ref), or an agent's code; by a till or an
                          address, its account. Shows all that fits
why                       the same for what a caller reads out, which is read from standard input: a number (as it is
                          dialled at home too) with what it sent and received, or any of these
session <gateway> <id>    how a session was decided that the gateway names: the number is read from standard input
alerts                    what is raised, and what was
test-alert                posts a test alert to ALERT_WEBHOOK_URL, and tells whether that took it
loans [--state S] [--limit N] who owes, since when, due, overdue; with --state repaid, written_off or moved those
agents                    who hands out cash (agent) or takes payments with a reference (bill), by till number
agents add <name> [--bill]
                          gives a number a till: the number is read from standard input
agents remove <till>      takes it away; nobody gets it again for 90 days
audit [--all] [--before TIME]
                          what operators did, the newest first; with --all also whom they looked up
events [--after SEQ] [--limit N]
                          what happened to accounts, in order, after the event of this number
outbid <nonce>            new bytes for a nonce that waits, at a higher price, before a round would
rate <price>              accepts a price of the unit in the local currency, after the alert rate_jump
pause | resume            refuses new payments in words, or takes them again; what is open goes on
drain [--wait]            the same; with --wait it ends once nothing is open: then keys and contracts may change
drain --new-account-secret
                          and once nothing is open, the account secret may become NEW_ACCOUNT_KEY_SECRET of the
                          environment: contracts/README.md says how accounts move to it
reconcile [--record FILE] [--accounts]
                          compares the ledger with the contracts' sums and the events of the chain, and prints
                          every difference: then it ends with 1. With --accounts it also asks for each balance
                          that the ledger knows of. It begins at the block of FILE, a record of
                          npm run deploy:contracts.
export --out FILE         what only operators know: audit, holds, tills and accounts of former number forms
import --from FILE        adds what the ledger has not of it, while payments are paused
set-back --to 2026-11-22T19:42:00Z | --bookmark B
                          on Cloudflare: has the ledger begin again as it was then, up to 30 days ago

Asks the local stack, or the deployment at --url with OPERATOR_TOKEN in the environment, and NODE_URL to reconcile.

Each of these has a --help of its own:

verify                    checks a payment's proof by nothing but hashes
doctor                    whether a payment can be carried, and what helps
relayers                  what they have for gas, and how they get more; another key
pool                      what may be lent, and how it gets more; its pause
account                   an account of a number: its address, wallets, PIN, hold, export, erasure
fund                      gives money to the account of a number
keys                      the API keys of the node service
operators                 the people who operate a deployment: a name, a role and a token each
secrets                   makes those of a deployment
borrowers                 the list of borrowers, with the creditor's key
migrate                   moves all accounts to a new pair of contracts, or to a new account secret`

const options = {
  every: textOr('5'),
  all: flag,
  after: text,
  state: text,
  account: text,
  since: text,
  before: text,
  archived: flag,
  limit: text,
  bill: flag,
  wait: flag,
  'new-account-secret': flag,
  record: text,
  accounts: flag,
  out: text,
  from: text,
  to: text,
  bookmark: text,
}

type Given = Values<typeof options & typeof commonOptions>

export const operate = operatorCommand({
  usage,
  options,
  actions: {
    status: showStatus,
    watch,
    payments: showPayments,
    why: { takes: [0, 1], run: (operator, _, [name]) => showWhy(operator, name) },
    session: { takes: [2], run: showSession },
    alerts: showAlerts,
    'test-alert': postTestAlert,
    loans: showLoans,
    agents: { takes: [0, 1, 2], run: manageAgents },
    audit: showAudit,
    events: showEvents,
    outbid: { takes: [1], run: (operator, _, [nonce]) => outbid(operator, nonce) },
    rate: { takes: [1], run: (operator, _, [price]) => acceptRate(operator, price) },
    pause: (operator) => setIntake(operator, 'pause'),
    resume: (operator) => setIntake(operator, 'resume'),
    drain,
    reconcile: showReconciled,
    export: exportLedger,
    import: importLedger,
    'set-back': setBack,
  },
})

async function watch(operator: Operated, { json, every }: Given): Promise<undefined> {
  if (!/^[1-9][0-9]{0,3}$/.test(every)) throw new StackError('--every is a number of seconds.')
  // Ctrl-C is its end, and no fault.
  process.once('SIGINT', () => process.exit(0))
  for (;;) {
    operator.terminal.say(await writeStatus(operator, json))
    await sleep(Number(every) * 1_000)
  }
}

export async function writeStatus(operator: OperatorClient, isJson: boolean): Promise<string> {
  try {
    const status = await operator.status()
    if (isJson) return JSON.stringify(status)
    return `${[`${operator.origin} at ${status.now}`, ...show.describeStatus(status)].join('\n')}\n`
  } catch (error) {
    if (!(error instanceof StackError)) throw error
    return isJson ? JSON.stringify({ error: error.message }) : `${error.message}\n`
  }
}

async function showStatus(operator: OperatorClient): Promise<Found> {
  const status = await operator.status()
  return { json: status, lines: show.describeStatus(status) }
}

async function showPayments(operator: OperatorClient, values: Given): Promise<Found> {
  const { state, account, since, before, limit, archived } = values
  const given = { state, account, since, before, limit, archived: archived ? 'true' : undefined }
  const page = await operator.ask(`/operator/payments?${queryOf(given)}`, paymentsAnswer)
  const { unit } = await operator.status()
  const more = page.next === null ? [] : [`Older ones: --before ${page.next}`]
  const lines = page.payments.map((one) => show.describePayment(one, unit))
  return { json: page, lines: [...lines, ...more] }
}

async function showWhy(operator: Operated, name: string | undefined): Promise<Found> {
  // What may be a number belongs into no history of a shell: it is not shown again.
  if (name !== undefined && !/^(0x[0-9a-fA-F]{10,64}|[0-9]{5,6}|[0-9]{3}-[0-9]{4})$/.test(name)) {
    throw new StackError(
      'An argument is a hash or its first 10 characters after 0x, an intent, an address, a receipt number, a code or a till; a phone number is read from input.',
    )
  }
  const text = name ?? (await readNumber(operator.terminal))
  const found = await operator.act('find', { text })
  const { accounts, payments } = found
  const { unit } = await operator.status()
  const [payment, ...others] = payments
  const [hit, ...otherHits] = accounts
  if (hit !== undefined && otherHits.length + payments.length === 0) {
    return { json: hit.caller, lines: show.describeCaller(hit, unit) }
  }
  if (payment === undefined || others.length + accounts.length > 0) {
    const isBad = accounts.length + payments.length === 0
    return { json: found, lines: show.describeFound(found, unit), isBad }
  }
  const trace = await operator.ask(`/operator/payments/${payment.intent}`, paymentAnswer)
  return { json: trace, lines: show.describeTrace(trace, unit) }
}

async function showSession(operator: Operated, _: Given, [gateway, sessionId]: readonly string[]) {
  const phone = await readNumber(operator.terminal)
  const found = await operator.act('session', { phone, gateway, sessionId })
  const { state, decidedAt, screen, reason, intent } = found
  const why = reason === null ? '' : ` (${reason})`
  const lines = [`${decidedAt}  ${state}${why}: ${screen.replaceAll('\n', ' ')}`]
  const follow = intent === null ? [] : [`Follow it with: npm run ops -- why ${intent}`]
  return { json: found, lines: [...lines, ...follow] }
}

async function showAlerts({ ask }: OperatorClient): Promise<Found> {
  const found = await ask('/operator/alerts', alertsAnswer)
  const line = ({ name, says, raisedAt, overSince }: (typeof found.past)[number]) =>
    `${raisedAt}  ${name}: ${says}${overSince === null ? '' : ` (over since ${overSince})`}`
  const none = found.alerts.length === 0 ? ['Nothing is raised.'] : []
  const past = found.past.length === 0 ? [] : ['Over:', ...found.past.map(line)]
  return { json: found, lines: [...none, ...found.alerts.map(line), ...past] }
}

async function postTestAlert({ act }: OperatorClient): Promise<Found> {
  const found = await act('test-alert')
  return { json: found, lines: [`The webhook took the test alert ${found.id}.`] }
}

async function showLoans({ ask }: OperatorClient, { state, limit }: Given): Promise<Found> {
  const book = await ask(`/operator/loans?${queryOf({ state, limit })}`, loansAnswer)
  return { json: book, lines: show.describeLoans(book) }
}

async function showEvents({ ask }: OperatorClient, { after, limit }: Given): Promise<Found> {
  const found = await ask(`/operator/events?${queryOf({ after, limit })}`, eventsAnswer)
  const lines = found.events.map(({ seq, at, account, name, detail }) =>
    [seq, at, account, name, ...listDetail(detail)].join('  '),
  )
  const last = found.events.at(-1)
  return { json: found, lines: [...lines, last ? `Later ones: --after ${last.seq}` : 'None.'] }
}

const listDetail = (detail: Readonly<Record<string, string>>): string[] =>
  Object.entries(detail).map(([name, value]) => `${name} ${value}`)

async function showAudit({ ask, status }: OperatorClient, { all, before }: Given): Promise<Found> {
  const query = queryOf({ lookups: `${all === true}`, before })
  const found = await ask(`/operator/audit?${query}`, auditAnswer)
  const { unit } = await status()
  const lines = found.entries.map((entry) => {
    const { at, by, action, detail } = writeAuditEntry(entry, unit)
    return [at, by ?? '-', action, ...listDetail(detail)].join('  ')
  })
  if (found.next !== null) lines.push(`Older ones: --before ${found.next}`)
  return { json: found, lines: lines.length === 0 ? ['No operator has done anything yet.'] : lines }
}

async function manageAgents(
  { act, terminal }: Operated,
  { bill }: Given,
  [what = 'list', given]: readonly string[],
): Promise<Found> {
  const line = ({ till, kind, name, account }: ActionAnswer<'agents/add'>) =>
    `${till.padEnd(6)}  ${kind.padEnd(5)}  ${name}  ${account}`
  if (what === 'list' && given === undefined) {
    const found = await act('agents')
    const none = found.agents.length === 0 ? ['Nobody has a till.'] : []
    return { json: found, lines: [...none, ...found.agents.map(line)] }
  }
  if (what === 'remove') {
    const found = await act('agents/remove', { till: given })
    return { json: found, lines: [`${found.till} has no account now.`] }
  }
  if (what !== 'add' || given === undefined) throw new Misused()
  const agent = { phone: await readNumber(terminal), name: given, kind: bill ? 'bill' : 'agent' }
  const found = await act('agents/add', agent, 'It may have been done. The same command tells.')
  return { json: found, lines: [line(found)] }
}

async function outbid({ act }: OperatorClient, nonce = ''): Promise<Found> {
  if (!/^[0-9]{1,15}$/.test(nonce)) throw new StackError(`"${nonce}" is not a nonce.`)
  const found = await act('outbid', { nonce: Number(nonce) })
  const price = formatGwei(BigInt(found.gasPriceWei))
  const line = `Nonce ${nonce} goes out again as ${found.hash} at ${price} gwei, in the place of ${found.over}.`
  return { json: found, lines: [line] }
}

async function acceptRate({ act }: OperatorClient, price = ''): Promise<Found> {
  const found = await act('rate', { price })
  const line = `Changes are counted from ${found.currency} ${found.price} now. The feed is asked within a minute.`
  return { json: found, lines: [line] }
}

/** Begins a drain, with the fingerprint of the next account secret, which reveals nothing. */
async function drain(operator: Operated, values: Given): Promise<Found> {
  const secret = operator.terminal.env.NEW_ACCOUNT_KEY_SECRET ?? ''
  const isNamed = values['new-account-secret'] === true
  if (isNamed && !/^0x[0-9a-f]{64}$/i.test(secret)) {
    throw new StackError('Set NEW_ACCOUNT_KEY_SECRET to the new secret: 0x and 64 digits.')
  }
  const named = isNamed ? { nextAccountKey: await computeFingerprint(secret as Hex) } : undefined
  const begun = await setIntake(operator, 'drain', named)
  return values.wait ? untilDrained(operator, begun) : begun
}

/** Waits until nothing is open, or until payments are taken again. */
async function untilDrained(operator: Operated, begun: Found): Promise<Found> {
  for (const line of begun.lines) operator.terminal.complain(line)
  for (;;) {
    const { intake } = await operator.status()
    if (intake.state !== 'draining') {
      const isBad = intake.state !== 'drained'
      return { json: { intake }, lines: [show.describeIntake(intake)], isBad }
    }
    await sleep(2_000)
  }
}

type Intake = 'pause' | 'resume' | 'drain'

async function setIntake({ act }: OperatorClient, action: Intake, body?: ActionRequest<'drain'>) {
  const { intake, open } = await act(action, body)
  const rest = open === 0 ? '' : ` Of those that were accepted ${open} have not ended yet.`
  return { json: { intake, open }, lines: [`${show.describeIntake(intake)}${rest}`] }
}

async function showReconciled(operator: OperatorClient, { url, record, accounts }: Given) {
  if (url !== undefined && record === undefined) {
    throw new StackError('Say where the contracts were recorded: --record deployments/31.json')
  }
  const fromBlock =
    record === undefined ? 0 : Number(readDeployed(resolve(root, record)).deployedBlock)
  const found = await reconcile(operator, { fromBlock, eachAccount: accounts })
  const { differences, payments, elsewhere, spendings, events, head } = found
  const sum = `${payments} payments of the ledger, ${spendings} spent intents and ${events} events up to block ${head}: ${differences.length} differences.`
  const before =
    elsewhere === 0 ? [] : [`${elsewhere} payments went to other contracts: they are not compared.`]
  return { json: found, lines: [...differences, ...before, sum], isBad: differences.length > 0 }
}

async function exportLedger(operator: OperatorClient, { out }: Given): Promise<Found> {
  if (out === undefined) throw new StackError('Say where to: --out FILE')
  const rows = await writeExport(operator, out)
  return { json: { file: out, rows }, lines: [`${out} has ${rows} rows.`] }
}

async function importLedger(operator: OperatorClient, { from }: Given): Promise<Found> {
  if (from === undefined) throw new StackError('Say what to import: --from FILE')
  const found = await importFile(operator, from)
  const { added, refused } = found
  const others = refused.map((one) => `${one} is another's here, or has paid: it was left.`)
  return { json: found, lines: [`${added} rows were added.`, ...others], isBad: others.length > 0 }
}

async function setBack(operator: OperatorClient, { to, bookmark }: Given): Promise<Found> {
  const time = to === undefined ? Number.NaN : Date.parse(to)
  if (bookmark === undefined && Number.isNaN(time)) {
    throw new StackError('Say to when, in UTC: --to 2026-11-22T19:42:00Z')
  }
  const asked = bookmark === undefined ? { to: new Date(time).toISOString() } : { bookmark }
  const found = await operator.act('set-back', asked)
  const lines = [`The ledger is as it was then. To take that back: --bookmark ${found.undo}`]
  return { json: found, lines }
}

function queryOf(given: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const isGiven = (pair: [string, string | undefined]): pair is [string, string] => !!pair[1]
  return new URLSearchParams(Object.entries(given).filter(isGiven))
}
