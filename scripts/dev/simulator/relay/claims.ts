import type {
  Acceptance,
  Adoption,
  Claiming,
  Ledger,
  Work,
} from '../../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import type { SqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'

export type ClaimWatchOptions = {
  ledger: SqlLedger
  leaseMs: number
  now: () => number
  /** Whether any row was lost: a claim may be gone with it. */
  isWhole: () => boolean
  found: (words: string) => void
}

/** A claim whose lease lasts. */
type Live = {
  session: string
  account: string
  until: number
  nonce: number | undefined
  /** It was checked against the account's other payments, and there are new ones. */
  isOutdated: boolean
  isChecked: boolean
}

/**
 * The ledger, looked at from outside: what it says of claims is compared with what it was asked for.
 * While one session of an account is between its claim and its record, no other passes on that view of
 * it; a token gets its own claim back; a nonce whose holder never recorded goes to the next claim; and
 * nothing is recorded after a lease, or on a view that the account has outgrown.
 */
export function watchClaims(options: ClaimWatchOptions): SqlLedger {
  const { ledger, leaseMs, now, isWhole, found } = options
  const live = new Map<string, Live>()
  /** Tokens that have recorded: they are told so again. */
  const recorded = new Set<string>()
  const othersOf = (session: string, account: string) =>
    [...live.values()].filter((one) => one.account === account && one.session !== session)

  function forget(session: string): void {
    for (const [token, one] of live) if (one.session === session) live.delete(token)
  }

  function judgeClaim(
    claiming: Claiming,
    work: Work,
    answer: ReturnType<SqlLedger['claim']>,
  ): void {
    const { session, account, token, seen } = claiming
    if (answer.kind !== 'claimed') return
    const nonce = answer.slot?.nonce
    const own = live.get(token)
    if (own !== undefined) {
      if (own.nonce !== nonce) found(`the claim of nonce ${own.nonce} comes back with ${nonce}`)
      return
    }
    if (seen !== undefined && othersOf(session, account).length > 0) {
      found(`${session} is claimed while another session of the account is`)
    }
    const free = freeOf(claiming, work)
    if (nonce !== undefined && free.length > 0 && !free.slice(0, 1).includes(nonce)) {
      found(`a claim gets nonce ${nonce}, and ${free[0]} was given back`)
    }
    if (nonce !== undefined && [...live.values()].some((one) => one.nonce === nonce)) {
      found(`nonce ${nonce} is claimed twice`)
    }
    forget(session)
    const view = { isOutdated: false, isChecked: seen !== undefined }
    live.set(token, { session, account, until: now() + leaseMs, nonce, ...view })
  }

  function judgeRecord({ session, token, order }: Acceptance): void {
    const own = live.get(token)
    if (!recorded.has(token) && own === undefined) found(`${session} is recorded after its lease`)
    if (own?.isOutdated) found(`${session} is recorded on an older view of its account`)
    if (!recorded.has(token)) outdate(session, order.request.from)
    recorded.add(token)
    forget(session)
  }

  /** There is a payment that other claims of the account do not know. */
  function outdate(session: string, account: string): void {
    for (const one of othersOf(session, account)) one.isOutdated = one.isChecked
  }

  function judge(method: keyof Ledger, [asked]: unknown[], answer: unknown): void {
    const { kind } = (answer ?? {}) as { kind?: string }
    const { session, account } = asked as Adoption
    if (method === 'record' && kind === 'recorded') judgeRecord(asked as Acceptance)
    if (method === 'adopt' && kind === 'adopted') outdate(session, account)
    if (method === 'refuse' && kind === 'refused') forget(session)
    if (method !== 'lookup' || kind !== 'undecided') return
    const isBusy = othersOf(session, account).length > 0
    const { busy } = answer as { busy: boolean }
    if (isBusy !== busy) found(`${account} is said to be busy: ${busy}`)
  }

  return ledgerThrough<SqlLedger>((method, args) => {
    const call = () => (ledger[method] as (...args: unknown[]) => unknown)(...args)
    if (!watched.has(method)) return call()
    for (const [token, { until }] of live) if (until <= now()) live.delete(token)
    if (!isWhole()) {
      live.clear()
      return call()
    }
    const work = method === 'claim' ? ledger.work() : undefined
    const answer = call()
    if (work !== undefined) judgeClaim(args[0] as Claiming, work, answer as never)
    judge(method, args, answer)
    return answer
  })
}

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
