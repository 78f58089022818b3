import type { Hex } from 'viem'
import type { Draft } from './draft.ts'
import {
  archive,
  begin,
  blockOf,
  drop,
  executionColumns,
  move,
  noExecution,
  noNonce,
  paymentOf,
  saveBlock,
} from './payments.ts'
import {
  type Claiming,
  type Decided,
  type Ledger,
  type LedgerRules,
  MAX_OPEN,
  movableIdentity,
  type OpenNonce,
  type Question,
  type Screen,
  type SignedTransaction,
  type Slot,
} from './port.ts'
import type { ListName, Row, TableName } from './rows.ts'
import {
  accountOf,
  claimedUntil,
  closed,
  highestUsed,
  nextNonce,
  opened,
  queueOf,
  relayerOf,
  saveAccount,
  unused,
  used,
} from './sums.ts'
import { isCarried, isUnsettled } from './transitions.ts'

/** What a step works on. */
export type At = { rows: Draft; rules: LedgerRules; relayer: string }

/** Every method of the port as one step: it reads and writes rows, and waits for nothing. */
export type Steps = {
  [Method in keyof Ledger]: (
    at: At,
    ...args: Parameters<Ledger[Method]>
  ) => Awaited<ReturnType<Ledger[Method]>>
}

/** What a method does to rows. After one that opens work something may be left to do. */
export const methodKinds: Readonly<Record<keyof Ledger, 'reads' | 'writes' | 'opens'>> = {
  identify: 'writes',
  lookup: 'reads',
  refuse: 'writes',
  claim: 'opens',
  record: 'opens',
  adopt: 'opens',
  work: 'reads',
  blocks: 'reads',
  payment: 'reads',
  payments: 'reads',
  lease: 'writes',
  attach: 'writes',
  replace: 'writes',
  release: 'writes',
  sent: 'writes',
  mined: 'writes',
  displaced: 'writes',
  abandon: 'writes',
  requeue: 'writes',
  settle: 'writes',
  confirm: 'writes',
  expire: 'writes',
  reopen: 'writes',
  sawHead: 'writes',
  prune: 'writes',
}

export type LedgerMethod = keyof Ledger

export const ledgerMethods = Object.keys(methodKinds) as readonly LedgerMethod[]

/** Payments of a phase, and blocks, that one answer tells of; of those that wait, fewer. */
const WORK_LIMIT = 1000
const QUEUE_LIMIT = 100
/** Rows of a kind that are forgotten at a time. */
const PRUNE_LIMIT = 200
/** More blocks than are ever watched. */
const WATCHED_LIMIT = 64

type NonceRow = Row<'nonces'>
type RelayerRow = Row<'relayers'>
type Lease = RelayerRow['leases'][number]

/** Undefined where the session is open to whoever claims it. */
function decidedOf(rows: Draft, question: Question): Decided | undefined {
  const row = rows.row('sessions', question.session)
  if (row === undefined) {
    return rows.row('payments', question.session) === undefined ? undefined : { kind: 'ended' }
  }
  if (row.state === 'claimed') {
    return (row.lease_until ?? 0) > rows.now ? { kind: 'pending' } : undefined
  }
  if (row.input !== question.input || row.screen === null) return { kind: 'ended' }
  return { kind: 'answered', screen: row.screen }
}

/** Closes a session for good. Whoever claimed it does so no more. */
function decide(
  rows: Draft,
  question: Question & { steps: number; screen: Screen },
  state: 'refused' | 'accepted',
): void {
  const { session, account, input, steps, screen } = question
  const known = accountOf(rows, account)
  if (known.claims.length > 0) {
    saveAccount(rows, claimedUntil(known, session, undefined, rows.now))
  }
  const lines = [...screen.lines]
  rows.put('sessions', {
    ...{ session, state, account, input, steps, screen: { kind: screen.kind, lines } },
    ...{ token: null, lease_until: null, decided_at: rows.now },
  })
}

/** Whether another session of the account is between its claim and its record. */
function isClaiming(rows: Draft, { claims }: Row<'accounts'>, session: string): boolean {
  return claims.some(([other, until]) => other !== session && until > rows.now)
}

function isAnythingOpen({ rows, relayer }: At): boolean {
  const { leases, open } = relayerOf(rows, relayer)
  const phases = ['waiting', 'stuck', 'carried', 'mined'] as const
  return (
    leases.length + open.length > 0 || phases.some((phase) => paymentsIn(rows, phase, 1).length > 0)
  )
}

const paymentsIn = (rows: Draft, phase: Row<'payments'>['phase'], limit: number) =>
  rows.list({ table: 'payments', list: 'phase', group: phase, limit })

const paymentRow = (rows: Draft, session: string | null | undefined) =>
  session === null || session === undefined ? undefined : rows.row('payments', session)

const isLive = (lease: Lease, now: number): boolean => lease.until > now

/** The bytes with the highest price recorded for a nonce: those that others have to outbid. */
function dearest(row: NonceRow | undefined): { hash: Hex; gasPriceWei: bigint } | undefined {
  const [first] = (row?.bytes ?? [])
    .map(([hash, price]) => ({ hash, gasPriceWei: BigInt(price) }))
    .sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1))
  return first
}

function slotOf({ rows, relayer }: At, nonce: number): Slot {
  return { nonce, priorGasPriceWei: dearest(rows.row('nonces', relayer, nonce))?.gasPriceWei }
}

function leased(
  at: At,
  relayer: RelayerRow,
  nonce: number,
  token: string,
  session: string | undefined,
): RelayerRow {
  const lease = { nonce, token, until: at.rows.now + at.rules.leaseMs, session: session ?? null }
  const others = relayer.leases.filter((other) => other.nonce !== nonce)
  return { ...relayer, leases: [...others, lease].sort((a, b) => a.nonce - b.nonce) }
}

/** Without a holder, a nonce that nothing was recorded for is anybody's. */
function letGo(relayer: RelayerRow, token: string): RelayerRow {
  const free = (lease: Lease) =>
    lease.token === token ? { ...lease, token: null, until: 0, session: null } : lease
  return { ...relayer, leases: relayer.leases.map(free) }
}

/**
 * The lowest nonce that nobody holds and that comes after the account's open payments: one whose
 * holder never recorded, else the next one. Undefined where the pool would refuse it, or where older
 * payments wait for one.
 */
function freeNonce(
  { rows, rules }: At,
  relayer: RelayerRow,
  account: Row<'accounts'>,
  { chainNonce, poolNonce }: Claiming,
): number | undefined {
  const { waiting, until } = queueOf(rows)
  if (waiting > 0 && until > rows.now / 1000) return undefined
  const last = Math.max(-1, ...account.open.map(([, nonce]) => nonce ?? -1))
  const given = relayer.leases
    .filter((lease) => !isLive(lease, rows.now) && lease.nonce > last)
    .map((lease) => lease.nonce)
  const next = Math.max(chainNonce, poolNonce, nextNonce(relayer))
  const nonce = given.length > 0 ? Math.min(...given) : next
  return nonce < chainNonce + rules.maxInFlight ? nonce : undefined
}

/** Makes a nonce's transaction durable. The lease ends where it was recorded for. */
function recordBytes(
  { rows, relayer }: At,
  nonce: number,
  session: string | null,
  transaction: SignedTransaction,
): void {
  const known = rows.row('nonces', relayer, nonce)
  const { hash, raw, gasPriceWei } = transaction
  const bytes = known?.bytes ?? []
  const isNew = bytes.every(([other]) => other !== hash)
  rows.put('nonces', {
    ...{ relayer, nonce, state: 'recorded' as const, session, phase: null, changed_at: rows.now },
    ...{ hash: null, block_number: null, block_hash: null },
    bytes: isNew ? [...bytes, [hash, `${gasPriceWei}`]] : bytes,
  })
  if (rows.row('transactions', hash) !== undefined) return
  rows.put('transactions', {
    ...{ hash, relayer, nonce, session, raw, gas_price: `${gasPriceWei}` },
    ...{ recorded_at: rows.now, sent_at: null },
  })
}

/** A nonce with bytes that leaves the recorded ones; its payment, where that is not settled, waits again. */
function take(at: At, nonce: number, state: 'foreign' | 'abandoned'): ReturnType<typeof move> {
  const { rows, rules, relayer } = at
  const row = rows.row('nonces', relayer, nonce)
  if (row?.state !== 'recorded') return []
  const counted = relayerOf(rows, relayer)
  const payment = paymentRow(rows, row.session)
  // The bytes of an abandoned nonce stay: whoever gets it later has to outbid them.
  rows.put('nonces', { ...row, state, phase: 'done', changed_at: rows.now })
  rows.put('relayers', state === 'foreign' ? used(counted, nonce) : closed(counted, nonce))
  return drop(rows, rules, payment)
}

function dropNonce(rows: Draft, { relayer, nonce, bytes }: NonceRow): void {
  rows.drop('nonces', relayer, nonce)
  for (const [hash] of bytes) rows.drop('transactions', hash)
}

function openNonces({ rows, relayer }: At): OpenNonce[] {
  const { leases, open } = relayerOf(rows, relayer)
  const transactionsOf = (row: NonceRow | undefined) =>
    (row?.bytes ?? [])
      .flatMap(([hash]) => rows.row('transactions', hash) ?? [])
      .map(({ hash, raw, gas_price, recorded_at, sent_at }) => ({
        ...{ hash, raw, gasPriceWei: BigInt(gas_price) },
        ...{ recordedAt: recorded_at, sentAt: sent_at ?? undefined },
      }))
      .sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1))
  const held = leases.map(
    (lease): OpenNonce => ({
      ...{ nonce: lease.nonce, session: lease.session ?? undefined, state: 'leased' },
      leaseLive: isLive(lease, rows.now),
      transactions: transactionsOf(rows.row('nonces', relayer, lease.nonce)),
    }),
  )
  const recorded = open.flatMap((nonce): OpenNonce[] => {
    const row = rows.row('nonces', relayer, nonce)
    if (row?.state !== 'recorded') return []
    const session = row.session ?? undefined
    const transactions = transactionsOf(row)
    return [{ nonce, session, state: 'recorded', leaseLive: false, transactions }]
  })
  return [...held, ...recorded].sort((a, b) => a.nonce - b.nonce)
}

/** Rows of a list that were last written before a time. */
function olderThan<Name extends TableName>(
  rows: Draft,
  table: Name,
  list: ListName<Name>,
  before: number,
  group?: string,
): Row<Name>[] {
  const within = { table, list, to: before - 1, limit: PRUNE_LIMIT }
  return rows.list<Name>(group === undefined ? within : { ...within, group })
}

export const steps: Steps = {
  identify(at, identity) {
    const { rows } = at
    const given = { chain: `${identity.chainId}`, ...identity.fingerprints }
    const names: string[] = []
    for (const [name, value] of Object.entries(given)) {
      const row = { name: `identity.${name}`, value }
      const known = rows.row('meta', row.name)?.value
      if (known === value) continue
      const mayMove = movableIdentity.includes(name) && !isAnythingOpen(at)
      if (known === undefined || mayMove) rows.put('meta', row)
      else names.push(name)
    }
    return names.length === 0 ? { kind: 'same' } : { kind: 'different', names }
  },

  lookup({ rows }, question) {
    const decided = decidedOf(rows, question)
    if (decided !== undefined) return decided
    const account = accountOf(rows, question.account)
    const open = account.open
      .flatMap(([session]) => paymentRow(rows, session)?.request ?? [])
      // Those whose row was lost take no other's place.
      .slice(0, MAX_OPEN)
    const busy = isClaiming(rows, account, question.session)
    return { kind: 'undecided', open, seen: account.seen, busy }
  },

  refuse({ rows, relayer }, refusing) {
    const row = rows.row('sessions', refusing.session)
    const decided = decidedOf(rows, refusing)
    const isOwn = row?.state === 'claimed' && row.token === refusing.token
    if (decided !== undefined && !isOwn) return decided
    if (isOwn) rows.put('relayers', letGo(relayerOf(rows, relayer), refusing.token))
    decide(rows, refusing, 'refused')
    return { kind: 'refused' }
  },

  claim(at, claiming) {
    const { rows, rules } = at
    const { session, input, account, token, seen, steps: answers } = claiming
    const row = rows.row('sessions', session)
    const relayer = relayerOf(rows, at.relayer)
    if (row?.state === 'claimed' && row.token === token && row.input === input) {
      const held = relayer.leases.find((lease) => lease.token === token)
      return { kind: 'claimed', slot: held && slotOf(at, held.nonce) }
    }
    const decided = decidedOf(rows, claiming)
    if (decided !== undefined) return decided
    const known = accountOf(rows, account)
    if (seen !== undefined && (isClaiming(rows, known, session) || seen !== known.seen)) {
      return { kind: 'changed' }
    }
    // A holder before us never recorded: its token is dead from here on, and its nonce's lease ended
    // with the session's. What the chain has passed can carry nothing any more.
    const leases = relayer.leases.filter(
      (lease) => isLive(lease, rows.now) || lease.nonce >= claiming.chainNonce,
    )
    const nonce = freeNonce(at, { ...relayer, leases }, known, claiming)
    const until = rows.now + rules.leaseMs
    rows.put('sessions', {
      ...{ session, state: 'claimed' as const, account, input, steps: answers, screen: null },
      ...{ token, lease_until: until, decided_at: rows.now },
    })
    rows.put('accounts', claimedUntil(known, session, until, rows.now))
    if (nonce === undefined) {
      if (leases.length < relayer.leases.length) rows.put('relayers', { ...relayer, leases })
      return { kind: 'claimed', slot: undefined }
    }
    rows.put('relayers', leased(at, { ...relayer, leases }, nonce, token, session))
    return { kind: 'claimed', slot: slotOf(at, nonce) }
  },

  record(at, { session, token, order, screen, transaction }) {
    const { rows, rules } = at
    const row = rows.row('sessions', session)
    if (row === undefined || row.token !== token) return { kind: 'fenced' }
    // The same record again: its first answer was lost on the way.
    if (row.state === 'accepted') return { kind: 'recorded' }
    const relayer = relayerOf(rows, at.relayer)
    const account = accountOf(rows, order.request.from)
    if (transaction === undefined) {
      const isHolder = relayer.leases.some((lease) => lease.token === token)
      if (isHolder) rows.put('relayers', letGo(relayer, token))
      begin(rows, rules, 'enqueued', session, order)
    } else {
      const { nonce } = transaction
      const isHeld = relayer.leases.some((lease) => lease.nonce === nonce && lease.token === token)
      if (!isHeld) return { kind: 'fenced' }
      begin(rows, rules, 'accepted', session, order, { relayer: at.relayer, nonce })
      rows.put('relayers', opened(relayer, nonce))
      recordBytes(at, nonce, session, transaction)
    }
    const counted = rows.row('accounts', account.account) ?? account
    saveAccount(rows, claimedUntil(counted, session, undefined, rows.now))
    // The token stays, so that a repeated record is known; without a lease it opens nothing.
    const lines = [...screen.lines]
    rows.put('sessions', {
      ...{ ...row, state: 'accepted', screen: { kind: screen.kind, lines } },
      ...{ lease_until: null, decided_at: rows.now },
    })
    return { kind: 'recorded' }
  },

  adopt({ rows, rules }, adoption) {
    const decided = decidedOf(rows, adoption)
    if (decided !== undefined) return decided
    const execution = executionColumns(adoption.execution)
    begin(rows, rules, 'adopted', adoption.session, adoption.order, execution)
    decide(rows, adoption, 'accepted')
    return { kind: 'adopted' }
  },

  work(at) {
    const { rows, rules, relayer } = at
    const head = rows.row('meta', 'head')
    const behindSince = rows.row('meta', 'behind_since')
    const headId = head && JSON.parse(head.value)
    const watched = rows.list({
      ...({ table: 'blocks', list: 'number', newest: true, limit: WATCHED_LIMIT } as const),
      // A payment may be settled by its own request before anybody has looked at a head.
      from: headId === undefined ? 0 : headId.number - rules.watchBlocks + 1,
    })
    const queued = [
      ...paymentsIn(rows, 'waiting', QUEUE_LIMIT),
      ...paymentsIn(rows, 'stuck', QUEUE_LIMIT),
    ].sort((a, b) => a.accepted_at - b.accepted_at || (a.session < b.session ? -1 : 1))
    return {
      now: rows.now,
      head: headId,
      behindSince: behindSince && Number(behindSince.value),
      nextNonce: nextNonce(relayerOf(rows, relayer)),
      nonces: openNonces(at),
      queued: queued.map(paymentOf),
      carried: paymentsIn(rows, 'carried', WORK_LIMIT).map(paymentOf),
      mined: paymentsIn(rows, 'mined', WORK_LIMIT).map(paymentOf),
      watching: watched.some(({ sessions }) => sessions.length > 0),
    }
  },

  blocks({ rows }, above) {
    const limit = WORK_LIMIT
    const found = rows.list({
      ...{ table: 'blocks', list: 'number', from: above + 1, limit, newest: true },
    })
    return found.map(({ number, hash }) => ({ number, hash }))
  },

  payment({ rows }, session) {
    const row = rows.row('payments', session)
    return row && paymentOf(row)
  },

  payments({ rows }, account, limit) {
    const found = rows.list({
      ...{ table: 'payments', list: 'account', group: account, limit, newest: true },
    })
    return found.map(paymentOf)
  },

  lease(at, { nonce, token, chainNonce, session }) {
    const { rows, rules } = at
    if (nonce < chainNonce || nonce >= chainNonce + rules.maxInFlight) return { kind: 'taken' }
    const row = rows.row('nonces', at.relayer, nonce)
    const isForeign = row?.state === 'foreign'
    if (isForeign && rows.now - row.changed_at < rules.displacedMs) return { kind: 'taken' }
    if (row?.state === 'recorded' || row?.state === 'mined') return { kind: 'taken' }
    const relayer = relayerOf(rows, at.relayer)
    const held = relayer.leases.find((lease) => lease.nonce === nonce)
    if (held !== undefined && held.token !== token && isLive(held, rows.now)) {
      return { kind: 'taken' }
    }
    if (session !== undefined && paymentRow(rows, session)?.phase !== 'waiting') {
      return { kind: 'taken' }
    }
    const free = isForeign ? unused(rows, relayer, [nonce]) : relayer
    // The pool refused them, over what it has dropped by now: new bytes have nothing to outbid.
    if (isForeign) dropNonce(rows, row)
    rows.put('relayers', leased(at, free, nonce, token, session))
    return { kind: 'leased', slot: slotOf(at, nonce) }
  },

  attach(at, { nonce, token, transaction }) {
    const { rows, rules } = at
    const row = rows.row('nonces', at.relayer, nonce)
    if (row?.state === 'recorded') {
      const isThere = row.bytes.some(([hash]) => hash === transaction.hash)
      return { kind: isThere ? 'recorded' : 'fenced' }
    }
    const relayer = relayerOf(rows, at.relayer)
    const held = relayer.leases.find((lease) => lease.nonce === nonce && lease.token === token)
    if (held === undefined) return { kind: 'fenced' }
    if (held.session !== null) {
      const payment = paymentRow(rows, held.session)
      const moved = move(rows, rules, payment, 'attached', { relayer: at.relayer, nonce })
      if (moved.length === 0) return { kind: 'fenced' }
    }
    rows.put('relayers', opened(relayer, nonce))
    recordBytes(at, nonce, held.session, transaction)
    return { kind: 'recorded' }
  },

  replace(at, { nonce, over, carriesPayment, transaction }) {
    const row = at.rows.row('nonces', at.relayer, nonce)
    const top = dearest(row)
    if (top?.hash === transaction.hash) return { kind: 'recorded' }
    if (row?.state !== 'recorded' || top?.hash !== over) return { kind: 'fenced' }
    const payment = paymentRow(at.rows, row.session)
    const isNeeded = payment !== undefined && isCarried(payment.state)
    if (carriesPayment !== isNeeded) return { kind: 'fenced' }
    recordBytes(at, nonce, row.session, transaction)
    return { kind: 'recorded' }
  },

  release({ rows, relayer: name }, nonces, chainNonce) {
    const relayer = relayerOf(rows, name)
    const kept = relayer.leases.filter(
      (lease) =>
        !nonces.includes(lease.nonce) ||
        isLive(lease, rows.now) ||
        (lease.nonce >= chainNonce && lease.nonce < highestUsed(relayer)),
    )
    // A row that was lost: whatever it carried, the chain has passed it.
    const lost = relayer.open.filter(
      (nonce) => nonce < chainNonce && rows.row('nonces', name, nonce) === undefined,
    )
    if (kept.length === relayer.leases.length && lost.length === 0) return
    rows.put('relayers', lost.reduce(used, { ...relayer, leases: kept }))
  },

  sent({ rows, rules }, hash, taken) {
    const transaction = rows.row('transactions', hash)
    if (transaction === undefined) return []
    rows.put('transactions', { ...transaction, sent_at: rows.now })
    if (!taken) return []
    const payment = paymentRow(rows, transaction.session)
    const isCarrier =
      payment?.nonce === transaction.nonce && payment.relayer === transaction.relayer
    return isCarrier ? move(rows, rules, payment, 'taken', { hash }) : []
  },

  mined({ rows, rules, relayer: name }, { nonce, session, hash, block, execution }) {
    const row = rows.row('nonces', name, nonce)
    if (row?.state !== 'recorded' || row.session !== (session ?? null)) return []
    const relayer = relayerOf(rows, name)
    const payment = paymentRow(rows, row.session)
    rows.put('nonces', {
      ...{ ...row, state: 'mined', hash, block_number: block.number, block_hash: block.hash },
      ...{ phase: 'done', changed_at: rows.now },
    })
    rows.put('relayers', used(relayer, nonce))
    const holder = blockOf(rows, block.hash, block.number)
    saveBlock(rows, { ...holder, nonces: [...holder.nonces, [name, nonce]] })
    if (execution === undefined) return drop(rows, rules, payment)
    return move(rows, rules, payment, 'included', executionColumns(execution))
  },

  displaced: (at, nonce) => take(at, nonce, 'foreign'),

  abandon: (at, nonce) => take(at, nonce, 'abandoned'),

  requeue({ rows, rules }, session) {
    const payment = rows.row('payments', session)
    const { relayer, nonce } = payment ?? noNonce
    const carrier =
      relayer === null || nonce === null ? undefined : rows.row('nonces', relayer, nonce)
    if (carrier?.state === 'recorded' && carrier.session === session) return []
    return drop(rows, rules, payment)
  },

  settle({ rows, rules }, session, execution) {
    return move(rows, rules, rows.row('payments', session), 'settled', executionColumns(execution))
  },

  confirm({ rows, rules }, session, blockHash) {
    const payment = rows.row('payments', session)
    if (payment?.block_hash !== blockHash || payment.outcome === null) return []
    return move(rows, rules, payment, payment.outcome)
  },

  expire({ rows, rules }, session) {
    const payment = rows.row('payments', session)
    if (payment === undefined || !isUnsettled(payment.state)) return []
    const { relayer, nonce } = payment
    const carrier =
      relayer === null || nonce === null ? undefined : rows.row('nonces', relayer, nonce)
    if (carrier?.session === session) {
      rows.put('nonces', { ...carrier, session: null, changed_at: rows.now })
    }
    return move(rows, rules, payment, 'overdue', noNonce)
  },

  reopen(at, blockHash) {
    const { rows, rules } = at
    const block = rows.row('blocks', blockHash)
    // Where the row of the block is lost, what it holds and is not final is found by its payments.
    const found =
      block?.sessions ??
      paymentsIn(rows, 'mined', WORK_LIMIT)
        .filter((payment) => payment.block_hash === blockHash)
        .map(({ session }) => session)
    const sessions = new Set(found)
    const nonces = (block?.nonces ?? []).flatMap(([relayer, nonce]) => {
      const row = rows.row('nonces', relayer, nonce)
      return row?.state === 'mined' && row.block_hash === blockHash ? [row] : []
    })
    for (const name of new Set(nonces.map(({ relayer }) => relayer))) {
      const own = nonces.filter(({ relayer }) => relayer === name).map(({ nonce }) => nonce)
      const relayer = unused(rows, relayerOf(rows, name), own)
      rows.put('relayers', own.reduce(opened, relayer))
    }
    for (const row of nonces) {
      rows.put('nonces', {
        ...{ ...row, state: 'recorded', hash: null, block_number: null, block_hash: null },
        ...{ phase: null, changed_at: rows.now },
      })
    }
    if (block !== undefined) saveBlock(rows, { ...block, nonces: [] })
    return [...sessions].flatMap((session) => {
      const payment = rows.row('payments', session)
      if (payment?.block_hash !== blockHash) return []
      const { relayer, nonce } = payment
      const carrier =
        relayer === null || nonce === null ? undefined : rows.row('nonces', relayer, nonce)
      // Adopted payments had no transaction of ours: their request finds a new one.
      return carrier?.state === 'recorded' && carrier.session === session
        ? move(rows, rules, payment, 'reorganized', noExecution)
        : move(rows, rules, payment, 'orphaned', { ...noExecution, ...noNonce })
    })
  },

  sawHead({ rows }, head) {
    if (head !== undefined) {
      rows.put('meta', { name: 'head', value: JSON.stringify(head) })
      rows.drop('meta', 'behind_since')
    } else if (rows.row('meta', 'behind_since') === undefined) {
      rows.put('meta', { name: 'behind_since', value: `${rows.now}` })
    }
  },

  prune({ rows, rules }) {
    const before = rows.now - rules.retentionMs
    const payments = olderThan(rows, 'payments', 'phase', before, 'settled')
    const nonces = olderThan(rows, 'nonces', 'phase', before, 'done')
    const sessions = olderThan(rows, 'sessions', 'age', before)
    const history = olderThan(rows, 'history', 'age', rows.now - rules.historyMs)
    const blocks = rows.list({ table: 'blocks', list: 'number', limit: PRUNE_LIMIT })
    // Asked before anything goes: where the row is lost, it is counted from what is there.
    const relayers = new Map(nonces.map(({ relayer }) => [relayer, relayerOf(rows, relayer)]))
    for (const [account, own] of Map.groupBy(payments, (payment) => payment.account)) {
      archive(rows, account, own)
      for (const { session } of own) rows.drop('sessions', session)
    }
    for (const row of nonces) {
      const isLeased = relayers.get(row.relayer)?.leases.some(({ nonce }) => nonce === row.nonce)
      if (!isLeased && paymentRow(rows, row.session)?.nonce !== row.nonce) dropNonce(rows, row)
    }
    for (const { session, account } of sessions) {
      if (rows.row('payments', session) !== undefined) continue
      const known = rows.row('accounts', account)
      if (known !== undefined && known.claims.length > 0) {
        saveAccount(rows, claimedUntil(known, session, undefined, rows.now))
      }
      rows.drop('sessions', session)
    }
    for (const block of blocks) {
      const isLeft = () => block.sessions.some((session) => rows.row('payments', session))
      if (block.changed_at < before && !isLeft()) rows.drop('blocks', block.hash)
    }
    for (const { intent_id, accepted_at } of history) rows.drop('history', intent_id, accepted_at)
  },
}

/** Runs one method as a step on a draft. */
export function runStep(at: At, method: LedgerMethod, args: readonly unknown[]): unknown {
  return (steps[method] as (at: At, ...args: readonly unknown[]) => unknown)(at, ...args)
}

/** The port whose every method is `call` with the method's name. */
export function ledgerThrough(
  call: (method: LedgerMethod, args: unknown[]) => Promise<unknown>,
): Ledger {
  const methods = ledgerMethods.map((method) => [
    method,
    (...args: unknown[]) => call(method, args),
  ])
  return Object.fromEntries(methods) as Ledger
}
