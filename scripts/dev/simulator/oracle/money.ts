import { type Hex, parseUnits } from 'viem'
import { getOne, getQuantum } from '../../../../src/loan/amounts.ts'
import { type Delivery, encodeWanted, type History } from '../history.ts'
import { inletOf } from '../model/contracts.ts'
import { localCurrency, toLocal } from '../money.ts'
import { type Report, retentionDays } from './circumstances.ts'

export function judgeMoney(history: History, found: Report): void {
  const { unit, contractUnit, isLocal } = history.plan.setup
  for (const { transaction } of unit === contractUnit ? [] : history.arrivals) {
    if (transaction.requests.length > 0) found('unit', `${transaction.hash} pays`)
  }
  judgeKept(history, found)
  if (isLocal) judgeShown(history, found)
  judgeInlets(history, found)
}

/** Tells whether a call is what a delivery asks for, by a rate that its session may have had. */
export const isWanted = (history: History, delivery: Delivery, data: Hex): boolean =>
  readingsOf(history, delivery).some((reading) => reading.data === data)

/** What a delivery asks for at a rate: its call, and what that is in local money, if anything. */
type Reading = { data: Hex | undefined; agreed: { cents: bigint; wei: bigint } | undefined }

/** A program keeps the feed's answer for a minute, and may stall before it tells what it keeps. */
const staleMs = 90_000

/** Reads a delivery by each price from its session's start to the first answer that tells one. */
function readingsOf(history: History, of: Delivery): (Reading & { rate: bigint | undefined })[] {
  const { setup } = history.plan
  const readAt = (rate: bigint | undefined) =>
    [of, ...asWhole(history, of, rate)].map((one) => ({ rate, ...readBy(history, one, rate) }))
  if (!setup.isLocal) return readAt(undefined)
  const isSame = ({ intentId, phase }: Delivery) =>
    intentId === of.intentId && (phase === of.phase || (setup.pauseDays ?? 0) < retentionDays)
  const own = history.deliveries.filter(isSame)
  const from = Math.min(...own.map(({ startedAt }) => startedAt)) - staleMs
  const tellsRate = ({ said, reply }: Delivery) =>
    said?.claim === 'submitted' || reply?.includes(localCurrency)
  const told = history.losses.length > 0 ? [] : own.filter(tellsRate)
  const to = Math.min(...told.map(({ repliedAt }) => repliedAt ?? Infinity))
  const prices = history.prices.filter(
    ({ at }, index, all) => at <= to && (all[index + 1]?.at ?? Infinity) >= from,
  )
  const isUnread = history.unread.some((at) => from <= at && at <= to)
  const rates = prices.map(({ micros }) => micros || undefined)
  return [...rates, ...(isUnread ? [undefined] : [])].flatMap(readAt)
}

/** Reads what is typed as a debt is shown, rounded up to whole units, as all of it. */
function asWhole({ plan: { setup } }: History, of: Delivery, rate: bigint | undefined): Delivery[] {
  const { wanted } = of.dial
  if (rate === undefined || wanted.kind !== 'repayment' || wanted.amountWei === 'all') return []
  const divisor = getOne(setup.unit) * 1_000_000n
  const shown = (setup.principalWei * rate + divisor - 1n) / divisor
  const isShown = toLocal(wanted.amountWei, setup) === shown
  return isShown ? [{ ...of, dial: { ...of.dial, wanted: { ...wanted, amountWei: 'all' } } }] : []
}

function readBy(history: History, delivery: Delivery, rate: bigint | undefined): Reading {
  const { setup } = history.plan
  const { wanted } = delivery.dial
  const one = getOne(setup.unit)
  /** Counts in the unit what was typed, down to its last part if that is in local money. */
  const count = (wei: bigint) => {
    if (!setup.isLocal) return wei
    const typed = toLocal(wei, setup) * one
    return rate === undefined ? typed : (typed * 1_000_000n) / rate
  }
  const data = encodeWanted(history, delivery, count)
  if (rate === undefined) return { data, agreed: undefined }
  if ('amountWei' in wanted && wanted.amountWei !== 'all') {
    const cents = toLocal(wanted.amountWei, setup) * 100n
    return { data, agreed: { cents, wei: count(wanted.amountWei) } }
  }
  if (wanted.kind !== 'loan') return { data, agreed: undefined }
  // Nobody types what a loan is: it is agreed to as the most that buys no more, without cents.
  const wei = setup.principalWei
  const units = ((wei + 1n) * rate - 1n) / (one * 1_000_000n)
  return { data, agreed: { cents: units * 100n, wei } }
}

/** Judges that the row of each payment keeps what was agreed, at the rate by which it pays. */
function judgeKept(history: History, found: Report): void {
  for (const { order } of history.payments.flatMap((all) => [...all.values()])) {
    const { request, agreed } = order
    const write = (...[currency, cents, rate]: unknown[]) => `${currency} ${cents} at ${rate}`
    const kept = agreed && write(agreed.currency, agreed.cents, agreed.micros)
    const isKept = history.deliveries
      .filter(({ intentId }) => intentId === request.intentId)
      .flatMap((delivery) => readingsOf(history, delivery))
      .some(({ data, agreed: due, rate }) => {
        const isDue = kept === (due && write(localCurrency, due.cents, rate))
        return data === request.data && isDue
      })
    if (!isKept) found('agreed', `${request.intentId} is kept as ${kept}`, 'lost_rows')
  }
}

const shownAmount = new RegExp(`${localCurrency} ([\\d,]+) \\(([\\d.]+) `, 'g')

/** Begins lines with what is worth so much today, or of several payments: nobody agreed to it. */
const ofToday =
  /^((END )?Your Balance|\(arriving|Received today|Sent today|Float|(CON )?You (owe|may)|To repay|Fee):?/

/** Judges that a screen has an amount in local money only beside what was agreed to be that. */
function judgeShown(history: History, found: Report): void {
  const { deliveries, plan } = history
  const { decimals, token } = plan.setup.unit
  // Screens round down.
  const toShown = (wei = 0n) => wei / 10n ** BigInt(decimals - (token ? 2 : 6))
  const readings = deliveries.flatMap((delivery) => readingsOf(history, delivery))
  const due = new Set(readings.map(({ agreed }) => `${agreed?.cents} ${toShown(agreed?.wei)}`))
  for (const { actor, said, reply = '' } of deliveries) {
    // A refusal tells what a balance or a limit is worth, to which nobody agreed.
    if (said?.claim === 'refused') continue
    const lines = reply.split('\n').filter((line) => !ofToday.test(line))
    for (const [text, units = '', amount = ''] of lines.join('\n').matchAll(shownAmount)) {
      const shown = toShown(parseUnits(amount, decimals))
      if (due.has(`${BigInt(units.replaceAll(',', '')) * 100n} ${shown}`)) continue
      found('agreed', `${actor.name} is shown ${text}, which nobody agreed to`)
    }
  }
}

/** Judges that what a wallet sent for an account was credited to that once, or lies there. */
function judgeInlets({ plan, callers, sent, inlets }: History, found: Report): void {
  const quantum = getQuantum(plan.setup.contractUnit)
  for (const account of callers) {
    const own = sent.filter((one) => one.account === account)
    const arrived = own.reduce((sum, { parts }) => sum + parts, 0n)
    const { parts = 0n, sweptWei = 0n } = inlets.get(inletOf(account)) ?? {}
    const there = sweptWei * quantum + parts
    if (arrived !== there) found('deposited', `${arrived} parts for ${account} became ${there}`)
  }
}
