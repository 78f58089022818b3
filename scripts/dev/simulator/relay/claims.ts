import type {
  Acceptance,
  Adoption,
  Claiming,
  Ledger,
  Refusing,
} from '../../../../src/relay/ledger/port.ts'
import type { SqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import type { World } from '../world.ts'

/** Answers a call of the ledger, and compares what it says of claims with what it was asked for before. */
export function watchClaims(
  { object, scheduler, records }: World,
  method: keyof Ledger,
  [asked]: unknown[],
  call: () => unknown,
): unknown {
  const { claims, isWhole, rules } = object
  const now = scheduler.now()
  for (const [token, { until }] of claims.live) if (until <= now) claims.live.delete(token)
  const answer = call()
  const { kind } = (answer ?? {}) as { kind?: string }
  const found = (words: string) => records.noticed.push(['claimed', words])
  const seen: Seen = { ...claims, until: now + rules.leaseMs, found }
  if (!isWhole) claims.live.clear()
  else if (method === 'claim' && kind === 'claimed') {
    judgeClaim(seen, asked as Claiming, answer as never)
  } else if (method === 'record') judgeRecord(seen, asked as Acceptance, `${kind}`)
  else if (method === 'adopt' && kind === 'adopted') outdate(seen, asked as Adoption)
  else if (method === 'refuse' && kind === 'refused') forget(seen, (asked as Refusing).session)
  return answer
}

type Seen = World['object']['claims'] & {
  until: number
  found: (words: string) => void
}

const othersOf = ({ live }: Seen, { session, account }: Pick<Adoption, 'session' | 'account'>) =>
  [...live.values()].filter((one) => one.account === account && one.session !== session)

/** There is a payment that other claims of the account do not know. */
function outdate(seen: Seen, own: Pick<Adoption, 'session' | 'account'>): void {
  for (const one of othersOf(seen, own)) one.isOutdated = one.isChecked
}

function forget({ live }: Seen, session: string): void {
  for (const [token, one] of live) if (one.session === session) live.delete(token)
}

/** A token gets its own claim back, and one session of an account at a time passes on a view of it. */
function judgeClaim(
  watch: Seen,
  claiming: Claiming,
  { slot }: Extract<ReturnType<SqlLedger['claim']>, { kind: 'claimed' }>,
): void {
  const { live, until, found } = watch
  const { session, account, token, seen } = claiming
  const nonce = slot?.nonce
  const own = live.get(token)
  if (own !== undefined) {
    if (own.nonce !== nonce) found(`the claim of nonce ${own.nonce} comes back with ${nonce}`)
    return
  }
  const isChecked = seen !== undefined
  if (isChecked && othersOf(watch, claiming).length > 0) {
    found(`${session} is claimed while another session of the account is`)
  }
  if (nonce !== undefined && [...live.values()].some((one) => one.nonce === nonce)) {
    found(`nonce ${nonce} is claimed twice`)
  }
  forget(watch, session)
  live.set(token, { session, account, until, nonce, isOutdated: false, isChecked })
}

/** Nothing is recorded after a lease or on a view that the account has outgrown, and nothing else refused. */
function judgeRecord(
  seen: Seen,
  { session, token, order, transaction }: Acceptance,
  kind: string,
): void {
  const { live, recorded, found } = seen
  const own = live.get(token)
  const isAgain = recorded.has(token)
  if (kind === 'fenced') {
    const isHeld = transaction === undefined || transaction.nonce === own?.nonce
    const isGood = own !== undefined && !own.isOutdated && own.session === session && isHeld
    if (isAgain || isGood) found(`the record of ${session} is fenced, which was claimed`)
  }
  if (kind !== 'recorded') return
  if (!isAgain && own === undefined) found(`${session} is recorded after its lease`)
  if (own?.isOutdated) found(`${session} is recorded on an older view of its account`)
  if (!isAgain) outdate(seen, { session, account: order.request.from })
  recorded.add(token)
  forget(seen, session)
}
