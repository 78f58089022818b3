import { randomBytes } from 'node:crypto'
import type { Unit } from '../../src/loan/amounts.ts'
import type { ActionRequest } from '../../src/operator/actions/list.ts'
import type { PaymentSummary } from '../../src/operator/schemas/payments.ts'
import { alias } from '../contracts/migrate/cli.ts'
import { batchesOf } from '../contracts/migrate/plan.ts'
import { type Command, type Found, flag, text, textOr, type Values } from '../stack/command.ts'
import { Misused, StackError, writeAmount } from '../stack/report.ts'
import { type Operated, operatorCommand, readLines, readNumber } from './command-line.ts'
import { insist } from './operator-client.ts'
import * as show from './show.ts'

const usage = `Usage: npm run ops -- account <what> [--url https://<host>] [--json]

address             where a wallet sends money for a number: the address that its phone shows under Receive, with
                    this chain's checksum (EIP-1191). Over a token it is not the account's own address
deposit             in the chain's currency: has the account's own key deposit what was sent there, less the gas:
                    once, however often it is asked for
sweep [--least AMOUNT]
                    over a token, credits what arrived at the addresses that Receive shows, from AMOUNT (1) of the
                    pool's unit on: for numbers of the standard input, one a line, each once in 6 hours. A
                    cron may call it; what fails for one number is told by its line, and stops no other
cash-out <wallet> <amount | all> [--key K]
                    pays out of the account of a number to an address outside, once. Where it was not
                    answered, the same command with the key that is printed tells what became of it
wallets             the addresses that a number cashes out to by their names
add-wallet <name> <wallet>
                    has a number cash out to an address by this name, in the place of one of the same name
remove-wallet <name>
                    takes that away
wallet <name> <wallet>
                    prints a code of 8 digits for the holder of an address: the number that types it first, under
                    Cash Out and within an hour, has this wallet from then on
verify-name         tells payers the name of a number that you have checked, once its holder agrees. Reads the number and
                    the name, a line each: both stay out of the shell's history
remove-name         takes away all names of a number
unblock             has a number spend again that three wrong PINs, or 90 days without a dial, keep from it:
                    for callers who have shown who they are
hold [REASON]       has nothing leave the account of a number: its caller hears whom to call (HELP_NUMBER). What
                    was accepted before goes on, and money may arrive. The audit and the Support page have the
                    reason, of 80 characters at most and without a phone number: "SIM swap reported"
release             lets it go
end-recall <intent> ends what is held back of this payment, which its sender calls a mistake: the number is
                    its receiver's, who keeps it
keep-pin            cancels the reset of a PIN that was called forgotten: the old PIN stays
export              prints all that is kept of a person as one JSON document
erase               erases it but for what guards money or is owed, and says what stays and until when
alias [--none]      after a change of the table of numbering changes: has numbers keep the accounts that they
                    opened under a former form, and the service serves with the table. Reads numbers, one
                    a line; with --none there are none that may have one
alias --record FILE ties the accounts of former numbers to the numbers that came in their place

The number is read from a prompt or from the standard input, and never from an argument.
Asks the local stack, or the deployment at --url with OPERATOR_TOKEN in the environment; alias --record
says itself what it needs.`

const options = { key: text, none: flag, least: textOr('1') }

type Given = Values<typeof options>

const numbersAtOnce = 20

const repeatRemedy =
  'It may have been done. The same command does it once more, and changes nothing else.'

const sweepRemedy = 'It may have been sent. The same command tells: it is once in 6 hours.'

const askService = operatorCommand({
  usage,
  options,
  actions: {
    address,
    deposit,
    sweep,
    'cash-out': { takes: [2], run: cashOut },
    wallets: changeWallets,
    'add-wallet': { takes: [2], run: changeWallets },
    'remove-wallet': { takes: [1], run: changeWallets },
    wallet: { takes: [2], run: issueWalletCode },
    'end-recall': { takes: [1], run: endRecall },
    'verify-name': verifyName,
    'remove-name': removeName,
    alias: keepFormerAccounts,
    export: exportPerson,
    erase: erasePerson,
    unblock: (operator) => changePin(operator, 'unblock'),
    'keep-pin': (operator) => changePin(operator, 'keep-pin'),
    hold: { takes: [0, 1], run: (operator, _, [reason]) => setHold(operator, 'hold', reason) },
    release: (operator) => setHold(operator, 'release'),
  },
})

export const account: Command = (args = process.argv.slice(2), terminal) => {
  const [first, ...others] = args
  // On the chain: what it needs, and how it tells of faults, is that of the migration.
  const isMigration = first === 'alias' && others.some((each) => each.startsWith('--record'))
  return isMigration ? alias(others, terminal) : askService(args, terminal)
}

async function address({ act, terminal }: Operated): Promise<Found> {
  const { receiveAddress } = await act('lookup', { phone: await readNumber(terminal) })
  if (receiveAddress === null) {
    throw new StackError(
      'The address is not known now: no node told it, or another account took this one over.',
    )
  }
  return { json: { address: receiveAddress }, lines: [receiveAddress] }
}

async function deposit({ act, status, terminal }: Operated): Promise<Found> {
  const phone = await readNumber(terminal)
  const remedy = 'It may have been sent. The same command tells: a deposit happens once.'
  const answer = await act('deposit', { phone }, remedy)
  const { kind } = answer.deposit
  const isKnown = answer.deposit.kind === 'too_little' && answer.deposit.last !== null
  const isBad = kind !== 'sent' && kind !== 'under_way' && !isKnown
  return { json: answer, lines: show.describeDeposit(answer, await status()), isBad }
}

async function sweep({ act, status, terminal }: Operated, { least }: Given): Promise<Found> {
  const numbers = await readLines(terminal, 'The number: ')
  if (!numbers.some(Boolean)) throw new StackError('No number was given: nothing is swept.')
  const { unit } = await status()
  const swept: object[] = []
  const lines: string[] = []
  let isBad = false
  for (const [index, phone] of numbers.entries()) {
    if (phone === '') continue
    const line = index + 1
    try {
      const answer = await act('sweep', { phone, least }, sweepRemedy)
      swept.push({ line, ...answer })
      const arrived = writeAmount(BigInt(answer.arrivedWei), unit)
      const { payment } = answer
      const fate = payment ? describeSweep(payment, unit) : 'Not swept.'
      lines.push(`line ${line}: ${arrived} there. ${fate}`)
    } catch (error) {
      if (!(error instanceof StackError)) throw error
      isBad = true
      swept.push({ line, error: error.message })
      lines.push(`line ${line}: ${error.message.replaceAll('\n', ' ')}`)
    }
  }
  return { json: { swept }, lines, isBad }
}

/** Says which is the sweep of these hours: it may be older than what is there. */
const describeSweep = (payment: PaymentSummary, unit: Unit) =>
  `The sweep of these 6 hours (UTC): ${show.explainPayment(payment, unit)} What it credits: npm run ops -- why ${payment.intent} What came later waits for the next one.`

async function cashOut(
  { act, status, terminal }: Operated,
  { key = newKey() }: Given,
  [to, amount]: readonly string[],
): Promise<Found> {
  const phone = await readNumber(terminal)
  // Before anything is sent: whatever happens to this process, the key is on the terminal.
  terminal.complain(`Key of this cash-out: ${key}`)
  const remedy = `It may have been sent. The same command with --key ${key} tells, and pays once at most.`
  const { payment } = await act('cash-out', { phone, to, amount, key }, remedy)
  const { unit } = await insist(remedy, status)
  const isBad = payment.state === 'reverted' || payment.state === 'expired'
  const follow = `Follow it with: npm run ops -- why ${payment.intent}`
  return { json: { key, payment }, lines: [show.explainPayment(payment, unit), follow], isBad }
}

async function changeWallets(
  { act, terminal }: Operated,
  _: Given,
  [name, address]: readonly string[],
): Promise<Found> {
  const phone = await readNumber(terminal)
  const answer = await act('wallet', { phone, name, address }, repeatRemedy)
  const lines = answer.wallets.map(({ name, address, paysFrom }) =>
    [`${name}  ${address}`, ...(paysFrom ? [`(pays from ${paysFrom})`] : [])].join('  '),
  )
  return { json: answer, lines: lines.length === 0 ? ['No wallet has a name here.'] : lines }
}

async function issueWalletCode({ act }: Operated, _: Given, [name, address]: readonly string[]) {
  const answer = await act('wallet-code', { name, address })
  return { json: answer, lines: [`${answer.code}: good for one number, for an hour.`] }
}

async function verifyName({ act, terminal }: Operated): Promise<Found> {
  const [phone, given] = await readLines(terminal, 'The number: ', 'The name: ')
  const answer = await act('name', { phone, name: given }, repeatRemedy)
  const lines = [`Once the holder agrees (8. Settings, 5. My name), payers see: ${answer.name}`]
  return { json: answer, lines }
}

async function removeName({ act, terminal }: Operated): Promise<Found> {
  const answer = await act('name', { phone: await readNumber(terminal), name: null }, repeatRemedy)
  return { json: answer, lines: ['Payers see no name of this number now.'] }
}

async function keepFormerAccounts({ act, terminal }: Operated, { none }: Given): Promise<Found> {
  const phones = none ? [] : (await terminal.input()).split(/\s*\n\s*/).filter(Boolean)
  if (!none && phones.length === 0) throw new Misused()
  let kept = 0
  const unclear: string[] = []
  for (const batch of batchesOf(phones, numbersAtOnce)) {
    const answer = await act('alias', { phones: batch }, repeatRemedy)
    kept += answer.kept
    unclear.push(...answer.unclear)
  }
  const isBad = unclear.length > 0
  if (!isBad) await act('alias', { kept }, repeatRemedy)
  const end = isBad
    ? 'Move what is in one of each to the other (alias --record), and run this once more.'
    : `${kept} numbers keep the account of a former form. The service serves with this table.`
  const ambiguous = unclear.map((account) => `${account}: two accounts of this number are in use.`)
  return { json: { kept, unclear }, lines: [...ambiguous, end], isBad }
}

async function changePin({ act, terminal }: Operated, action: ActionRequest<'pin'>['action']) {
  const answer = await act('pin', { phone: await readNumber(terminal), action }, repeatRemedy)
  return { json: answer, lines: show.describePin(answer) }
}

async function endRecall({ act, terminal }: Operated, _: Given, [intent]: readonly string[]) {
  const answer = await act(
    'end-recall',
    { phone: await readNumber(terminal), intent },
    repeatRemedy,
  )
  return { json: answer, lines: ['Nothing is held of this payment now: its receiver keeps it.'] }
}

async function setHold(
  { act, terminal }: Operated,
  action: ActionRequest<'hold'>['action'],
  reason?: string,
) {
  const { account } = await act('lookup', { phone: await readNumber(terminal) })
  const answer = await act('hold', { account, action, reason }, repeatRemedy)
  return { json: answer, lines: [show.describeHold(answer)] }
}

/** Names the lists of an export that arrive in parts. */
const lists = ['payments', 'archived', 'sessions', 'audit', 'references', 'tills'] as const

async function exportPerson({ act, terminal }: Operated): Promise<Found> {
  const phone = await readNumber(terminal)
  const ask = (place?: object) => act('person/export', { phone, ...place }, repeatRemedy)
  let { next, ...whole } = await ask()
  while (next !== null) {
    const part = await ask(next)
    for (const list of lists) whole[list].push(...(part[list] as never[]))
    whole.loan ??= part.loan
    next = part.next
  }
  const json = { ...whole, onChain: show.onChain }
  return { json, lines: [JSON.stringify(json, null, 2)] }
}

async function erasePerson({ act, terminal }: Operated): Promise<Found> {
  const phone = await readNumber(terminal)
  const ask = (from?: unknown) => act('person/erase', { phone, from }, repeatRemedy)
  let { next, ...answer } = await ask()
  while (next !== null) {
    const more = await ask(next)
    answer.gone.archived += more.gone.archived
    next = more.next
  }
  return { json: answer, lines: show.describeErasure(answer) }
}

/** Creates a key from the time, because it is valid for a day, and a random part. */
function newKey(): string {
  return `${Math.floor(Date.now() / 1_000)}-${randomBytes(16).toString('base64url')}`
}
