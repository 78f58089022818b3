import type { Address, Hex } from 'viem'
import {
  type Acceptance,
  type Adoption,
  type Attachment,
  type BlockId,
  type Claimed,
  type Claiming,
  type Decided,
  type Execution,
  type Identified,
  type Identity,
  type Leased,
  type Leasing,
  type Ledger,
  type LedgerRules,
  MAX_OPEN,
  type MinedReport,
  movableIdentity,
  type OpenNonce,
  type Order,
  type Payment,
  type PaymentState,
  type Question,
  type Recorded,
  type Refusing,
  type Replacement,
  type SignedTransaction,
  type Slot,
  type Transition,
  type Undecided,
  type Work,
} from './ledger.ts'
import type { Sql, SqlValue } from './sql.ts'

/** Queued payments and others that one round of tending takes up. */
const WORK_LIMIT = 1000

/** Every method of {@link import('./ledger.ts').Ledger}, synchronous: nothing can fall between its reads and writes. */
export type SqlLedger = ReturnType<typeof createSqlLedger>

const SCHEMA = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS sessions (
  session TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'refused', 'accepted')),
  account TEXT NOT NULL,
  input TEXT NOT NULL,
  steps INTEGER NOT NULL,
  screen TEXT,
  token TEXT,
  lease_until INTEGER,
  decided_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_claimed ON sessions (account) WHERE state = 'claimed';
CREATE INDEX IF NOT EXISTS sessions_by_age ON sessions (decided_at);

CREATE TABLE IF NOT EXISTS payments (
  session TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN
    ('queued', 'signed', 'broadcast', 'mined', 'confirmed', 'reverted', 'expired')),
  intent_id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  label TEXT NOT NULL,
  spends TEXT NOT NULL,
  request TEXT NOT NULL,
  nonce INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  outcome TEXT CHECK (outcome IN ('executed', 'failed')),
  reason TEXT,
  hash TEXT,
  block_number INTEGER,
  block_hash TEXT,
  accepted_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS payments_by_state ON payments (state, accepted_at);
CREATE INDEX IF NOT EXISTS payments_by_account ON payments (account, accepted_at);
CREATE INDEX IF NOT EXISTS payments_by_nonce ON payments (nonce) WHERE nonce IS NOT NULL;
CREATE INDEX IF NOT EXISTS payments_by_age ON payments (changed_at);
CREATE INDEX IF NOT EXISTS payments_by_block ON payments (block_number) WHERE block_number IS NOT NULL;

CREATE TABLE IF NOT EXISTS nonces (
  nonce INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('leased', 'recorded', 'mined', 'foreign')),
  session TEXT,
  token TEXT,
  lease_until INTEGER,
  hash TEXT,
  block_number INTEGER,
  block_hash TEXT,
  changed_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS nonces_by_state ON nonces (state, nonce);
CREATE INDEX IF NOT EXISTS nonces_by_age ON nonces (changed_at);
CREATE INDEX IF NOT EXISTS nonces_by_block ON nonces (block_number) WHERE block_number IS NOT NULL;

CREATE TABLE IF NOT EXISTS transactions (
  hash TEXT PRIMARY KEY,
  nonce INTEGER NOT NULL,
  raw TEXT NOT NULL,
  gas_price TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  sent_at INTEGER
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS transactions_by_age ON transactions (recorded_at);
CREATE INDEX IF NOT EXISTS transactions_by_nonce ON transactions (nonce);
`

type SessionRow = {
  state: 'claimed' | 'refused' | 'accepted'
  input: string
  screen: string | null
  token: string | null
  lease_until: number | null
}

type PaymentRow = {
  session: string
  state: PaymentState
  intent_id: Hex
  label: string
  spends: string
  request: string
  nonce: number | null
  attempts: number
  outcome: 'executed' | 'failed' | null
  reason: string | null
  hash: Hex | null
  block_number: number | null
  block_hash: Hex | null
  accepted_at: number
}

type NonceRow = {
  nonce: number
  state: 'leased' | 'recorded' | 'mined' | 'foreign'
  session: string | null
  token: string | null
  lease_until: number | null
  block_hash: Hex | null
  changed_at: number
}

type TransactionRow = {
  hash: Hex
  nonce: number
  raw: Hex
  gas_price: string
  recorded_at: number
  sent_at: number | null
}

/**
 * The ledger on SQLite. `now` is this storage's clock in ms: leases are measured by it alone, so
 * that no two Workers' clocks have to agree.
 */
export function createSqlLedger(sql: Sql, rules: LedgerRules, now: () => number) {
  for (const statement of SCHEMA.split(';')) if (statement.trim() !== '') sql.exec(statement)

  const meta = {
    get: (name: string): string | undefined =>
      sql.exec<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)[0]?.value,
    set: (name: string, value: string | undefined): void => {
      if (value === undefined) sql.exec('DELETE FROM meta WHERE name = ?', name)
      else
        sql.exec(
          'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
          name,
          value,
        )
    },
  }

  const sessionRow = (session: string): SessionRow | undefined =>
    sql.exec<SessionRow>(
      'SELECT state, input, screen, token, lease_until FROM sessions WHERE session = ?',
      session,
    )[0]

  const paymentRow = (session: string): PaymentRow | undefined =>
    sql.exec<PaymentRow>('SELECT * FROM payments WHERE session = ?', session)[0]

  const nonceRow = (nonce: number): NonceRow | undefined =>
    sql.exec<NonceRow>('SELECT * FROM nonces WHERE nonce = ?', nonce)[0]

  /** Undefined where the session is open to whoever claims it. */
  function decidedOf(
    session: string,
    row: SessionRow | undefined,
    input: string,
  ): Decided | undefined {
    if (row === undefined) return paymentRow(session) === undefined ? undefined : { kind: 'ended' }
    if (row.state === 'claimed') {
      return (row.lease_until ?? 0) > now() ? { kind: 'pending' } : undefined
    }
    if (row.input === input && row.screen !== null) return { kind: 'answered', reply: row.screen }
    return { kind: 'ended' }
  }

  function seenOf(account: Address): number {
    const [row] = sql.exec<{ seen: number }>(
      'SELECT count(*) AS seen FROM payments WHERE account = ?',
      account,
    )
    return row?.seen ?? 0
  }

  /** Whether another session of the account is between its claim and its record. */
  function isClaiming(account: Address, session: string): boolean {
    const others = sql.exec(
      `SELECT 1 AS one FROM sessions
       WHERE account = ? AND state = 'claimed' AND session <> ? AND lease_until > ? LIMIT 1`,
      account,
      session,
      now(),
    )
    return others.length > 0
  }

  function decide(
    question: Question & { steps: number },
    state: 'refused' | 'accepted',
    screen: string,
  ): void {
    sql.exec(
      `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, ?)
       ON CONFLICT (session) DO UPDATE SET state = excluded.state, input = excluded.input,
         steps = excluded.steps, screen = excluded.screen, token = NULL, lease_until = NULL,
         decided_at = excluded.decided_at`,
      question.session,
      state,
      question.account,
      question.input,
      question.steps,
      screen,
      now(),
    )
  }

  /** The bytes with the highest price recorded for a nonce: those that others have to outbid. */
  function dearest(nonce: number): TransactionRow | undefined {
    return sql.exec<TransactionRow>(
      `SELECT * FROM transactions WHERE nonce = ?
       ORDER BY length(gas_price) DESC, gas_price DESC LIMIT 1`,
      nonce,
    )[0]
  }

  function slotOf(nonce: number): Slot {
    const prior = dearest(nonce)
    return { nonce, priorGasPriceWei: prior === undefined ? undefined : BigInt(prior.gas_price) }
  }

  function leaseNonce(nonce: number, token: string, session: string | undefined): void {
    sql.exec(
      `INSERT INTO nonces (nonce, state, session, token, lease_until, changed_at)
       VALUES (?, 'leased', ?, ?, ?, ?)
       ON CONFLICT (nonce) DO UPDATE SET state = 'leased', session = excluded.session,
         token = excluded.token, lease_until = excluded.lease_until, changed_at = excluded.changed_at`,
      nonce,
      session ?? null,
      token,
      now() + rules.leaseMs,
      now(),
    )
  }

  /** Lets go of nonces that a token reserved and never recorded for. */
  function letGo(token: string): void {
    sql.exec(
      `UPDATE nonces SET token = NULL, lease_until = 0, session = NULL
       WHERE state = 'leased' AND token = ?`,
      token,
    )
  }

  function isAnythingOpen(): boolean {
    const open = sql.exec(
      `SELECT 1 AS one FROM nonces WHERE state IN ('leased', 'recorded')
       UNION ALL
       SELECT 1 FROM payments WHERE state IN ('queued', 'signed', 'broadcast', 'mined') LIMIT 1`,
    )
    return open.length > 0
  }

  function nextNonce(): number | undefined {
    const [row] = sql.exec<{ next: number | null }>('SELECT max(nonce) + 1 AS next FROM nonces')
    return row?.next ?? undefined
  }

  /**
   * The lowest nonce that nobody holds and that comes after the account's open payments: one whose
   * holder never recorded, else the next one. Undefined where the pool would refuse it, or where older
   * payments wait for one.
   */
  function freeNonce({ chainNonce, poolNonce, account }: Claiming): number | undefined {
    // What the chain has passed can carry nothing any more.
    sql.exec(
      `DELETE FROM nonces WHERE state = 'leased' AND lease_until <= ? AND nonce < ?`,
      now(),
      chainNonce,
    )
    const [waiting] = sql.exec(
      `SELECT 1 AS one FROM payments WHERE state = 'queued' AND attempts < ?
         AND json_extract(request, '$.deadline') > ? LIMIT 1`,
      rules.maxAttempts,
      Math.floor(now() / 1000),
    )
    if (waiting !== undefined) return undefined
    const [abandoned] = sql.exec<{ nonce: number }>(
      `SELECT nonce FROM nonces WHERE state = 'leased' AND lease_until <= ? AND nonce > coalesce(
         (SELECT max(nonce) FROM payments WHERE account = ? AND state IN ('signed', 'broadcast')), -1)
       ORDER BY nonce LIMIT 1`,
      now(),
      account,
    )
    const nonce = abandoned?.nonce ?? Math.max(chainNonce, poolNonce, nextNonce() ?? 0)
    return nonce < chainNonce + rules.maxInFlight ? nonce : undefined
  }

  function insertTransaction(nonce: number, transaction: SignedTransaction): void {
    sql.exec(
      `INSERT INTO transactions (hash, nonce, raw, gas_price, recorded_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (hash) DO NOTHING`,
      transaction.hash,
      nonce,
      transaction.raw,
      `${transaction.gasPriceWei}`,
      now(),
    )
  }

  function insertPayment(session: string, order: Order, state: PaymentState): void {
    sql.exec(
      `INSERT INTO payments
         (session, state, intent_id, account, label, spends, request, accepted_at, changed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      session,
      state,
      order.request.intentId,
      order.request.from,
      order.label,
      `${order.spendsWei}`,
      JSON.stringify(order.request),
      now(),
      now(),
    )
  }

  /** Moves a payment on; the caller has checked that it may. */
  function move(
    row: PaymentRow,
    to: PaymentState,
    columns: Record<string, SqlValue> = {},
  ): Transition {
    const all: Record<string, SqlValue> = { ...columns, state: to, changed_at: now() }
    const assignments = Object.keys(all).map((name) => `${name} = ?`)
    sql.exec(
      `UPDATE payments SET ${assignments.join(', ')} WHERE session = ?`,
      ...Object.values(all),
      row.session,
    )
    return {
      intentId: row.intent_id,
      label: row.label,
      from: row.state,
      to,
      hash: (all.hash as Hex | null | undefined) ?? row.hash ?? undefined,
      reason: (all.reason as string | null | undefined) ?? row.reason ?? '',
    }
  }

  const executionColumns = (execution: Execution): Record<string, SqlValue> => ({
    outcome: execution.outcome,
    reason: execution.reason,
    hash: execution.hash,
    block_number: execution.block.number,
    block_hash: execution.block.hash,
  })

  const NO_EXECUTION: Record<string, SqlValue> = {
    outcome: null,
    reason: null,
    hash: null,
    block_number: null,
    block_hash: null,
  }

  const isCarried = (state: PaymentState): boolean => state === 'signed' || state === 'broadcast'

  /** Its transaction did nothing for it: it waits for another nonce. */
  function requeue(row: PaymentRow): Transition {
    return move(row, 'queued', { ...NO_EXECUTION, nonce: null, attempts: row.attempts + 1 })
  }

  function paymentOf(row: PaymentRow): Payment {
    const settled = row.outcome !== null && row.hash !== null && row.block_hash !== null
    return {
      session: row.session,
      state: row.state,
      order: {
        request: JSON.parse(row.request),
        label: row.label,
        spendsWei: BigInt(row.spends),
      },
      nonce: row.nonce ?? undefined,
      attempts: row.attempts,
      execution: settled
        ? {
            outcome: row.outcome as 'executed' | 'failed',
            reason: row.reason ?? '',
            hash: row.hash as Hex,
            block: { number: row.block_number ?? 0, hash: row.block_hash as Hex },
          }
        : undefined,
      acceptedAt: row.accepted_at,
    }
  }

  const paymentsIn = (...states: PaymentState[]): Payment[] =>
    sql
      .exec<PaymentRow>(
        `SELECT * FROM payments WHERE state IN (${states.map(() => '?').join(', ')})
         ORDER BY accepted_at, session LIMIT ${WORK_LIMIT}`,
        ...states,
      )
      .map(paymentOf)

  return atomically(sql, {
    identify(identity: Identity): Identified {
      const given = { chain: `${identity.chainId}`, ...identity.fingerprints }
      const names: string[] = []
      for (const [name, value] of Object.entries(given)) {
        const known = meta.get(`identity.${name}`)
        const mayMove = movableIdentity.includes(name) && !isAnythingOpen()
        if (known === undefined || mayMove) meta.set(`identity.${name}`, value)
        else if (known !== value) names.push(name)
      }
      return names.length === 0 ? { kind: 'same' } : { kind: 'different', names }
    },

    lookup({ session, input, account }: Question): Decided | Undecided {
      const decided = decidedOf(session, sessionRow(session), input)
      if (decided !== undefined) return decided
      const open = sql
        .exec<{ request: string }>(
          `SELECT request FROM payments WHERE account = ? AND state IN ('queued', 'signed', 'broadcast')
           ORDER BY accepted_at, session LIMIT ${MAX_OPEN}`,
          account,
        )
        .map((row) => JSON.parse(row.request))
      return { kind: 'undecided', open, seen: seenOf(account), busy: isClaiming(account, session) }
    },

    refuse(refusing: Refusing): Decided | { kind: 'refused' } {
      const row = sessionRow(refusing.session)
      const decided = decidedOf(refusing.session, row, refusing.input)
      const own = row?.state === 'claimed' && row.token === refusing.token
      if (decided !== undefined && !own) return decided
      if (own) letGo(refusing.token)
      decide(refusing, 'refused', refusing.reply)
      return { kind: 'refused' }
    },

    claim(claiming: Claiming): Decided | Claimed | { kind: 'changed' } {
      const { session, input, account, token, seen } = claiming
      const row = sessionRow(session)
      if (row?.state === 'claimed' && row.token === token && row.input === input) {
        const [held] = sql.exec<{ nonce: number }>(
          `SELECT nonce FROM nonces WHERE state = 'leased' AND token = ?`,
          token,
        )
        return { kind: 'claimed', slot: held === undefined ? undefined : slotOf(held.nonce) }
      }
      const decided = decidedOf(session, row, input)
      if (decided !== undefined) return decided
      if (seen !== undefined && (isClaiming(account, session) || seen !== seenOf(account))) {
        return { kind: 'changed' }
      }
      // A holder before us never recorded: its token is dead from here on, and its nonce's lease ended
      // with the session's.
      const nonce = freeNonce(claiming)
      sql.exec(
        `INSERT INTO sessions VALUES (?, 'claimed', ?, ?, ?, NULL, ?, ?, ?)
         ON CONFLICT (session) DO UPDATE SET input = excluded.input, steps = excluded.steps,
           token = excluded.token, lease_until = excluded.lease_until, decided_at = excluded.decided_at`,
        session,
        account,
        input,
        claiming.steps,
        token,
        now() + rules.leaseMs,
        now(),
      )
      if (nonce === undefined) return { kind: 'claimed', slot: undefined }
      leaseNonce(nonce, token, session)
      return { kind: 'claimed', slot: slotOf(nonce) }
    },

    record({ session, token, order, reply, transaction }: Acceptance): Recorded {
      const row = sessionRow(session)
      if (row === undefined || row.token !== token) return { kind: 'fenced' }
      // The same record again: its first answer was lost on the way.
      if (row.state === 'accepted') return { kind: 'recorded' }
      if (transaction !== undefined) {
        const held = nonceRow(transaction.nonce)
        if (held?.state !== 'leased' || held.token !== token) return { kind: 'fenced' }
        sql.exec(
          `UPDATE nonces SET state = 'recorded', session = ?, token = NULL, lease_until = NULL,
             changed_at = ? WHERE nonce = ?`,
          session,
          now(),
          transaction.nonce,
        )
        insertTransaction(transaction.nonce, transaction)
      } else {
        letGo(token)
      }
      insertPayment(session, order, transaction === undefined ? 'queued' : 'signed')
      sql.exec(
        'UPDATE payments SET nonce = ? WHERE session = ?',
        transaction?.nonce ?? null,
        session,
      )
      // The token stays, so that a repeated record is known; without a lease it opens nothing.
      sql.exec(
        `UPDATE sessions SET state = 'accepted', screen = ?, lease_until = NULL, decided_at = ?
         WHERE session = ?`,
        reply,
        now(),
        session,
      )
      return { kind: 'recorded' }
    },

    adopt(adoption: Adoption): Decided | { kind: 'adopted' } {
      const row = sessionRow(adoption.session)
      const decided = decidedOf(adoption.session, row, adoption.input)
      if (decided !== undefined) return decided
      insertPayment(adoption.session, adoption.order, 'queued')
      const payment = paymentRow(adoption.session)
      if (payment !== undefined) move(payment, 'mined', executionColumns(adoption.execution))
      decide(adoption, 'accepted', adoption.reply)
      return { kind: 'adopted' }
    },

    work(): Work {
      const head = meta.get('head')
      const behindSince = meta.get('behind_since')
      const open = sql.exec<NonceRow>(
        `SELECT * FROM nonces WHERE state IN ('leased', 'recorded') ORDER BY nonce LIMIT ${WORK_LIMIT}`,
      )
      const nonces = open.map(
        (row): OpenNonce => ({
          nonce: row.nonce,
          session: row.session ?? undefined,
          state: row.state as 'leased' | 'recorded',
          leaseLive: row.state === 'leased' && (row.lease_until ?? 0) > now(),
          transactions: sql
            .exec<TransactionRow>('SELECT * FROM transactions WHERE nonce = ?', row.nonce)
            .map((transaction) => ({
              hash: transaction.hash,
              raw: transaction.raw,
              gasPriceWei: BigInt(transaction.gas_price),
              recordedAt: transaction.recorded_at,
              sentAt: transaction.sent_at ?? undefined,
            }))
            .sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1)),
        }),
      )
      const headId = head === undefined ? undefined : (JSON.parse(head) as BlockId)
      return {
        now: now(),
        head: headId,
        behindSince: behindSince === undefined ? undefined : Number(behindSince),
        nextNonce: nextNonce() ?? 0,
        nonces,
        queued: paymentsIn('queued'),
        carried: paymentsIn('signed', 'broadcast'),
        mined: paymentsIn('mined'),
        // A payment may be settled by its own request before anybody has looked at a head.
        watching:
          sql.exec(
            'SELECT 1 AS one FROM payments WHERE block_number > ? LIMIT 1',
            headId === undefined ? -1 : headId.number - rules.watchBlocks,
          ).length > 0,
      }
    },

    blocks(above: number): BlockId[] {
      return sql
        .exec<{ number: number; hash: Hex }>(
          `SELECT block_number AS number, block_hash AS hash FROM nonces WHERE block_number > ?
           UNION SELECT block_number, block_hash FROM payments WHERE block_number > ?
           ORDER BY 1 DESC`,
          above,
          above,
        )
        .map(({ number, hash }) => ({ number, hash }))
    },

    payment(session: string): Payment | undefined {
      const row = paymentRow(session)
      return row === undefined ? undefined : paymentOf(row)
    },

    payments(account: Address, limit: number): Payment[] {
      return sql
        .exec<PaymentRow>(
          'SELECT * FROM payments WHERE account = ? ORDER BY accepted_at DESC, session LIMIT ?',
          account,
          limit,
        )
        .map(paymentOf)
    },

    lease({ nonce, token, chainNonce, session }: Leasing): Leased | { kind: 'taken' } {
      if (nonce < chainNonce || nonce >= chainNonce + rules.maxInFlight) return { kind: 'taken' }
      const row = nonceRow(nonce)
      if (row?.state === 'foreign') {
        if (now() - row.changed_at < rules.displacedMs) return { kind: 'taken' }
      } else if (row !== undefined) {
        if (row.state !== 'leased') return { kind: 'taken' }
        if (row.token !== token && (row.lease_until ?? 0) > now()) return { kind: 'taken' }
      }
      if (session !== undefined) {
        const payment = paymentRow(session)
        const isWaiting = payment?.state === 'queued' && payment.attempts < rules.maxAttempts
        if (!isWaiting) return { kind: 'taken' }
      }
      // The pool refused them, over what it has dropped by now: new bytes have nothing to outbid.
      if (row?.state === 'foreign') sql.exec('DELETE FROM transactions WHERE nonce = ?', nonce)
      leaseNonce(nonce, token, session)
      return { kind: 'leased', slot: slotOf(nonce) }
    },

    attach({ nonce, token, transaction }: Attachment): Recorded {
      const held = nonceRow(nonce)
      if (held?.state === 'recorded') {
        const known = sql.exec('SELECT 1 AS one FROM transactions WHERE hash = ?', transaction.hash)
        return { kind: known.length > 0 ? 'recorded' : 'fenced' }
      }
      if (held?.state !== 'leased' || held.token !== token) return { kind: 'fenced' }
      if (held.session !== null) {
        const payment = paymentRow(held.session)
        if (payment?.state !== 'queued') return { kind: 'fenced' }
        move(payment, 'signed', { nonce })
      }
      sql.exec(
        `UPDATE nonces SET state = 'recorded', token = NULL, lease_until = NULL, changed_at = ?
         WHERE nonce = ?`,
        now(),
        nonce,
      )
      insertTransaction(nonce, transaction)
      return { kind: 'recorded' }
    },

    replace({ nonce, over, carriesPayment, transaction }: Replacement): Recorded {
      const row = nonceRow(nonce)
      const top = dearest(nonce)
      if (top?.hash === transaction.hash) return { kind: 'recorded' }
      if (row?.state !== 'recorded' || top?.hash !== over) return { kind: 'fenced' }
      const payment = row.session === null ? undefined : paymentRow(row.session)
      const isNeeded = payment !== undefined && isCarried(payment.state)
      if (carriesPayment !== isNeeded) return { kind: 'fenced' }
      insertTransaction(nonce, transaction)
      return { kind: 'recorded' }
    },

    release(nonces: number[], chainNonce: number): void {
      for (const nonce of nonces) {
        sql.exec(
          `DELETE FROM nonces WHERE nonce = ? AND state = 'leased' AND lease_until <= ?
           AND (nonce < ? OR NOT EXISTS
             (SELECT 1 FROM nonces above WHERE above.nonce > ? AND above.state <> 'leased'))`,
          nonce,
          now(),
          chainNonce,
          nonce,
        )
      }
    },

    sent(hash: Hex, taken: boolean): Transition[] {
      sql.exec('UPDATE transactions SET sent_at = ? WHERE hash = ?', now(), hash)
      if (!taken) return []
      const [row] = sql.exec<PaymentRow>(
        `SELECT payments.* FROM transactions
         JOIN payments ON payments.nonce = transactions.nonce
         WHERE transactions.hash = ? AND payments.state = 'signed'`,
        hash,
      )
      return row === undefined ? [] : [move(row, 'broadcast', { hash })]
    },

    mined({ nonce, session, hash, block, execution }: MinedReport): Transition[] {
      const row = nonceRow(nonce)
      if (row?.state !== 'recorded' || row.session !== (session ?? null)) return []
      sql.exec(
        `UPDATE nonces SET state = 'mined', hash = ?, block_number = ?, block_hash = ?, changed_at = ?
         WHERE nonce = ?`,
        hash,
        block.number,
        block.hash,
        now(),
        nonce,
      )
      const payment = row.session === null ? undefined : paymentRow(row.session)
      if (payment === undefined || !isCarried(payment.state)) return []
      if (execution === undefined) return [requeue(payment)]
      return [move(payment, 'mined', executionColumns(execution))]
    },

    displaced(nonce: number): Transition[] {
      const row = nonceRow(nonce)
      if (row?.state !== 'recorded') return []
      sql.exec(`UPDATE nonces SET state = 'foreign', changed_at = ? WHERE nonce = ?`, now(), nonce)
      const payment = row.session === null ? undefined : paymentRow(row.session)
      return payment !== undefined && isCarried(payment.state) ? [requeue(payment)] : []
    },

    abandon(nonce: number): Transition[] {
      const row = nonceRow(nonce)
      if (row?.state !== 'recorded') return []
      // Its bytes stay: whoever gets the nonce later has to outbid them.
      sql.exec('DELETE FROM nonces WHERE nonce = ?', nonce)
      const payment = row.session === null ? undefined : paymentRow(row.session)
      return payment !== undefined && isCarried(payment.state) ? [requeue(payment)] : []
    },

    requeue(session: string): Transition[] {
      const row = paymentRow(session)
      if (row === undefined || !isCarried(row.state)) return []
      const carrier = row.nonce === null ? undefined : nonceRow(row.nonce)
      return carrier?.state === 'recorded' && carrier.session === session ? [] : [requeue(row)]
    },

    settle(session: string, execution: Execution): Transition[] {
      const row = paymentRow(session)
      if (row?.state !== 'queued') return []
      return [move(row, 'mined', executionColumns(execution))]
    },

    confirm(session: string, blockHash: Hex): Transition[] {
      const row = paymentRow(session)
      if (row?.state !== 'mined' || row.block_hash !== blockHash) return []
      return [move(row, row.outcome === 'executed' ? 'confirmed' : 'reverted')]
    },

    expire(session: string): Transition[] {
      const row = paymentRow(session)
      if (row === undefined || (row.state !== 'queued' && !isCarried(row.state))) return []
      if (row.nonce !== null) {
        sql.exec(
          `UPDATE nonces SET session = NULL, changed_at = ? WHERE nonce = ? AND session = ?`,
          now(),
          row.nonce,
          session,
        )
      }
      return [move(row, 'expired', { nonce: null })]
    },

    reopen(blockHash: Hex): Transition[] {
      sql.exec(
        `UPDATE nonces SET state = 'recorded', hash = NULL, block_number = NULL, block_hash = NULL,
           changed_at = ? WHERE state = 'mined' AND block_hash = ?`,
        now(),
        blockHash,
      )
      return sql
        .exec<PaymentRow>(
          `SELECT * FROM payments WHERE block_hash = ? AND state IN ('mined', 'confirmed', 'reverted')`,
          blockHash,
        )
        .map((row) => {
          // Adopted payments had no transaction of ours: their request finds a new one.
          const nonce = row.nonce === null ? undefined : nonceRow(row.nonce)
          return nonce?.state === 'recorded' && nonce.session === row.session
            ? move(row, 'broadcast', NO_EXECUTION)
            : move(row, 'queued', { ...NO_EXECUTION, nonce: null })
        })
    },

    sawHead(head: BlockId | undefined): void {
      if (head === undefined) {
        if (meta.get('behind_since') === undefined) meta.set('behind_since', `${now()}`)
        return
      }
      meta.set('head', JSON.stringify(head))
      meta.set('behind_since', undefined)
    },

    prune(): void {
      const before = now() - rules.retentionMs
      const settled = sql.exec<{ session: string; nonce: number | null }>(
        `SELECT session, nonce FROM payments
         WHERE changed_at < ? AND +state IN ('confirmed', 'reverted', 'expired')
         ORDER BY changed_at LIMIT ${WORK_LIMIT}`,
        before,
      )
      for (const { session, nonce } of settled) {
        sql.exec('DELETE FROM payments WHERE session = ?', session)
        if (nonce !== null) sql.exec('DELETE FROM transactions WHERE nonce = ?', nonce)
      }
      // By age alone (the pluses keep SQLite from other indexes): all but the oldest rows stay unread.
      // The highest row stays: it is what the next nonce is counted from.
      sql.exec(
        `DELETE FROM nonces WHERE changed_at < ? AND +state IN ('mined', 'foreign')
         AND +nonce < (SELECT max(nonce) FROM nonces)
         AND NOT EXISTS (SELECT 1 FROM payments WHERE payments.nonce = nonces.nonce)`,
        before,
      )
      // Bytes go with what they were recorded for, also those of nonces that carried nothing.
      sql.exec(
        `DELETE FROM transactions WHERE recorded_at < ?
         AND NOT EXISTS (SELECT 1 FROM nonces WHERE nonces.nonce = transactions.nonce)`,
        before,
      )
      sql.exec(
        `DELETE FROM sessions WHERE decided_at < ?
         AND NOT EXISTS (SELECT 1 FROM payments WHERE payments.session = sessions.session)`,
        before,
      )
    },
  })
}

/** The port's methods by their names; each adapter says how one is called. */
export const ledgerMethods = [
  'identify',
  'lookup',
  'refuse',
  'claim',
  'record',
  'adopt',
  'work',
  'blocks',
  'payment',
  'payments',
  'lease',
  'attach',
  'replace',
  'release',
  'sent',
  'mined',
  'displaced',
  'abandon',
  'requeue',
  'settle',
  'confirm',
  'expire',
  'reopen',
  'sawHead',
  'prune',
] as const satisfies readonly (keyof SqlLedger)[]

export type LedgerMethod = (typeof ledgerMethods)[number]

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

/** Calls a method of a synchronous ledger by its name. */
export function callLedger(ledger: SqlLedger, method: LedgerMethod, args: unknown[]): unknown {
  return (ledger[method] as (...args: unknown[]) => unknown)(...args)
}

/** A throw within a method takes back what the method wrote. */
function atomically<Methods extends Record<string, (...args: never[]) => unknown>>(
  sql: Sql,
  methods: Methods,
): Methods {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => sql.transaction(() => method(...args)),
  ])
  return Object.fromEntries(wrapped) as Methods
}
