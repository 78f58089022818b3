import type { Mutation } from './mutations.ts'

/** A change that leaves the ledger's promises what they are, and why nothing can notice it. */
type Equivalent = { file: string; line: string; words: string; why: string }

const orAnd = 'an or is an and'
const andOr = 'an and is an or'

export const equivalent: readonly Equivalent[] = [
  {
    file: 'steps.ts',
    line: "if (leases.length < known.leases.length) rows.put('relayers', relayer)",
    words: 'a less is at most',
    why: 'the row is written as it was',
  },
  {
    file: 'steps.ts',
    line: '].sort((a, b) => a.accepted_at - b.accepted_at || (a.session < b.session ? -1 : 1))',
    words: 'a less is at most',
    why: 'two payments are never of one session',
  },
  {
    file: 'payments.ts',
    line: 'open.sort((a, b) => a[2] - b[2] || (a[0] < b[0] ? -1 : 1))',
    words: 'a less is at most',
    why: 'two payments are never of one session',
  },
  {
    file: 'nonces.ts',
    line: '.sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1))',
    words: 'a less is at most',
    why: 'later bytes of a nonce outbid the earlier ones: no two prices are equal',
  },
  {
    file: 'nonces.ts',
    line: 'if (waiting > 0 && until > rows.now / 1000) return undefined',
    words: 'more is at least',
    why: 'a queue without payments has the deadline 0, and a second more or less is no promise',
  },
  {
    file: 'nonces.ts',
    line: '.filter((lease) => !isLive(lease, rows.now) && lease.nonce > last)',
    words: 'more is at least',
    why: 'a nonce that carries an open payment is not leased',
  },
  {
    file: 'nonces.ts',
    line: 'export const isLive = (lease: Lease, now: number): boolean => lease.until > now',
    words: 'more is at least',
    why: 'no promise depends on the millisecond at which a lease ends',
  },
  {
    file: 'steps.ts',
    line: "return (row.lease_until ?? 0) > rows.now ? { kind: 'pending' } : undefined",
    words: 'more is at least',
    why: 'no promise depends on the millisecond at which a lease ends',
  },
  {
    file: 'steps.ts',
    line: 'return claims.some(([other, until]) => other !== session && until > rows.now)',
    words: 'more is at least',
    why: 'no promise depends on the millisecond at which a claim ends',
  },
  {
    file: 'sums.ts',
    line: 'const others = account.claims.filter(([other, end]) => other !== session && end > rows.now)',
    words: 'more is at least',
    why: 'no promise depends on the millisecond at which a claim ends',
  },
  {
    file: 'steps.ts',
    line: 'if (isForeign && rows.now - row.changed_at < rules.displacedMs) return taken',
    words: 'a less is at most',
    why: 'no promise depends on the millisecond at which foreign bytes are given up',
  },
  {
    file: 'nonces.ts',
    line: "const row = relayer === null || nonce === null ? undefined : rows.row('nonces', relayer, nonce)",
    words: orAnd,
    why: 'the two columns are null together',
  },
  {
    file: 'sums.ts',
    line: 'if (is === null || number === null) return',
    words: orAnd,
    why: 'the two columns are null together',
  },
  {
    file: 'payments.ts',
    line: 'const isSettled = outcome !== null && hash !== null && number !== null && blockHash !== null',
    words: andOr,
    why: 'outcome, number and hash of the block are null together',
  },
  {
    file: 'payments.ts',
    line: 'const [wasOpen, isOpen] = [before && isUnsettled(before.state), isUnsettled(after.state)]',
    words: andOr,
    why: 'the account is written as it was',
  },
  {
    file: 'payments.ts',
    line: 'saveQueue(rows, queueOf(rows))',
    words: 'a sum is not kept',
    why: 'it is for two processes: on one object nothing comes between. A test on Redis holds it',
  },
  ...[andOr, orAnd, 'an equal is a different'].map((words) => ({
    file: 'payments.ts',
    line: "} else if (nonce === null && (before === undefined || before.phase === 'settled')) {",
    words,
    why: 'the row is written as it was, more often or less: that is for two processes',
  })),
  {
    file: 'sums.ts',
    line: 'saveQueue(rows, counted)',
    words: 'a sum is not kept',
    why: 'it is counted anew by whatever asks next',
  },
  {
    file: 'steps.ts',
    line: "rows.drop('blocks', blockHash)",
    words: 'a row is not written',
    why: 'what leaves the block takes the row along: this is for what was lost of it',
  },
]

/** Whether nothing can notice a mutation, by the table of this file. */
export function isEquivalent({ file, was, words }: Mutation): boolean {
  return equivalent.some(
    (one) => file.endsWith(`/${one.file}`) && one.line === was && one.words === words,
  )
}
