import { soonMs } from '../../chain/chains.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { ObstacleKind } from '../refusal.ts'
import { exportPage } from './copies/export.ts'
import { beginRestore, endRestore, restore } from './copies/restore.ts'
import type { At, Draft } from './draft.ts'
import { count } from './life/counts.ts'
import {
  bytesOf,
  carrierOf,
  dropBytes,
  dropFrom,
  dropNonce,
  freeNonce,
  isCarriedBy,
  isFull,
  isLive,
  leaseTo,
  loadOf,
  nextNonce,
  openNonces,
  recordBytes,
  relayerOf,
  releaseLease,
  resendSoon,
  saveNonce,
  signedBytes,
  slotOf,
  take,
} from './life/nonces.ts'
import {
  archive,
  begin,
  drop,
  executionColumns,
  move,
  noBlock,
  noExecution,
  noNonce,
  paymentOf,
  paymentRow,
  paymentsIn,
} from './life/payments.ts'
import { isShort, noteReservedClaim, recentMs } from './life/reserves.ts'
import { noteSms, pruneSms, takeSms } from './life/sms.ts'
import { accountOf, endQueue, noteClaim } from './life/sums.ts'
import { noteAlerts, takeNotices } from './notes/alerts.ts'
import {
  forgetGasPrice,
  meansOf,
  noteSeen,
  saveMeans,
  saveTrail,
  sightOf,
  trailOf,
} from './notes/chain-notes.ts'
import { minutesSinceEqual, overDay } from './notes/earlier.ts'
import {
  differencesFrom,
  formerAccount,
  hasMoved,
  identified,
  identify,
  isByOthers,
  renumber,
} from './notes/identity.ts'
import {
  auditOf,
  intakeOf,
  note,
  pageOf,
  pruneAudit,
  setIntake,
  traceOf,
} from './notes/operations.ts'
import { pruneShown, show, shown } from './notes/shown.ts'
import { obstacleOf, probe, vitalsOf } from './notes/vitals.ts'
import {
  type Decided,
  type Ledger,
  maxOpen,
  type NotedObstacle,
  type Question,
  type Refused,
  type Refusing,
  type Work,
  workLists,
} from './port.ts'
import { each, type Listing, type Row, type TableName } from './rows.ts'
import { isUnsettled, phaseRules } from './transitions.ts'

/** Every method of the port as one step: it reads and writes rows, and waits for nothing. */
export type Steps = {
  [Method in keyof Ledger]: (
    at: At,
    ...args: Parameters<Ledger[Method]>
  ) => Awaited<ReturnType<Ledger[Method]>>
}

/** What a method does to rows. After one that opens work something may be left to do. */
export const methodKinds: Readonly<Record<keyof Ledger, 'reads' | 'writes' | 'opens'>> = {
  ...each('reads', 'lookup', 'work', 'signed', 'blocks', 'payment', 'payments'),
  ...each('reads', 'audit', 'page', 'tracePayment', 'exported', 'shown', 'formerAccount'),
  ...each('opens', 'claim', 'record', 'adopt', 'endRestore'),
  ...each('writes', 'identify', 'refuse', 'lease', 'attach', 'replace', 'release', 'sent', 'mined'),
  ...each('writes', 'displaced', 'abandon', 'requeue', 'settle', 'confirm', 'expire', 'reopen'),
  ...each('writes', 'sawHead', 'sawMeans', 'saw', 'vitals', 'prune'),
  ...each('writes', 'renumber', 'setIntake', 'note', 'alert', 'takeNotices', 'told'),
  ...each('writes', 'takeSms', 'noteSms'),
  ...each('writes', 'beginRestore', 'restore', 'show', 'equal'),
}

export type LedgerMethod = keyof Ledger

/** After how many ms a round has to look after what a call has left; undefined where it opens nothing. */
export function dueAfterMs(
  method: LedgerMethod,
  args: readonly unknown[],
  tendMs: number,
): number | undefined {
  if (methodKinds[method] === 'opens') return tendMs
  // What a payment was refused for is looked at again soon.
  const [refusing] = args as [Refusing | undefined]
  if (method === 'refuse' && refusing?.obstacle !== undefined) return soonMs(tendMs)
  const isOfferedAgain = method === 'sent' && args[1] !== 'taken'
  return isOfferedAgain ? soonMs(tendMs) : undefined
}

export const ledgerMethods = Object.keys(methodKinds) as readonly LedgerMethod[]

/** Payments of a phase, and blocks, that one answer tells of; of those that wait, as many as a block takes. */
const workLimit = 1000
const queueLimit = 200
/** Rows of a kind that are forgotten at a time. */
const pruneLimit = 200
/** How often one obstacle is noted. */
const obstacleMs = 60_000
const isRestoring = (rows: Draft): boolean => intakeOf(rows).kind === 'restoring'

/** Undefined where the session is open to a claim. What a restore may still tell of is not. */
function decidedOf(rows: Draft, question: Question): Decided | undefined {
  const row = rows.row('sessions', question.session)
  const undecided = isRestoring(rows) ? ({ kind: 'pending' } as const) : undefined
  if (row === undefined) {
    return paymentRow(rows, question.session) === undefined ? undecided : { kind: 'ended' }
  }
  if (row.state === 'claimed') return isLeased(row, rows.now) ? { kind: 'pending' } : undecided
  if (row.input !== question.input || row.screen === null) {
    return { kind: row.state === 'refused' ? 'closed' : 'ended' }
  }
  const payment = paymentRow(rows, question.session)
  const kind = payment !== undefined && hasFailed(payment) ? 'failed' : 'answered'
  return { kind, screen: row.screen }
}

/**
 * Whether a failure is final. One that was found on the chain, by a ledger that had lost its rows, is told
 * at once: no one was told another thing by this ledger.
 */
function hasFailed({ state, outcome, history }: Row<'payments'>): boolean {
  const isAdopted = history[0]?.[0] === 'mined'
  const isFinal = state === 'reverted' || state === 'expired'
  return isFinal || (isAdopted && state === 'mined' && outcome === 'failed')
}

type SessionRow = Row<'sessions'>

/** Whether the holder of a claim may still record: its lease lasts. */
const isLeased = ({ lease_until }: SessionRow, now: number): boolean => (lease_until ?? 0) > now

/** Writes a session's row, and its claim in its account's. */
function saveSession(
  rows: Draft,
  { session, account, input, steps }: Pick<SessionRow, 'session' | 'account' | 'input' | 'steps'>,
  columns: Pick<SessionRow, 'state' | 'screen' | 'token' | 'lease_until'>,
): void {
  const decided_at = rows.now
  noteClaim(rows, accountOf(rows, account), session, columns.lease_until)
  rows.put('sessions', { session, account, input, steps, ...columns, decided_at })
}

/** Whether another session of the account is between its claim and its record. */
function isClaiming(rows: Draft, { claims }: Row<'accounts'>, session: string): boolean {
  return claims.some(([other, until]) => other !== session && until > rows.now)
}

/** What a block has executed of an account lately, the oldest first. */
function executedOf(rows: Draft, account: string, most: number): SignedRequest[] {
  return rows
    .list({ table: 'payments', list: 'account', group: account, limit: maxOpen, newest: true })
    .filter(({ outcome, phase, since }) => {
      const isRecent = phase === 'mined' || (phase === 'settled' && rows.now - since < recentMs)
      return outcome === 'executed' && isRecent
    })
    .slice(0, most)
    .map(({ request }) => request)
    .reverse()
}

/** Rows of a list that are older than they are kept, the oldest first. */
const olderThan = <Name extends TableName>(
  rows: Draft,
  olderThanMs: number,
  listing: Pick<Listing<Name>, 'table' | 'list' | 'group'>,
): Row<Name>[] => rows.list<Name>({ ...listing, olderThanMs, limit: pruneLimit })

const saveObstacle = (rows: Draft, noted: NotedObstacle): void =>
  rows.put('meta', { name: 'obstacle', value: JSON.stringify(noted) })

/** Notes what payments are refused for: news where it is another reason, and once a minute. */
function noteObstacle(rows: Draft, kind: ObstacleKind | undefined): Refused {
  if (kind === undefined) return { kind: 'refused' }
  const last = obstacleOf(rows)
  const isSame = last?.kind === kind
  const isNews = !isSame || rows.now - last.toldAt >= obstacleMs
  saveObstacle(rows, { kind, at: rows.now, toldAt: isNews ? rows.now : last.toldAt })
  return isNews ? { kind: 'refused', isNews } : { kind: 'refused' }
}

/** A payment is taken: what the ones before were refused for is over. */
function endObstacle(rows: Draft): void {
  const last = obstacleOf(rows)
  if (last !== undefined && last.endedAt === undefined) {
    saveObstacle(rows, { ...last, endedAt: rows.now })
  }
}

const nothingOpen = (at: At): Work => ({
  ...{ now: at.rows.now, head: undefined, trail: [], ...meansOf(at), behindSince: undefined },
  ...{ nextNonce: 0, nonces: [], ...workLists(() => []), watching: false },
})

export const steps: Steps = {
  identify,

  formerAccount,

  renumber,

  lookup(at, question) {
    const { rows } = at
    const decided = decidedOf(rows, question)
    if (decided !== undefined) return decided
    const account = accountOf(rows, question.account)
    const open = account.open
      .flatMap(([session]) => paymentRow(rows, session)?.request ?? [])
      // Those whose row was lost take no other's place.
      .slice(0, maxOpen)
    const executed = executedOf(rows, question.account, maxOpen - open.length)
    const busy = isClaiming(rows, account, question.session)
    const load = loadOf(at, account, question.session)
    const [sight, { now }] = [sightOf(at), rows]
    return { kind: 'undecided', open, executed, seen: account.seen, busy, load, sight, now }
  },

  show: ({ rows }, showing) => show(rows, showing, decidedOf(rows, showing)),

  shown: ({ rows }, question, name) => shown(rows, question, name),

  equal: ({ rows }, question, call) =>
    minutesSinceEqual(rows, question, decidedOf(rows, question) === undefined ? call : undefined),

  refuse(at, refusing) {
    const { rows, relayer } = at
    const { session, token, screen } = refusing
    const row = rows.row('sessions', session)
    const decided = decidedOf(rows, refusing)
    const isOwn = row?.state === 'claimed' && row.token === token
    if (decided !== undefined && !isOwn) return decided
    if (isOwn) releaseLease(rows, relayerOf(rows, relayer), token)
    if (isOwn) noteReservedClaim(rows, session, undefined)
    saveSession(rows, refusing, { state: 'refused', screen, token: null, lease_until: null })
    count(rows, 'refused', refusing.obstacle ?? 'own')
    if (refusing.isUnlisted) rows.put('meta', { name: 'unlisted', value: `${rows.now}` })
    noteSeen(at, refusing.saw)
    return noteObstacle(rows, refusing.obstacle)
  },

  claim(at, claiming) {
    const { rows, rules } = at
    const { session, input, token, seen } = claiming
    const row = rows.row('sessions', session)
    const known = relayerOf(rows, at.relayer)
    const isOwn = row?.state === 'claimed' && row.token === token && row.input === input
    // After its lease the claim is judged again: another session may have used the account since.
    if (isOwn && isLeased(row, rows.now)) {
      // One of an earlier lease of this token went back to all, and it waits for its turn.
      const held = known.leases.find((lease) => lease.token === token && isLive(lease, rows.now))
      return { kind: 'claimed', slot: held && slotOf(rows, at.relayer, held.nonce) }
    }
    const decided = decidedOf(rows, claiming)
    if (decided !== undefined) return decided
    noteSeen(at, claiming.saw)
    if (intakeOf(rows).kind !== 'open') return { kind: 'paused' }
    if (isByOthers(at, claiming.identity)) return { kind: 'paused' }
    const account = accountOf(rows, claiming.account)
    if (seen !== undefined && (isClaiming(rows, account, session) || seen !== account.seen)) {
      return { kind: 'changed' }
    }
    const { reserves, day, unlessEqual } = claiming
    const minutes = unlessEqual && minutesSinceEqual(rows, claiming, unlessEqual)
    if (minutes !== undefined) return { kind: 'equal', minutes }
    const over = day && overDay(rows, claiming.account, day, day)
    if (over !== undefined) return over
    if (reserves !== undefined && isShort(at, session, reserves)) {
      return { kind: 'none_left' }
    }
    // A holder before us never recorded: its token is dead from here on, and its nonce's lease ended
    // with the session's. What the chain has passed can carry nothing any more.
    const leases = known.leases.filter(
      (lease) => isLive(lease, rows.now) || lease.nonce >= claiming.chainNonce,
    )
    const relayer = { ...known, leases }
    const nonce = freeNonce(at, relayer, account, claiming)
    const load = loadOf(at, account, session)
    if (claiming.room && isFull(load, claiming.room, nonce === undefined)) {
      return { kind: 'full', load }
    }
    endObstacle(rows)
    const lease_until = rows.now + rules.leaseMs
    saveSession(rows, claiming, { state: 'claimed', screen: null, token, lease_until })
    if (reserves !== undefined) {
      const { poolWei, capWei, outWei } = reserves
      noteReservedClaim(rows, session, { poolWei, capWei, outWei, until: lease_until })
    }
    if (nonce !== undefined) {
      return { kind: 'claimed', slot: leaseTo(at, relayer, { nonce, token, sessions: [session] }) }
    }
    if (leases.length < known.leases.length) rows.put('relayers', relayer)
    return { kind: 'claimed', slot: undefined }
  },

  record(at, { session, token, seen, order, screen, transaction, room, day, identity }) {
    const { rows } = at
    const row = rows.row('sessions', session)
    if (row === undefined || row.token !== token) return { kind: 'fenced' }
    // The same record again: its first answer was lost on the way.
    if (row.state === 'accepted') return { kind: 'recorded' }
    const isOlder = seen !== undefined && seen !== accountOf(rows, row.account).seen
    // What is restored may tell of this session, or of its nonce.
    if (!isLeased(row, rows.now) || isOlder || isRestoring(rows)) return { kind: 'fenced' }
    const over = day && overDay(rows, row.account, day, order)
    if (over !== undefined) return over
    const relayer = relayerOf(rows, at.relayer)
    if (transaction === undefined) {
      if (isByOthers(at, identity)) return { kind: 'fenced' }
      const load = loadOf(at, accountOf(rows, row.account), session)
      if (room && isFull(load, room, true)) return { kind: 'full', load }
      releaseLease(rows, relayer, token)
      begin(at, 'enqueued', session, order)
    } else {
      const { nonce } = transaction
      const isHeld = relayer.leases.some((lease) => lease.nonce === nonce && lease.token === token)
      if (!isHeld) return { kind: 'fenced' }
      begin(at, 'accepted', session, order, { relayer: at.relayer, nonce })
      recordBytes(at, nonce, [session], transaction)
    }
    noteReservedClaim(rows, session, undefined)
    // The token stays, so that a repeated record is known; without a lease it opens nothing.
    saveSession(rows, row, { state: 'accepted', screen, token, lease_until: null })
    return { kind: 'recorded' }
  },

  adopt(at, adoption) {
    const { rows } = at
    const { session, order, screen, execution } = adoption
    const decided = decidedOf(rows, adoption)
    if (decided !== undefined) return decided
    begin(at, 'adopted', session, order, executionColumns(execution))
    saveSession(rows, adoption, { state: 'accepted', screen, token: null, lease_until: null })
    return { kind: 'adopted' }
  },

  vitals(at, { identity, probes = false } = {}) {
    if (probes) probe(at.rows)
    return vitalsOf(at, identity && identified(at, identity), identity && hasMoved(at, identity))
  },

  saw: noteSeen,

  setIntake: ({ rows }, kind, id, nextAccountKey) => setIntake(rows, kind, { id, nextAccountKey }),

  note: ({ rows }, entry) => note(rows, entry),

  alert: ({ rows, rules }, found, told) => noteAlerts(rows, found, { ...rules, ...told }),

  takeNotices: ({ rows }, limit) => takeNotices(rows, limit),

  told: ({ rows }, id) => rows.drop('notices', id),

  // Half of a restored ledger is no ground to act on.
  takeSms: ({ rows }, limit) =>
    isRestoring(rows) ? { taken: [], next: undefined } : takeSms(rows, limit),

  noteSms: ({ rows }, name, fate) => noteSms(rows, name, fate),

  audit: ({ rows }, limit) => auditOf(rows, limit),

  page: ({ rows }, query) => pageOf(rows, query),

  tracePayment: traceOf,

  exported: exportPage,

  beginRestore,

  restore,

  endRestore,

  work(at, identity) {
    const { rows, rules } = at
    // Half of a ledger is no ground to act on: rounds find nothing until the other half is there.
    if (isRestoring(rows)) return nothingOpen(at)
    const relayer = relayerOf(rows, at.relayer)
    const { head, trail } = trailOf(at)
    const behindSince = rows.row('meta', 'behind_since')
    // A payment may be settled by its own request before any head was looked at.
    const from = head === undefined ? 0 : head.number - rules.watchBlocks + 1
    const watched = rows.list({ table: 'blocks', list: 'number', from, limit: 1 })
    return {
      now: rows.now,
      head,
      trail,
      ...meansOf(at),
      behindSince: behindSince && Number(behindSince.value),
      nextNonce: nextNonce(relayer),
      nonces: openNonces(at),
      ...workLists((phase) => {
        const limit = phaseRules[phase].waits ? queueLimit : workLimit
        return paymentsIn(rows, phase, limit).map(paymentOf)
      }),
      watching: watched.length > 0,
      ...(identity && { differences: differencesFrom(at, identity) }),
    }
  },

  signed: (at) => signedBytes(at),

  blocks({ rows }, above) {
    const highest = { limit: workLimit, newest: true }
    return rows
      .list({ table: 'blocks', list: 'number', from: above + 1, ...highest })
      .map(({ number, hash }) => ({ number, hash }))
  },

  payment({ rows }, session) {
    const row = rows.row('payments', session)
    return row && paymentOf(row)
  },

  payments: ({ rows }, account, limit) =>
    rows
      .list({ table: 'payments', list: 'account', group: account, limit, newest: true })
      .map(paymentOf),

  lease(at, { nonce, token, chainNonce, sessions }) {
    const { rows, rules } = at
    const taken = { kind: 'taken' } as const
    if (nonce < chainNonce || nonce >= chainNonce + rules.maxInFlight) return taken
    if (isRestoring(rows)) return taken
    const row = rows.row('nonces', at.relayer, nonce)
    if (row?.state === 'recorded' || row?.state === 'mined') return taken
    const isForeign = row?.state === 'foreign'
    if (isForeign && rows.now - row.changed_at < rules.displacedMs) return taken
    const { leases } = relayerOf(rows, at.relayer)
    const held = leases.find((lease) => lease.nonce === nonce)
    if (held !== undefined && held.token !== token && isLive(held, rows.now)) return taken
    if (sessions.some((session) => paymentRow(rows, session)?.phase !== 'waiting')) return taken
    if (isForeign) {
      // The pool refused them, over what it has dropped by now: new bytes have nothing to outbid.
      dropBytes(rows, row)
      saveNonce(rows, { ...row, state: 'abandoned', bytes: [] })
    }
    const slot = leaseTo(at, relayerOf(rows, at.relayer), { nonce, token, sessions })
    return { kind: 'leased', slot }
  },

  attach(at, { nonce, token, transaction }) {
    const { rows } = at
    const row = rows.row('nonces', at.relayer, nonce)
    if (row?.state === 'recorded') {
      const isThere = row.bytes.some(([hash]) => hash === transaction.hash)
      return { kind: isThere ? 'recorded' : 'fenced' }
    }
    const { leases } = relayerOf(rows, at.relayer)
    const held = leases.find((lease) => lease.nonce === nonce && lease.token === token)
    if (held === undefined || isRestoring(rows)) return { kind: 'fenced' }
    const payments = held.sessions.map((session) => paymentRow(rows, session))
    // Whatever has become of one of them since: what was signed carries all of them.
    if (payments.some((payment) => payment?.phase !== 'waiting')) return { kind: 'fenced' }
    for (const payment of payments) move(at, payment, 'attached', { relayer: at.relayer, nonce })
    recordBytes(at, nonce, held.sessions, transaction)
    return { kind: 'recorded' }
  },

  replace(at, { nonce, over, transaction }) {
    const row = at.rows.row('nonces', at.relayer, nonce)
    const [highest] = bytesOf(row)
    if (highest?.hash === transaction.hash) return { kind: 'recorded' }
    if (row?.state !== 'recorded' || highest?.hash !== over) return { kind: 'fenced' }
    recordBytes(at, nonce, row.sessions, transaction)
    return { kind: 'recorded' }
  },

  release({ rows, relayer: name }, nonces, chainNonce) {
    const relayer = relayerOf(rows, name)
    // Below one that is recorded it is a gap, which has to be closed; below one that was given up it is nothing.
    const highest = Math.max(-1, ...relayer.open.map(([nonce]) => nonce))
    const leases = relayer.leases.filter(
      (lease) =>
        !nonces.includes(lease.nonce) ||
        isLive(lease, rows.now) ||
        (lease.nonce >= chainNonce && lease.nonce < highest),
    )
    // A row that was lost: whatever it carried, the chain has passed it.
    const lost = relayer.open
      .map(([nonce]) => nonce)
      .filter((nonce) => nonce < chainNonce && rows.row('nonces', name, nonce) === undefined)
    if (leases.length === relayer.leases.length && lost.length === 0) return
    const open = relayer.open.filter(([nonce]) => !lost.includes(nonce))
    const top = lost.length === 0 ? relayer.top : Math.max(relayer.top ?? 0, ...lost)
    rows.put('relayers', { relayer: name, leases, open, top })
  },

  sent(at, hash, verdict) {
    const { rows } = at
    const transaction = rows.row('transactions', hash)
    if (transaction === undefined) return []
    const failures = verdict === 'taken' ? 0 : transaction.failures + 1
    rows.put('transactions', { ...transaction, sent_at: rows.now, failures })
    if (verdict === 'price_too_low') forgetGasPrice(at, BigInt(transaction.gas_price))
    if (verdict !== 'taken') return []
    return transaction.sessions.flatMap((session) => {
      const payment = paymentRow(rows, session)
      return isCarriedBy(payment, transaction) ? move(at, payment, 'taken', { hash }) : []
    })
  },

  mined(at, { nonce, sessions, hash, block, executions }) {
    const { rows } = at
    const row = rows.row('nonces', at.relayer, nonce)
    if (row?.state !== 'recorded' || `${row.sessions}` !== `${sessions}`) return []
    saveNonce(rows, {
      ...{ ...row, state: 'mined', hash, block_number: block.number, block_hash: block.hash },
      ...{ phase: 'done', changed_at: rows.now },
    })
    return row.sessions.flatMap((session) => {
      const execution = executions[session]
      if (execution === undefined) return dropFrom(at, row, session)
      return move(at, paymentRow(rows, session), 'included', executionColumns(execution))
    })
  },

  displaced: (at, nonce) => take(at, nonce, 'foreign'),

  abandon: (at, nonce) => take(at, nonce, 'abandoned'),

  requeue(at, session) {
    const payment = paymentRow(at.rows, session)
    const isThere = payment !== undefined && carrierOf(at.rows, payment)?.state === 'recorded'
    return isThere ? [] : drop(at, payment)
  },

  settle: (at, session, execution) =>
    move(at, paymentRow(at.rows, session), 'settled', executionColumns(execution)),

  confirm(at, session, blockHash) {
    const payment = paymentRow(at.rows, session)
    if (payment?.block_hash !== blockHash || payment.outcome === null) return []
    return move(at, payment, payment.outcome)
  },

  expire(at, session) {
    const payment = paymentRow(at.rows, session)
    if (payment === undefined || !isUnsettled(payment.state)) return []
    const carrier = carrierOf(at.rows, payment)
    if (carrier !== undefined) {
      const sessions = carrier.sessions.filter((other) => other !== session)
      saveNonce(at.rows, { ...carrier, sessions, changed_at: at.rows.now })
    }
    return move(at, payment, 'overdue', noNonce)
  },

  reopen(at, blockHash) {
    const { rows } = at
    const block = rows.row('blocks', blockHash)
    // Where the row of the block is lost, what it holds and is not final is found by its payments.
    const sessions =
      block?.sessions ?? paymentsIn(rows, 'mined', workLimit).map((row) => row.session)
    // The highest first: the highest used one is then each time the one below.
    for (const [relayer, nonce] of (block?.nonces ?? []).toSorted((a, b) => b[1] - a[1])) {
      const row = rows.row('nonces', relayer, nonce)
      if (row?.state !== 'mined' || row.block_hash !== blockHash) continue
      const changed_at = rows.now
      saveNonce(rows, { ...row, state: 'recorded', ...noBlock, phase: null, changed_at })
      resendSoon(rows, row)
    }
    const moved = [...new Set(sessions)].flatMap((session) => {
      const payment = paymentRow(rows, session)
      if (payment?.block_hash !== blockHash) return []
      // Adopted payments had no transaction of ours: their request finds a new one.
      return carrierOf(rows, payment)?.state === 'recorded'
        ? move(at, payment, 'reorganized', noExecution)
        : move(at, payment, 'orphaned', { ...noExecution, ...noNonce })
    })
    rows.drop('blocks', blockHash)
    return moved
  },

  sawHead(at, trail, toldCount) {
    const { rows } = at
    if (trail !== undefined) {
      saveTrail(at, trail)
      // In one step: a new trail shows nothing of what is below it.
      if (toldCount !== undefined) saveMeans(at, { toldCount }, undefined)
      rows.drop('meta', 'behind_since')
    } else if (rows.row('meta', 'behind_since') === undefined) {
      rows.put('meta', { name: 'behind_since', value: `${rows.now}` })
    }
  },

  sawMeans(at, head, means, asked) {
    const { count, toldCount, ...others } = means
    saveMeans(at, trailOf(at).head?.hash === head ? means : others, asked)
  },

  prune({ rows, rules: { retentionMs, historyMs } }) {
    endQueue(rows)
    const settled = { table: 'payments', list: 'phase', group: 'settled' } as const
    const payments = olderThan(rows, retentionMs, settled)
    const done = { table: 'nonces', list: 'phase', group: 'done' } as const
    const nonces = olderThan(rows, retentionMs, done)
    const sessions = olderThan(rows, retentionMs, { table: 'sessions', list: 'age' })
    const history = olderThan(rows, historyMs, { table: 'history', list: 'age' })
    pruneSms(rows, retentionMs, pruneLimit)
    // Asked before anything goes: where the row is lost, it is counted from what is there.
    const relayers = new Map(nonces.map(({ relayer }) => [relayer, relayerOf(rows, relayer)]))
    for (const [account, own] of Map.groupBy(payments, (payment) => payment.account)) {
      archive(rows, account, own)
    }
    for (const row of nonces) {
      const isLeased = relayers.get(row.relayer)?.leases.some(({ nonce }) => nonce === row.nonce)
      const isNeeded = row.sessions.some((session) => isCarriedBy(paymentRow(rows, session), row))
      if (!isLeased && !isNeeded) dropNonce(rows, row)
    }
    for (const { session, account } of sessions) {
      if (paymentRow(rows, session) !== undefined) continue
      const known = rows.row('accounts', account)
      if (known !== undefined) noteClaim(rows, known, session, null)
      rows.drop('sessions', session)
    }
    for (const { intent_id, accepted_at } of history) rows.drop('history', intent_id, accepted_at)
    pruneShown(rows, retentionMs, pruneLimit)
    pruneAudit(rows, pruneLimit)
  },
}

/** Runs one method as a step on a draft. */
export function runStep(at: At, method: LedgerMethod, args: readonly unknown[]): unknown {
  return (steps[method] as (at: At, ...args: readonly unknown[]) => unknown)(at, ...args)
}

/** The port whose every method is `call` with the method's name. */
export function ledgerThrough<Port = Ledger>(
  call: (method: LedgerMethod, args: unknown[]) => unknown,
): Port {
  const methods = ledgerMethods.map((method) => [
    method,
    (...args: unknown[]) => call(method, args),
  ])
  return Object.fromEntries(methods) as Port
}
