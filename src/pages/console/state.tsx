import { findLackingRole, nameOperator, type RouteName } from '../../operator/access.ts'
import { remedies } from '../../operator/remedies.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { LedgerSilent } from '../../operator/service.ts'
import { getPageZone, Prose, tellClock } from '../parts.tsx'
import { judgeStatus } from './condition.ts'
import type { ConsoleSession } from './session.ts'

/** Is a page's title, the route whose role it needs, and the page of the menu that leads to it. */
export type NamedPage = readonly [title: string, route: RouteName, path: string]

export const consolePages: readonly NamedPage[] = [
  ['Overview', 'GET /operator/status', '/'],
  ['Payments', 'GET /operator/payments', '/payments'],
  ['Support', 'POST /operator/find', '/support'],
  ['Loans', 'GET /operator/loans', '/loans'],
  ['People', 'POST /operator/agents', '/people'],
  ['Alerts', 'GET /operator/alerts', '/alerts'],
  ['Audit', 'GET /operator/audit', '/audit'],
  ['API keys', 'GET /keys', '/keys'],
  ['System', 'GET /operator/status', '/system'],
]

type ConsoleMenuOptions = ConsoleSession & {
  current?: string
  /** Is not given while something gives no answer. */
  status?: StatusAnswer
}

/** Shows on every page where the reader is, the deployment, its state, and who is signed in. */
export function ConsoleMenu({ current, status, actor, csrf }: ConsoleMenuOptions) {
  return (
    <nav aria-label="Console">
      <div>
        <p id="state" data-live>
          {status && <StateLine status={status} isTold={current === '/'} />}
        </p>
        <form method="post" action="/console/sign-out">
          <input type="hidden" name="csrf" value={csrf} />
          {nameOperator(actor.name)} ({actor.role}) <button type="submit">Sign out</button>
        </form>
      </div>
      <ul>
        {consolePages
          .filter(([, route]) => findLackingRole(actor, route) === undefined)
          .map(([title, , path]) => (
            <li>
              <a
                href={`/console${path.replace(/^\/$/, '')}`}
                aria-current={path === current ? 'page' : undefined}
              >
                {title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}

/** Names the deployment and its time, and on all pages but the overview the state. */
function StateLine({ status, isTold }: { status: StatusAnswer; isTold: boolean }) {
  const { tone, title, troubles } = judgeStatus(status)
  const cause = tone === 'bad' ? troubles[0]?.says : undefined
  return (
    <>
      <b>{status.network}</b> {isTold || <span class={tone}>{title}</span>}{' '}
      {isTold || (cause && <Prose text={cause} you={status.you} />)}{' '}
      <span class="soft">
        {tellClock(status.now)}, all times in {getPageZone()}
      </span>
    </>
  )
}

export function SignIn({ isRefused, hasExpired }: { isRefused?: boolean; hasExpired?: boolean }) {
  return (
    <section class="card">
      <form method="post" action="/console/sign-in">
        <label>
          Your token <input name="token" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" class="main">
          Sign in
        </button>
      </form>
      {isRefused && <p role="alert">This is no operator’s token.</p>}
      {hasExpired && <p role="alert">Nothing was done: the session has ended. Sign in again.</p>}
    </section>
  )
}

/** Tells which part did not answer: the ledger, or another part that the page needs. */
export function NoAnswer({ error }: { error: Error }) {
  return (
    <section class="card">
      <p class="bad" role="alert">
        {error instanceof LedgerSilent ? (
          <Prose text={`${error.message}. ${remedies.ledger}`} />
        ) : (
          <>
            The ledger answers, but another part that this page needs does not, such as a node. Look
            at <a href="/console/system">System</a>, and for console.failed in the log.
          </>
        )}
      </p>
    </section>
  )
}
