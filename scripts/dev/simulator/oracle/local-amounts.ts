import { decodeCall } from '../../../../src/loan/calls.ts'
import { type Delivery, encodeWanted, type History } from '../history.ts'
import { stalePrice } from '../relay/rates.ts'
import type { Report } from './circumstances.ts'

const micros = 1_000_000n
/** Is the smallest amount that a confirmation shows of one in a local currency. */
const shownWei = 10n ** 12n

/** Has each delivery want what its session's rate makes of the typed amount. */
export function readLocal(history: History): History {
  if (!history.plan.setup.isLocal) return history
  const paid = new Set(dataOf(history))
  const deliveries = history.deliveries.map((one) => {
    const { wanted } = one.dial
    if (!('amountWei' in wanted) || wanted.amountWei === 'all') return one
    const { amountWei } = wanted
    const readings = ratesOf(history, one).map((rate): Delivery => {
      const convertedWei = (amountWei * micros) / rate
      // Without a price an amount is the chain's, and stays as typed.
      const exactWei = rate === micros ? amountWei : convertedWei - (convertedWei % shownWei)
      const local = { ...wanted, amountWei: exactWei }
      return { ...one, dial: { ...one.dial, wanted: local } }
    })
    // Before a rate is shown it is one that the session read, and the payment tells which.
    const isPaid = (other: Delivery) =>
      paid.has(`${other.intentId} ${encodeWanted(history, other)}`)
    return readings.find(isPaid) ?? readings[0] ?? one
  })
  return { ...history, deliveries }
}

/** Judges that a session has one rate, a fresh one, and that its payment is what it shows. */
export function judgeLocal(history: History, found: Report): void {
  if (!history.plan.setup.isLocal) return
  for (const [session, deliveries] of Map.groupBy(history.deliveries, (one) => one.session)) {
    const shown = new Set(deliveries.flatMap(shownRates))
    const words = `session ${session.slice(0, 8)} shows ${[...shown].join(' and ')} millionths`
    if (shown.has(BigInt(stalePrice * 1e6))) found('rated', `${words}, which is too old`)
    // A session that has ended keeps no rate, and pays nothing.
    const hasEnded = deliveries.some(({ said }) => said !== undefined && said.claim !== 'none')
    if (shown.size > 1 && !hasEnded) found('rated', words, 'lost_rows')
  }
  const wanted = new Set(
    history.deliveries.map((one) => `${one.intentId} ${encodeWanted(history, one)}`),
  )
  for (const name of dataOf(history)) {
    const call = decodeCall(name.split(' ')[1] as `0x${string}`)
    if (call === undefined || !('amountWei' in call) || wanted.has(name)) continue
    found('rated', `${name} pays what no rate of its session makes of what was typed`, 'lost_rows')
  }
}

/** Lists the calls that the ledger holds and that the chain has, by intent. */
const dataOf = ({ payments, processed }: History): string[] =>
  [
    ...payments.flatMap((all) => [...all.values()].map(({ order }) => order.request)),
    ...processed.flatMap(({ mined }) => mined.transaction.requests),
  ].map(({ intentId, data }) => `${intentId} ${data}`)

/** Returns the first rate that a session showed; else all that it read, if any since a loss. */
function ratesOf(history: History, { session, startedAt }: Delivery): bigint[] {
  const countLosses = (time: number) => history.losses.filter(({ at }) => at < time).length
  const deliveries = history.deliveries.filter((one) => one.session === session)
  const replied = deliveries.toSorted((a, b) => (a.repliedAt ?? 0) - (b.repliedAt ?? 0))
  const shown = replied.flatMap(shownRates).slice(0, 1)
  if (shown.length > 0 && history.losses.length === 0) return shown
  const since = deliveries.filter((one) => countLosses(one.startedAt) === countLosses(startedAt))
  const [near, all] = [since, deliveries].map((those) => {
    const names = new Set(those.map(({ actor }) => actor.name))
    return history.rates.filter(({ by }) => names.has(by)).map((rate) => rate.micros ?? micros)
  })
  return (near?.length ? near : all) ?? []
}

/** Reads what one coin costs from a screen that asks for an amount; 1 without a price. */
function shownRates({ reply = '' }: Delivery): bigint[] {
  const found = /Amounts in (?:tRBTC$|KES: 1 tRBTC = KES ([0-9.]+)$)/m.exec(reply)
  return found === null ? [] : [BigInt(Math.round(Number(found[1] ?? 1) * 1e6))]
}
