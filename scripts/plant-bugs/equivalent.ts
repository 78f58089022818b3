/** A change that leaves the ledger's promises what they are, and why nothing can notice it. */
type Equivalent = Place & { why: string }

/** What is mutated, and how in words. */
type Place = { file: string; within: string; was: string; words: string }

const orAnd = 'an or is an and'
const andOr = 'an and is an or'
const atLeast = 'more is at least'
const atMost = 'a less is at most'
const isNotDone = 'it is not done'
const guard = 'a guard is gone'

const listLength = 'it says how many a list tells of at most: a later round has the others'
const noList = 'no list tells of what is settled, and no restore asks whether it waits'
const forRestore =
  'it says besides what a restored payment is to be doubted by: a suite of restores holds it'
const transitions = 'src/relay/ledger/transitions.ts'
const steps = 'src/relay/ledger/steps.ts'
const nonces = 'src/relay/ledger/life/nonces.ts'
const payments = 'src/relay/ledger/life/payments.ts'
const sums = 'src/relay/ledger/life/sums.ts'
const plan = 'src/relay/tend/plan.ts'
const facts = 'src/relay/tend/facts.ts'

const millisecond = 'no promise depends on the millisecond at which it ends'
const oneSession = 'two payments are never of one session'
const together = 'the columns are null together'
const asItWas = 'the row is written as it was'
const forTwo =
  'it is for two processes: on one object nothing comes between. A test on Redis holds it'

const forOperators = 'it is for operators, whom no history has. Suites of the port hold it'

/** File, what it stands in, what stands there, the change, and the reason. */
const table: readonly (readonly [string, string, string, string, string])[] = [
  [nonces, 'isLive', 'lease.until > now', atLeast, millisecond],
  [steps, 'isLeased', '(lease_until ?? 0) > now', atLeast, millisecond],
  [steps, 'isClaiming', 'until > rows.now', atLeast, millisecond],
  [sums, 'others', 'end > rows.now', atLeast, millisecond],
  [steps, 'lease', 'rows.now - row.changed_at < rules.displacedMs', atMost, millisecond],
  [facts, 'isAwaited', 'now - (behindSince ?? now) < rules.regressionMs', atMost, millisecond],
  [facts, 'isReceiptOverdue', 'work.now - since > missingReceiptMs', atLeast, millisecond],
  [facts, 'isWatched', 'work.now - (latest?.recordedAt ?? 0) < watchedMs', atMost, millisecond],
  [
    ...([facts, 'isUnknown', 'number <= head.number', 'at most is less'] as const),
    'the head itself tells of its own height, so nothing there is unknown',
  ],
  [
    ...([facts, 'keepsOrder', '(other.nonce ?? -1) > nonce', atLeast] as const),
    'a free nonce carries nothing',
  ],
  [facts, 'overduePayments', 'order.request.deadline < seconds', atMost, millisecond],
  [
    ...([facts, 'dueOffers'] as const),
    ...(['silentMs < offeredAfterMs(latest, rules)'] as const),
    ...([atMost, millisecond] as const),
  ],
  [facts, 'isStuck', 'silentMs < rules.rebroadcastMs * 2', atMost, millisecond],
  [
    ...([facts, 'isStuck', 'work.now - recordedAt >= rules.replaceAfterMs'] as const),
    ...(['at least is more', millisecond] as const),
  ],
  [
    facts,
    'isPoolCountWrong',
    'work.now - acceptedAt > ledgerRules.displacedMs',
    atLeast,
    millisecond,
  ],
  [facts, 'waitingPayments', 'order.request.deadline > timestampSeconds', atLeast, millisecond],
  [
    ...([facts, 'isCountShort', 'open < work.nextNonce - count', atMost] as const),
    'it asks for blocks that it need not look at',
  ],
  [
    ...([facts, 'open', 'nonce >= count', 'at least is more'] as const),
    'it asks for blocks that it need not look at',
  ],
  [
    ...([facts, 'fillings', 'nonce >= top', 'at least is more'] as const),
    'the highest recorded nonce is taken',
  ],
  [
    ...([facts, 'dueOffers', 'if (latest === undefined) return []', guard] as const),
    'a recorded nonce has a transaction: it is there for the types',
  ],
  [
    ...([plan, 'planExpire', "if (deepTimeSeconds.kind === 'unknown') return []", guard] as const),
    'nothing is overdue by a time that is not there: it is there for the types',
  ],
  [
    ...([plan, 'planAbandon', "if (countAgain.kind === 'unknown') return []", guard] as const),
    'nothing is out of reach by a count that is not there: it is there for the types',
  ],
  [steps, 'claim', 'leases.length < known.leases.length', atMost, asItWas],
  [
    ...([facts, 'isAnyOverdue', 'order.request.deadline < timestampSeconds', atMost] as const),
    'blocks are followed down a moment earlier',
  ],
  [
    nonces,
    'releaseLease',
    'if (relayer.leases.every((lease) => lease.token !== token)) return',
    guard,
    asItWas,
  ],
  [sums, 'noteClaim', 'if (account.claims.length === 0 && until === null) return', guard, asItWas],
  [
    ...([sums, 'queueOf', "rows.row('meta', 'queue') === undefined"] as const),
    ...(['an equal is a different', 'it is counted again by whatever asks next'] as const),
  ],
  [steps, 'isNews', 'rows.now - last.toldAt >= obstacleMs', 'at least is more', millisecond],
  [nonces, 'claims', 'until > rows.now', atLeast, millisecond],
  [steps, 'leases', 'lease.nonce < highest', atMost, 'a nonce that is recorded is not leased'],
  [steps, 'work', 'if (isRestoring(rows)) return nothingOpen(at)', guard, forOperators],
  ...(
    [
      ["waiting: { list: 'queued', isDecided: false, waits: true }", 'waits is false', forRestore],
      ["stuck: { list: 'stuck', isDecided: false, waits: true }", 'waits is false', forRestore],
      ["carried: { list: 'carried', isDecided: false, waits: false }", 'waits is true', listLength],
      ["mined: { list: 'mined', isDecided: true, waits: false }", 'waits is true', listLength],
      ['settled: { list: undefined, isDecided: true, waits: false }', 'waits is true', noList],
    ] as const
  ).map(([was, words, why]) => [transitions, 'phaseRules', was, words, why] as const),

  [payments, 'savePayment', 'a[0] < b[0]', atMost, oneSession],
  [
    ...([nonces, 'bytesOf', 'a.gasPriceWei < b.gasPriceWei', atMost] as const),
    'later bytes of a nonce outbid the earlier ones: no two prices are equal',
  ],
  ...['waiting > 0', 'until > rows.now / 1000'].map(
    (was) =>
      [
        ...([nonces, 'freeNonce', was, atLeast] as const),
        'a queue without payments has the deadline 0, and a second more or less is no promise',
      ] as const,
  ),
  [
    ...([nonces, 'given', 'lease.nonce > last', atLeast] as const),
    'a nonce that carries an open payment is not leased',
  ],
  [nonces, 'row', 'relayer === null || nonce === null', orAnd, together],
  [sums, 'noteBlock', 'is === null || number === null', orAnd, together],
  [sums, 'noteBlock', 'if (was === is) return', guard, 'the row is written with the same entries'],
  ...[
    'outcome !== null && hash !== null',
    'outcome !== null && hash !== null && number !== null',
    'outcome !== null && hash !== null && number !== null && blockHash !== null',
  ].map((was) => [payments, 'isSettled', was, andOr, together] as const),
  [payments, 'savePayment', 'before && isUnsettled(before.state)', andOr, asItWas],
  [payments, 'savePayment', 'saveQueue(rows, queueOf(rows))', isNotDone, forTwo],
  [
    ...([payments, 'savePayment', "before === undefined || before.phase === 'settled'"] as const),
    ...([orAnd, forTwo] as const),
  ],
  [payments, 'savePayment', "before.phase === 'settled'", 'an equal is a different', forTwo],
  ...(
    [
      ["nonce === null && (before === undefined || before.phase === 'settled')", andOr],
      ['nonce === null', 'an equal is a different'],
      ['before === undefined', 'an equal is a different'],
    ] as const
  ).map(([was, words]) => [payments, 'savePayment', was, words, forTwo] as const),
  [
    ...([sums, 'queueOf', 'saveQueue(rows, queue)', isNotDone] as const),
    'it is counted again by whatever asks next',
  ],
  [
    ...([steps, 'reopen', "rows.drop('blocks', blockHash)", isNotDone] as const),
    'what leaves the block takes the row along: this is for what was lost of it',
  ],
  [
    ...([steps, 'claim', "if (intakeOf(rows).kind !== 'open') return { kind: 'paused' }"] as const),
    ...([guard, forOperators] as const),
  ],
  ...(['identity && identified(at, identity)', 'identity && hasMoved(at, identity)'] as const).map(
    (was) => [steps, 'vitals', was, andOr, forOperators] as const,
  ),
  ...(
    [
      [steps, 'refuse', "count(rows, 'refused', refusing.obstacle ?? 'own')"],
      [steps, 'vitals', 'probe(at.rows)'],
      [steps, 'prune', 'pruneAudit(rows, pruneLimit)'],
      [payments, 'begin', 'count(rows, kind, event)'],
      [payments, 'move', 'count(rows, kind, event)'],
    ] as const
  ).map(([file, within, was]) => [file, within, was, isNotDone, forOperators] as const),
]

export const equivalent: readonly Equivalent[] = table.map(([file, within, was, words, why]) => ({
  ...{ file, within, was, words, why },
}))

/** Whether nothing can notice a mutation, by the table of this file. */
export function isEquivalent(mutation: Place): boolean {
  return equivalent.some(({ file, within, was, words }) => {
    const isPlace = mutation.file === file && mutation.within === within
    return isPlace && mutation.was === was && mutation.words === words
  })
}
