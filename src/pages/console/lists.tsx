import { loanStates } from '../../loan/loan-book.ts'
import { remedies } from '../../operator/remedies.ts'
import type { LoansAnswer } from '../../operator/schemas/loans.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import type { Operator } from '../../operator/service.ts'
import { describeNode } from '../../operator/status.ts'
import { Command, FactList, Live, shortenHex, showMoney, showTime, Table } from '../parts.tsx'

type OperatorAnswer<Name extends 'alerts' | 'audit'> = Awaited<ReturnType<Operator[Name]>>

/** Describes an API key; the console shows only the start of `hash`. */
export type ShownKey = {
  hash: string
  name: string
  chainId: number
  quota: number | null
  createdAt: number
  revokedAt: number | null
  spentToday: number
}

const ageLabels: Readonly<Record<string, string>> = {
  not_due: 'Not due yet',
  to_7_days: 'Overdue up to 7 days',
  to_30_days: 'Overdue up to 30 days',
  to_90_days: 'Overdue up to 90 days',
  older: 'Overdue for longer',
}

const countLoans = (count: number) => (count === 1 ? '1 loan' : `${count} loans`)

export function Loans({ book }: { book: LoansAnswer }) {
  const { sums, ages, loans, currency, isWhole, block, head } = book
  const showWei = (wei: string) => showMoney(wei, currency)
  return (
    <>
      <Live name="book" title="Loan book">
        {!isWhole && (
          <p class="wait">Older loans may be missing: each look at this page reads more blocks.</p>
        )}
        <FactList
          facts={[
            ['Read up to block', `${block} of ${head}`],
            ['Lent', `${showWei(sums.lentWei)} in ${countLoans(sums.loans)}`],
            ['Repaid', showWei(sums.repaidWei)],
            ['Written off', showWei(sums.writtenOffWei)],
            ['Owed', showWei(sums.owedWei)],
            ...ages.map(
              ({ name, loans: count, owedWei }) =>
                [ageLabels[name] ?? name, `${showWei(owedWei)} in ${countLoans(count)}`] as const,
            ),
          ]}
        />
      </Live>
      <Live name="loans" title="Loans">
        <p>
          {loanStates.map((state) => (
            <>
              <a href={`/console/loans?state=${state}`}>{state}</a>{' '}
            </>
          ))}
          <a href="/console/loans.csv">All as CSV</a>
        </p>
        <Table
          name="Loans"
          head={['Borrower', 'State', 'Since', 'Due', 'Overdue, days', 'Owes', 'Repaid', 'Earlier']}
          rows={loans.map((loan) => [
            <a href={`/console/payments?account=${loan.borrower}`}>{shortenHex(loan.borrower)}</a>,
            loan.state,
            showTime(loan.issuedAt),
            showTime(loan.dueAt),
            loan.overdueDays,
            showWei(loan.owedWei),
            showWei(loan.repaidWei),
            loan.earlier,
          ])}
        />
      </Live>
    </>
  )
}

export function Nodes({ status }: { status: StatusAnswer }) {
  const failingCheck = status.health.checks?.find(
    ({ name, state }) => name === 'node' && state === 'failing',
  )
  return (
    <Live name="nodes" title="Nodes, as this process knows them">
      {failingCheck && (
        <p class="bad">
          {failingCheck.says}. {remedies.node}
        </p>
      )}
      <Table
        name="Nodes"
        head={['Node', 'State', 'Height', 'Since', 'Seen', 'p95, ms', 'Answers', 'Failures']}
        rows={status.nodes.map((node) => [
          node.label,
          failingCheck && node.state === 'able'
            ? 'able, but see above'
            : describeNode(node, status),
          node.height ?? '–',
          showTime(node.heightSince),
          showTime(node.heightAt),
          node.p95Ms ?? '–',
          node.answers,
          node.failures,
        ])}
      />
      <p class="soft">
        A node that fails or lags is suspended for a moment. A node whose answer was disproved by a
        block’s hash, its work or another node is distrusted, and asked last for a minute. If that
        goes on, name another one in NODE_URL.
      </p>
    </Live>
  )
}

export function KeyList({ keys }: { keys: readonly ShownKey[] }) {
  const showMilliseconds = (ms: number | null) =>
    showTime(ms === null ? null : new Date(ms).toISOString())
  return (
    <Live name="keys" title="API keys">
      <Table
        name="API keys"
        head={['Name', 'Id', 'Chain', 'Calls today', 'Daily limit', 'Created', 'Revoked']}
        rows={keys.map((key) => [
          key.name,
          key.hash.slice(0, 8),
          key.chainId,
          key.quota !== null && key.spentToday >= key.quota && key.revokedAt === null ? (
            <span class="bad">{key.spentToday}: used up</span>
          ) : (
            key.spentToday
          ),
          key.quota ?? 'any',
          showMilliseconds(key.createdAt),
          showMilliseconds(key.revokedAt),
        ])}
      />
      <p class="soft">
        Beyond its quota, a key’s calls are refused until 00:00 UTC. To change a quota, create a new
        key: <Command line="keys -- create --name NAME --quota CALLS" />, and revoke the old one:{' '}
        <Command line="keys -- revoke ID" />
      </p>
    </Live>
  )
}

export function Alerts({ alerts, past }: OperatorAnswer<'alerts'>) {
  const renderRows = (listed: typeof past) =>
    listed.map(({ name, says, raisedAt, overSince }) => [
      showTime(raisedAt),
      showTime(overSince),
      name,
      says,
    ])
  const head = ['Raised', 'Over', 'Name', 'Fault and remedy']
  return (
    <>
      <Live name="raised" title="Active">
        <Table name="Active" head={head} rows={renderRows(alerts)} />
      </Live>
      <Live name="past" title="Resolved">
        <Table name="Resolved" head={head} rows={renderRows(past)} />
      </Live>
    </>
  )
}

export function Audit({ entries }: OperatorAnswer<'audit'>) {
  return (
    <Live name="audit" title="What operators did">
      <Table
        name="Audit"
        head={['At', 'Action', 'Detail']}
        rows={entries.map(({ at, action, detail }) => [
          showTime(at),
          action,
          Object.entries(detail)
            .map(([name, value]) => `${name} ${value}`)
            .join(', '),
        ])}
      />
    </Live>
  )
}
