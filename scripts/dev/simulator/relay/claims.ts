import type {
  Acceptance,
  Adoption,
  Claiming,
  Ledger,
  Load,
  Room,
  Work,
} from '../../../../src/relay/ledger/port.ts'
import type { SqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import type { Claimed, Claims, World } from '../world.ts'
import { undecided } from './open.ts'

/** Answers a call of the ledger, and compares what it says of claims with what it was asked for before. */
export function watchClaims(
  { object, scheduler, records }: World,
  ledger: SqlLedger,
  method: keyof Ledger,
  args: unknown[],
  call: () => unknown,
): unknown {
  if (!watched.has(method)) return call()
  const { claims, isWhole, rules } = object
  const now = scheduler.now()
  for (const [token, { until }] of claims.live) if (until <= now) claims.live.delete(token)
  if (!isWhole) {
    claims.live.clear()
    return call()
  }
  const found = (words: string) => records.noticed.push(['claimed', words])
  const work = ledger.work()
  const answer = call()
  judge({ ...claims, work, until: now + rules.leaseMs, found }, method, args, answer)
  return answer
}

type Seen = Claims & {
  /** What the ledger listed before the call. */
  work: Work
  /** When a lease of this moment ends. */
  until: number
  found: (words: string) => void
}

function judge(seen: Seen, method: keyof Ledger, [asked]: unknown[], answer: unknown): void {
  const { kind } = (answer ?? {}) as { kind?: string }
  const { session, account } = asked as Adoption
  if (method === 'claim') judgeClaim(seen, asked as Claiming, answer as never)
  if (method === 'record' && kind === 'recorded') judgeRecord(seen, asked as Acceptance)
  else if (method === 'record') judgeRefusal(seen, asked as Acceptance, `${kind}`)
  if (method === 'adopt' && kind === 'adopted') outdate(seen, session, account)
  if (method === 'refuse' && kind === 'refused') forget(seen, session)
  if (method !== 'lookup' || kind !== 'undecided') return
  const isBusy = othersOf(seen, session, account).length > 0
  const { busy, load } = answer as { busy: boolean; load: Load }
  if (isBusy !== busy) seen.found(`${account} is said to be busy: ${busy}`)
  const counted = JSON.stringify(loadOf(seen, session, account) ?? load)
  const said = JSON.stringify(load)
  if (said !== counted) seen.found(`${account} is said to have ${said} open, and has ${counted}`)
}

const othersOf = ({ live }: Seen, session: string, account: string): Claimed[] =>
  [...live.values()].filter((one) => one.account === account && one.session !== session)

/** What is open, counted from what the ledger lists; undefined where it lists a part of what waits. */
function loadOf(seen: Seen, session: string, account: string): Load | undefined {
  const { work } = seen
  if (Math.max(work.queued.length, work.stuck.length) >= listedAtMost) return undefined
  const own = undecided(work).filter(({ order }) => order.request.from === account)
  const carried = work.nonces
    .filter(({ state, leaseLive }) => state === 'recorded' || leaseLive)
    .reduce((sum, { sessions }) => sum + Math.max(1, sessions.length), 0)
  const ofAccount = own.length + othersOf(seen, session, account).length
  return { ofAccount, carried, waiting: work.queued.length }
}

function judgeRoom(
  { found }: Seen,
  session: string,
  room: Room | undefined,
  load: Load | undefined,
  asks: { isFull: boolean; waits: boolean },
): void {
  if (room === undefined || load === undefined) return
  const isMuch = load.ofAccount >= room.ofAccount || load.carried + load.waiting >= room.open
  const isFull = isMuch || (asks.waits && load.waiting >= room.waiting)
  if (isFull === asks.isFull) return
  found(`${session} is told of ${isFull ? 'room where there is none' : 'no room where there is'}`)
}

function forget({ live }: Seen, session: string): void {
  for (const [token, one] of live) if (one.session === session) live.delete(token)
}

function judgeClaim(watch: Seen, claiming: Claiming, answer: ReturnType<SqlLedger['claim']>): void {
  const { live, work, until, found } = watch
  const { session, account, token, seen, room } = claiming
  const isFull = answer.kind === 'full'
  if (answer.kind !== 'claimed' && !isFull) return
  const nonce = isFull ? undefined : answer.slot?.nonce
  const own = live.get(token)
  if (own !== undefined) {
    if (own.nonce !== nonce) found(`the claim of nonce ${own.nonce} comes back with ${nonce}`)
    return
  }
  const waits = nonce === undefined
  judgeRoom(watch, session, room, loadOf(watch, session, account), { isFull, waits })
  if (isFull) return
  if (seen !== undefined && othersOf(watch, session, account).length > 0) {
    found(`${session} is claimed while another session of the account is`)
  }
  const free = freeOf(claiming, work)
  if (nonce !== undefined && free.length > 0 && !free.slice(0, 1).includes(nonce)) {
    found(`a claim gets nonce ${nonce}, and ${free[0]} was given back`)
  }
  if (nonce !== undefined && [...live.values()].some((one) => one.nonce === nonce)) {
    found(`nonce ${nonce} is claimed twice`)
  }
  forget(watch, session)
  const isChecked = seen !== undefined
  live.set(token, { session, account, until, nonce, isOutdated: false, isChecked })
}

function judgeRecord(seen: Seen, { session, token, order, transaction, room }: Acceptance): void {
  const { live, recorded, found } = seen
  const own = live.get(token)
  if (own !== undefined && transaction === undefined) {
    const load = loadOf(seen, session, own.account)
    judgeRoom(seen, session, room, load, { isFull: false, waits: true })
  }
  if (!recorded.has(token) && own === undefined) found(`${session} is recorded after its lease`)
  if (own?.isOutdated) found(`${session} is recorded on an older view of its account`)
  if (!recorded.has(token)) outdate(seen, session, order.request.from)
  recorded.add(token)
  forget(seen, session)
}

/** There is a payment that other claims of the account do not know. */
function outdate(seen: Seen, session: string, account: string): void {
  for (const one of othersOf(seen, session, account)) one.isOutdated = one.isChecked
}

/** A record is refused where its claim is over, and where it would be one more than there is room for. */
function judgeRefusal(
  seen: Seen,
  { session, token, transaction, room }: Acceptance,
  kind: string,
): void {
  const { live, recorded, found } = seen
  const own = live.get(token)
  const isGood = own !== undefined && !own.isOutdated && own.session === session
  const isHeld = transaction === undefined || transaction.nonce === own?.nonce
  if (kind === 'full' && own !== undefined) {
    judgeRoom(seen, session, room, loadOf(seen, session, own.account), {
      isFull: true,
      waits: true,
    })
  }
  if (kind !== 'fenced' || !(recorded.has(token) || (isGood && isHeld))) return
  found(`the record of ${session} is ${kind}, which was ${own ? 'claimed' : 'recorded'}`)
}

/** Of those that wait the ledger lists so many. */
const listedAtMost = 100

const watched = new Set<keyof Ledger>(['claim', 'record', 'refuse', 'adopt', 'lookup'])

/** Nonces that were given back and come after the account's own, the lowest first. */
function freeOf({ account, chainNonce }: Claiming, { nonces, carried }: Work): number[] {
  const last = carried
    .filter(({ order }) => order.request.from === account)
    .reduce((top, { nonce }) => Math.max(top, nonce ?? -1), -1)
  return nonces
    .filter(({ state, leaseLive }) => state === 'leased' && !leaseLive)
    .map(({ nonce }) => nonce)
    .filter((nonce) => nonce >= chainNonce && nonce > last)
}
