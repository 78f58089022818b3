import { type Address, checksumAddress, formatGwei } from 'viem'
import type { Unit } from '../../src/loan/amounts.ts'
import { paymentKinds } from '../../src/loan/kinds.ts'
import {
  describeAgreed,
  formatAgreed,
  formatNow,
  type LocalMoney,
} from '../../src/loan/local-worth.ts'
import type { ActionAnswer } from '../../src/operator/actions/list.ts'
import { describeHoldStep, describeRecall, holdWords } from '../../src/operator/holds.ts'
import {
  describeFate,
  describeReceive,
  nameWay,
  nothingFits,
  remedies,
  reminderWords,
} from '../../src/operator/remedies.ts'
import type { Check } from '../../src/operator/schemas/health.ts'
import type { LoansAnswer } from '../../src/operator/schemas/loans.ts'
import type { PaymentDetails, PaymentSummary } from '../../src/operator/schemas/payments.ts'
import type { StatusAnswer } from '../../src/operator/schemas/status.ts'
import {
  computeLendableWei,
  describeGatewayFaults,
  describeNode,
} from '../../src/operator/status.ts'
import { phases } from '../../src/relay/ledger/transitions.ts'
import { money, writeAmount } from '../stack/report.ts'

/** Describes the status, one fact a line; what needs a person comes first. */
export function describeStatus(status: StatusAnswer): string[] {
  const { currency, alerts, relayers, nodes, head, blocks, callsToday } = status
  const calls =
    callsToday &&
    `Calls today: ${callsToday.relay} of the relay and ${callsToday.callers} of callers, ${callsToday.limit} at most.`
  return [
    ...alerts.map(({ says, raisedAt, overSince }) =>
      overSince === null
        ? `ALERT since ${raisedAt}: ${says}`
        : `Ended at ${overSince}: the alert of ${raisedAt}: ${says}`,
    ),
    describeAcceptance(status),
    ...(status.health.checks ?? [])
      .filter(({ state }) => state !== 'ok')
      .map((check) => `${check.name} is ${check.state}: ${describeCheck(check)}`),
    ...relayers.map((relayer) => describeRelayer(relayer, currency)),
    ...(alerts.some(({ name }) => name === 'gateway_refused') ? [] : describeGatewayFaults(status)),
    describePool(status),
    describeGuards(status.guards),
    head === null ? 'No head has been seen yet.' : `Block ${head.number} was seen at ${head.at}.`,
    ...describeFullness(blocks),
    ...nodes.map((node) => describeNodeLine(node, status)),
    ...(calls === null ? [] : [calls]),
  ]
}

function describeNodeLine(node: StatusAnswer['nodes'][number], status: StatusAnswer): string {
  const { label, height, heightAt, p95Ms, failures, believed, callsToday } = node
  const seen = heightAt === null ? '' : ` at ${heightAt}`
  const answers =
    p95Ms === null
      ? 'not asked yet'
      : `95 of 100 answers within ${Math.round(p95Ms)} ms, ${failures} failures, ${believed} answers that nothing proves, ${callsToday} calls today`
  return `Node ${label}: block ${height ?? 'not known'}${seen}, ${describeNode(node, status)}, ${answers}.`
}

/** Says how full the last followed blocks were, since strangers' payments need room as well. */
function describeFullness(blocks: StatusAnswer['blocks']): string[] {
  const shares = blocks.flatMap(({ fullness }) => fullness ?? [])
  if (shares.length === 0) return []
  const percents = shares.map((share) => `${Math.round(share * 100)} %`).join(', ')
  return [`The last blocks were full to ${percents}, the latest first.`]
}

/** Describes a check, with its remedy if it fails. */
export function describeCheck({ name, state, says }: Check): string {
  return state === 'failing' ? `${says}. ${remedies[name]}` : says
}

const intakeWords = {
  open: 'taken',
  paused: 'paused: new ones are refused, and callers are told so; open ones go on',
  draining: 'refused, and some that were accepted have not come to their end yet',
  drained: 'refused, and nothing is open: keys and contracts may change',
} as const

function describeAcceptance({ intake, health }: StatusAnswer): string {
  const refusing = health.checks?.find(({ refuses }) => refuses)
  if (intake.state !== 'open') {
    return `${describeIntake(intake)} Take them again: npm run ops -- resume`
  }
  if (refusing === undefined) return describeIntake(intake)
  return `Payments are refused: ${refusing.name} is failing${health.lastRefused === undefined ? '' : `, the last at ${health.lastRefused.at}`}.`
}

export function describeIntake({ state, since }: StatusAnswer['intake']): string {
  return `Payments are ${intakeWords[state]}${since === undefined ? '' : ` (since ${since})`}.`
}

export function describeGuards(guards: StatusAnswer['guards']): string {
  const [on, off] = [true, false].map((isOn) =>
    guards
      .filter((guard) => guard.isOn === isOn)
      .map(({ name, by }) => `${name} (${by})`)
      .join(', '),
  )
  return `Guards on: ${on || 'none'}. Off: ${off || 'none'}.`
}

/** Says what a pause of the loan contract stops (contracts/src/IMicroLoan.sol). */
export const pauseWords =
  'loans and cash-outs are refused, transfers, repayments and deposits go on'

export function describePool(status: StatusAnswer): string {
  const { unit, contracts } = status
  const { pool } = contracts
  if (pool === null) return 'The contracts have not been looked at yet.'
  const lendableWei = computeLendableWei(status)
  const lendable = lendableWei ? writeAmount(`${lendableWei}`, unit) : 'nothing'
  return `Pool: ${writeAmount(pool.liquidityWei, unit)} free, ${writeAmount(pool.owedWei, unit)} owed, ${writeAmount(pool.balancesWei, unit)} in accounts, as of ${pool.at}; ${lendable} may be lent today.${pool.isPaused ? ` It is paused: ${pauseWords}; its owner ends that (npm run ops -- pool unpause).` : ''}`
}

type Relayer = StatusAnswer['relayers'][number]

export function describeRelayer(relayer: Relayer, currency: string): string {
  const { address, balanceWei, lastsFor, lastsAtWorst, wantedWei, wantedAtWorstWei } = relayer
  const { nonces, inFlight, queued, oldestAt } = relayer
  const has =
    balanceWei === null ? 'has not been looked at yet' : `has ${money(balanceWei, currency)}`
  const lasts =
    lastsFor === null
      ? ''
      : `, enough for ${lastsFor} payments at today's price, ${lastsAtWorst} at worst`
  const nonce = `nonce ${nonces.ledger} here, ${nonces.chain ?? 'not known'} in the chain`
  const since = oldestAt === null ? '' : ` since ${oldestAt}`
  const waits = `${inFlight} in flight, ${queued} queued${since}`
  const send =
    wantedWei === null || wantedAtWorstWei === null
      ? ''
      : ` Top up to ${money(wantedWei, currency)} for 50 payments (${money(wantedAtWorstWei, currency)} at worst). Waiting payments are kept.`
  return `Relayer ${address} ${has}${lasts}; ${nonce}; ${waits}.${send}`
}

type MovedPayment = PaymentSummary & Partial<Pick<PaymentDetails, 'creditedWei'>>

/** Writes what a payment moves, after a word; nothing if that is not known. */
function writeMoved(
  word: string,
  { spendsWei, lentWei, creditedWei, agreed }: MovedPayment,
  unit: Unit,
  price: PaymentDetails['price'] = null,
) {
  const wei = creditedWei ?? lentWei ?? spendsWei
  const text = writeAmount(wei, unit)
  if (wei === '0') return ''
  const local = agreed ? formatAgreed(agreed, text) : formatNow(text, BigInt(wei), unit, price)
  return `${word}${local}`
}

export function describePayment(payment: PaymentSummary, unit: Unit): string {
  const { acceptedAt, state, kind, intent, account, hash } = payment
  const amount = writeMoved(' ', payment, unit)
  return `${acceptedAt}  ${state.padEnd(9)}  ${paymentKinds[kind].name}${amount}  of ${account}  intent ${intent}${hash === null ? '' : `  ${hash}`}`
}

export function explainPayment(
  payment: MovedPayment,
  unit: Unit,
  price: PaymentDetails['price'] = null,
): string {
  const { kind, acceptedAt, block, explorer } = payment
  const amount = writeMoved(' of ', payment, unit, price)
  const where = `block ${block}${explorer === null ? '' : ` (${explorer})`}`
  return `The ${paymentKinds[kind].name.toLowerCase()}${amount}, accepted ${acceptedAt}, ${describeFate(payment, where)}`
}

/** Explains a payment from an account or to it, with the other party and the code. */
function explainDirection(payment: ActionAnswer<'lookup'>['payments'][number], unit: Unit) {
  const { direction, account, recipient } = payment
  const party =
    direction === 'in' ? ` from ${account}` : recipient === null ? '' : ` to ${recipient}`
  const codeText = describeCode(payment)
  const way = nameWay(payment)
  return `${way.charAt(0).toUpperCase()}${way.slice(1)}${party}${codeText}: ${explainPayment(payment, unit)}`
}

/** Names a withdrawal's code, and when its agent said that it was paid out. */
const describeCode = ({ code, kind, paidOutAt }: PaymentSummary): string => {
  if (code === null) return ''
  if (kind !== 'withdrawal') return `, code ${code}`
  const said = paidOutAt === null ? 'not said to be paid out' : `paid out by the agent ${paidOutAt}`
  return `, code ${code} (${said})`
}

export function describeTrace(trace: PaymentDetails, unit: Unit): string[] {
  const { account, recipient, intent, gasUsed, deadline, state, agreed } = trace
  const gas = gasUsed === null ? '' : `; ${gasUsed} gas were used`
  const isOpen = phases[state] !== 'settled'
  const until = isOpen && deadline !== null ? `; good until ${deadline}` : ''
  return [
    explainPayment(trace, unit, trace.price),
    `Account ${account}; intent ${intent}${gas}${until}.`,
    ...(recipient === null ? [] : [`It pays ${recipient}${describeCode(trace)}.`]),
    ...(agreed ? [`Agreed: ${describeAgreed(agreed, unit)}.`] : []),
    ...[describeRecall(trace, unit) ?? []].flat(),
    ...trace.transitions.map(({ state, at }) => `${at}  ${state}`),
    ...trace.holdSteps.map((step) => `${step.at}  ${describeHoldStep(step, trace, unit)}`),
    ...(trace.batch.length > 1 ? [`Its transaction carries ${trace.batch.length} payments.`] : []),
    ...(trace.screen === null
      ? []
      : [`Its caller was shown: ${trace.screen.replaceAll('\n', ' ')}`]),
    ...trace.messages.map(
      ({ party, state, at }) => `Message to the ${party}: ${state} since ${at}.`,
    ),
    ...trace.transactions.map(
      ({ nonce, gasPriceWei, sentAt, failures, isMined, explorer }) =>
        `Nonce ${nonce} at ${formatGwei(BigInt(gasPriceWei))} gwei, ${sentAt === null ? 'not sent yet' : `last sent ${sentAt}`}: ${isMined ? 'mined' : failures === 0 ? 'not mined' : `not taken by the nodes ${failures} times`}. ${explorer}`,
    ),
  ]
}

type FoundAccount = Pick<ActionAnswer<'find'>['accounts'][number], 'by' | 'caller'>

export function describeCaller({ by, caller: found }: FoundAccount, unit: Unit): string[] {
  const { account, balanceWei, owedWei, price, dueAt, payments, refusals } = found
  const known = (wei: string | null) =>
    wei === null ? 'not known now' : formatNow(writeAmount(wei, unit), BigInt(wei), unit, price)
  const due = dueAt === null ? '' : `, due ${dueAt}`
  return [
    `Account ${account}: balance ${known(balanceWei)}, owes ${known(owedWei)}${due}.`,
    describeReceive(found, by, unit),
    ...(found.heldAt === null ? [] : [describeHold(found)]),
    ...found.recalled.map(
      ({ intent, wei, until }) =>
        `Held until ${until}, its sender calls it a mistake: ${known(wei)} of ${intent}`,
    ),
    ...(found.pin === null ? ['The PIN is not known now.'] : describePin(found.pin)),
    describeToday(found.today, unit),
    ...describeLoan(found, unit),
    ...found.tills.map(({ till, name, kind }) => `It has the till ${till} (${kind}, ${name}).`),
    ...describeTillDay(found, unit),
    ...payments.map((payment) => explainDirection(payment, unit)),
    ...(payments.length === 0 ? [`In 8 days ${noPayment}`] : []),
    ...describeArrivals(found, unit),
    ...refusals.map(({ at, reason, screen }) => {
      const shown = screen === null ? '' : `: ${screen.replaceAll('\n', ' ')}`
      return `${at}  refused (${reason})${shown}`
    }),
  ]
}

function describeTillDay({ till, tills }: ActionAnswer<'lookup'>, unit: Unit): string[] {
  if (till === null) return []
  const where = tills.length > 1 ? 'its tills together' : 'its till'
  const write = (wei: string, local: LocalMoney | null) =>
    formatAgreed(local, writeAmount(wei, unit))
  const waiting = till.waiting === 1 ? '1 withdrawal waits' : `${till.waiting} withdrawals wait`
  return [
    `Since ${till.since} it took ${write(till.inWei, till.inLocal)} at ${where}, and paid out ${write(till.cashWei, till.cashLocal)} of that in cash; ${waiting} for cash. The account sent ${write(till.outWei, till.outLocal)} in all.`,
  ]
}

const noPayment = 'nothing was paid from this account or to it by this service.'

/** Describes what came to an account by the chain and not by this ledger's payments. */
function describeArrivals({ arrivals }: ActionAnswer<'lookup'>, unit: Unit): string[] {
  if (arrivals === null) return ['No node answers what else arrived on the chain.']
  return arrivals.map(
    ({ from, amountWei, block, hash }) =>
      `Received from ${from}: ${writeAmount(amountWei, unit)} arrived in block ${block} by ${hash}, which is no payment of this list.`,
  )
}

/** Describes the last loan by the loan book, whose words tell what became of a debt. */
function describeLoan({ loan, reminded }: ActionAnswer<'lookup'>, unit: Unit): string[] {
  if (loan === null) return []
  const { state, issuedAt, dueAt, lentWei, repaidWei, owedWei } = loan
  const amounts = `${writeAmount(lentWei, unit)} lent, ${writeAmount(repaidWei, unit)} repaid, ${writeAmount(owedWei, unit)} owed`
  const told = reminded === null ? '' : `; last reminder tried: ${reminderWords[reminded]}`
  return [`Last loan: ${state}; of ${issuedAt}, due ${dueAt}; ${amounts}${told}.`]
}

/** Describes every account and payment that fits what a caller read out. */
export function describeFound({ accounts, payments }: ActionAnswer<'find'>, unit: Unit): string[] {
  if (accounts.length + payments.length === 0) return [nothingFits]
  const hits = accounts.map(({ by, country, till, caller }) => {
    const name = till === null ? (country ?? '') : `${till.till} of ${till.name}`
    const title = [`By ${by}`, name].filter((part) => part !== '').join(' ')
    return [`${title}:`, ...describeCaller({ by, caller }, unit)]
  })
  const lines = payments.map((payment) => describePayment(payment, unit))
  if (payments.length < 2) return [...hits.flat(), ...lines]
  const isOneHash = new Set(payments.map(({ hash }) => hash)).size === 1
  const title = isOneHash
    ? `The transaction carries ${payments.length} payments: ask why by an intent.`
    : `${payments.length} payments fit: ask why by an intent.`
  return [...hits.flat(), title, ...lines]
}

export function describeHold({ heldAt, open }: Omit<ActionAnswer<'hold'>, 'account'>): string {
  if (heldAt === null) return 'The account is not held: it pays again.'
  const rest = open === 0 ? '' : ` Of its payments ${open} were accepted before and go on.`
  return `The account is held since ${heldAt}: ${holdWords}${rest}`
}

function describeToday(today: ActionAnswer<'lookup'>['today'], unit: Unit): string {
  const { transfers, mostTransfers, sentWei, mostSentWei } = today
  const [many, much] = [mostTransfers, mostSentWei && writeAmount(mostSentWei, unit)]
  const of = (most: string | number | null) => (most === null ? '' : ` of ${most}`)
  return `In 24 hours: ${transfers}${of(many)} transfers, ${writeAmount(sentWei, unit)}${of(much)} sent.`
}

/** Says what no export has and nothing erases. */
export const onChain =
  'The chain keeps for good, for anybody to read, what the account did there: deposits, transfers, loans, repayments and the requests that it signed.'

/** Says what is gone of a person, and what stays and why. */
export function describeErasure(erased: Omit<ActionAnswer<'person/erase'>, 'next'>): string[] {
  const { gone, kept, until } = erased
  const { archived, messages, refusals, loans } = gone
  const pin =
    'The PIN, its tries and the day of the last dial stay while there is money, a debt or an open payment behind them: erase once more when there is none.'
  const alias =
    'That the number keeps the account of a former form stays for good: it would else have another, empty one.'
  const stays: [count: number, says: string][] = [
    [kept.open, 'Payments that are open go on to their end, and are kept 8 days from it.'],
    [kept.loans, 'A loan that is not repaid stays in the loan book.'],
    [kept.pins, pin],
    [kept.holds, 'The account stays held: npm run ops -- account release'],
    [kept.recalled, 'What is held of payments to it stays so, for a day at most.'],
    [kept.aliases, alias],
  ]
  return [
    `Erased: the names and amounts of ${archived} past payments, ${refusals} refusals, ${messages} messages that had not left, ${loans} repaid loans, and what the account remembered: recipients, senders, wallets, language.`,
    `Sessions and ${kept.payments} payments of the last days stay until ${until} at the latest, so that a late delivery is answered and pays nothing; then they go.`,
    ...stays.flatMap(([count, says]) => (count === 0 ? [] : [says])),
    'The audit stays for 400 days. Those who paid to this number or were paid from it keep its first and last digits.',
    onChain,
  ]
}

export function describeLoans(book: LoansAnswer): string[] {
  const { block, head, isWhole, sums, ages, loans, unit } = book
  const of = (wei: string) => writeAmount(wei, unit)
  const rest = isWhole ? '' : ' More is to be read: the same command reads on.'
  return [
    `Up to block ${block} of ${head}: ${sums.loans} loans of ${of(sums.lentWei)}, ${of(sums.repaidWei)} repaid, ${of(sums.writtenOffWei)} written off, ${of(sums.owedWei)} owed.${rest}`,
    ...ages.map((age) => `${age.name.padEnd(12)}${age.loans} loans, ${of(age.owedWei)}`),
    ...loans.map(
      ({ borrower, state, issuedAt, dueAt, overdueDays, owedWei, repaidWei }) =>
        `${borrower}  ${state}  since ${issuedAt}, due ${dueAt}${overdueDays === 0 ? '' : `, overdue ${overdueDays} days`}: owes ${of(owedWei)}, repaid ${of(repaidWei)}`,
    ),
  ]
}

export function describeDeposit(
  { account, deposit }: ActionAnswer<'deposit'>,
  { chainId, unit }: Pick<StatusAnswer, 'chainId' | 'unit'>,
): string[] {
  const of = (wei: string) => writeAmount(wei, unit)
  switch (deposit.kind) {
    case 'sent': {
      const { amountWei, explorer, isTaken } = deposit
      const sent = `${of(amountWei)} are on their way into the balance: ${explorer}`
      const fate = isTaken ? '' : ' No node has said yet that it has this transaction.'
      return [`${sent}${fate}`, 'The same command tells when they are there.']
    }
    case 'under_way': {
      const waits = 'A transaction of this account is on its way already. Nothing more was sent.'
      return [waits, 'The same command tells when it is there.']
    }
    case 'too_little': {
      const { thereWei, gasWei, last } = deposit
      const gas = `, and the gas of a deposit costs ${of(gasWei)}`
      const [there, cost] = thereWei === '0' ? ['Nothing', ''] : [`Only ${of(thereWei)}`, gas]
      const now = `${there} is at ${checksumAddress(account as Address, chainId)}${cost}. Nothing was sent.`
      if (last === null) return [now]
      const before = `The last deposit of this account: ${of(last.amountWei)} in block ${last.block} (${last.explorer}).`
      return [before, now]
    }
    case 'price_too_high':
      return ['The price of gas is above MAX_GAS_PRICE_WEI. Nothing was sent.']
    case 'paused':
      return ['Payments are stopped by an operator. Nothing was sent.']
    case 'held':
      return ['The account is held. Nothing was sent: npm run ops -- account release']
    case 'refused':
      return ['No node takes the transaction. Nothing has moved.']
  }
}

export function describePin(pin: Omit<ActionAnswer<'pin'>, 'account'>): string[] {
  const { isChosen, isBlocked, isDormant, replaceableAt } = pin
  const isOpen = isBlocked ? 'The PIN is blocked.' : 'The PIN is not blocked.'
  return [
    isChosen ? isOpen : 'No PIN was chosen yet.',
    ...(isDormant
      ? ['The number was not dialled from for 90 days: it spends and shows nothing.']
      : []),
    ...(replaceableAt === null ? [] : [`Another PIN can be chosen from ${replaceableAt} on.`]),
  ]
}
