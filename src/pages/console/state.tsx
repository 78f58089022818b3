import { findLackingRole, type RouteName } from '../../operator/access/roles.ts'
import { remedies } from '../../operator/remedies.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { showTime } from '../parts.tsx'

/** Is a page's title, and the route whose role it needs. */
export type NamedPage = readonly [title: string, route: RouteName]

/** Maps the path of each page to it. */
export const consolePages: Readonly<Record<string, NamedPage>> = {
  '/': ['Overview', 'GET /operator/status'],
  '/payments': ['Payments', 'GET /operator/payments'],
  '/support': ['Support', 'POST /operator/find'],
  '/loans': ['Loans', 'GET /operator/loans'],
  '/nodes': ['Nodes', 'GET /operator/status'],
  '/keys': ['API keys', 'GET /keys'],
  '/alerts': ['Alerts', 'GET /operator/alerts'],
  '/audit': ['Audit', 'GET /operator/audit'],
}

/** Shows on every page the deployment, its state, and when the state was read. */
export function StatusBar({ status, csrf }: { status: StatusAnswer; csrf: string }) {
  const { network, chainId, version, intake, alerts, health, now, you } = status
  const isBad = health.status !== 'ok' || intake.state !== 'open'
  const isRefusing = intake.state === 'open' && health.checks?.some(({ refuses }) => refuses)
  return (
    <nav aria-label="Console">
      <ul>
        {Object.entries(consolePages)
          .filter(([, [, route]]) => findLackingRole(you, route) === undefined)
          .map(([path, [title]]) => (
            <li>
              <a href={`/console${path.replace(/^\/$/, '')}`}>{title}</a>
            </li>
          ))}
      </ul>
      <p id="state" data-live class={isBad ? 'bad' : 'soft'}>
        {network} ({chainId}), version {version}; intake {intake.state}
        {isRefusing && ', but payments are refused'}; {alerts.length}{' '}
        {alerts.length === 1 ? 'alert' : 'alerts'}
        {health.failing.length > 0 && `; failing: ${health.failing.join(', ')}`}; as of{' '}
        {showTime(now)} UTC
      </p>
      <form method="post" action="/console/sign-out">
        <input type="hidden" name="csrf" value={csrf} />
        {you.name} ({you.role}) <button type="submit">Sign out</button>
      </form>
    </nav>
  )
}

export function SignIn({ isRefused, hasExpired }: { isRefused?: boolean; hasExpired?: boolean }) {
  return (
    <section>
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
export function NoAnswer({ ledgerError }: { ledgerError: string | undefined }) {
  return (
    <section>
      <p class="bad" role="alert">
        {ledgerError === undefined ? (
          <>
            The ledger answers, but another part that this page needs does not, such as a node. Look
            at <a href="/console/nodes">Nodes</a>, and for console.failed in the log.
          </>
        ) : (
          `${ledgerError}. ${remedies.ledger}`
        )}
      </p>
    </section>
  )
}
