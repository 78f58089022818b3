import type {
  Ledger,
  Load,
  PaymentOffer,
  Question,
  Room,
  Undecided,
  Verdict,
  Work,
} from '../../../../src/relay/ledger/port.ts'
import type { SqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import type { World } from '../world.ts'
import { undecided } from './open.ts'

/**
 * Compares what the ledger says of payments that are offered with what it was asked for: none begins on a view
 * that its account has outgrown; one more than there is room for is refused, and no other for want of room.
 *
 * @returns the ledger's answer to the call
 */
export function watchOffers(
  { object, records }: World,
  ledger: SqlLedger,
  method: keyof Ledger,
  args: unknown[],
  call: () => unknown,
): unknown {
  if (!watched.has(method)) return call()
  const found = (words: string) => records.noticed.push(['accepted', words])
  const watch: Watch = { ...object.views, work: ledger.work(), found }
  const answer = call()
  if (!object.isWhole) return answer
  if (method === 'lookup') judgeLookup(watch, args[0] as Question, answer as Undecided)
  if (method === 'adopt') noteBegun(watch, args[0] as Question)
  const { kind, verdicts } = (answer ?? {}) as { kind?: string; verdicts: Verdict[] }
  if (method === 'record' && kind === 'recorded') {
    judgeRecord(watch, args[0] as PaymentOffer[], verdicts, args[1] === undefined)
  }
  return answer
}

type Watch = World['object']['views'] & {
  /** What the ledger listed before the call. */
  work: Work
  found: (words: string) => void
}

/** Of those that wait the ledger lists so many. */
const listedAtMost = 100

const watched = new Set<keyof Ledger>(['record', 'adopt', 'lookup'])

function judgeLookup(watch: Watch, { session, account }: Question, answer: Undecided): void {
  if (answer.kind !== 'undecided') return
  const { looked, begun, found } = watch
  const own = looked.get(session) ?? new Set()
  looked.set(session, own.add(begun.get(account) ?? 0))
  const [counted, said] = [loadOf(watch, account), answer.load].map((load) => JSON.stringify(load))
  if (counted !== undefined && said !== counted) {
    found(`${account} is said to have ${said} open, and has ${counted}`)
  }
}

/** Counts what is open from what the ledger lists; undefined where it lists a part of what waits. */
function loadOf({ work }: Watch, account: string): Load | undefined {
  if (Math.max(work.queued.length, work.stuck.length) >= listedAtMost) return undefined
  const own = undecided(work).filter(({ order }) => order.request.from === account)
  const carried = work.nonces.reduce((sum, { sessions }) => sum + Math.max(1, sessions.length), 0)
  return { ofAccount: own.length, carried, waiting: work.queued.length }
}

/** Judges each verdict as the one after those before it. */
function judgeRecord(
  watch: Watch,
  offers: readonly PaymentOffer[],
  verdicts: readonly Verdict[],
  waits: boolean,
): void {
  const accepted: PaymentOffer[] = []
  for (const [index, offer] of offers.entries()) {
    const kind = verdicts[index]?.kind
    const before = loadOf(watch, offer.account)
    const own = accepted.filter(({ account }) => account === offer.account).length
    const load = before && {
      ofAccount: before.ofAccount + own,
      carried: before.carried + (waits ? 0 : accepted.length),
      waiting: before.waiting + (waits ? accepted.length : 0),
    }
    if (kind !== 'accepted' && kind !== 'full') continue
    judgeRoom(watch, offer, load, { isFull: kind === 'full', waits })
    if (kind === 'full') continue
    const begun = watch.begun.get(offer.account) ?? 0
    if (offer.seen !== undefined && !watch.looked.get(offer.session)?.has(begun)) {
      watch.found(`${offer.session} is accepted on an older view of its account`)
    }
    accepted.push(offer)
    noteBegun(watch, offer)
  }
}

function noteBegun({ begun }: Watch, { account }: Question): void {
  begun.set(account, (begun.get(account) ?? 0) + 1)
}

function judgeRoom(
  { found }: Watch,
  { session, room }: { session: string; room?: Room | undefined },
  load: Load | undefined,
  asks: { isFull: boolean; waits: boolean },
): void {
  if (room === undefined || load === undefined) return
  const isMuch = load.ofAccount >= room.ofAccount || load.carried + load.waiting >= room.open
  const isFull = isMuch || (asks.waits && load.waiting >= room.waiting)
  if (isFull === asks.isFull) return
  found(`${session} is told of ${isFull ? 'room where there is none' : 'no room where there is'}`)
}
