import { loanStates } from '../../loan/loan-book.ts'
import { findLackingRole } from '../../operator/access/roles.ts'
import { remedies } from '../../operator/remedies.ts'
import type { Actor } from '../../operator/schemas/actor.ts'
import type { LoansAnswer } from '../../operator/schemas/loans.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import type { Operator } from '../../operator/service.ts'
import { describeNode } from '../../operator/status.ts'
import { Command, Live } from '../parts.tsx'
import { Facts, Rows } from './answer.tsx'

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

export function Loans({ book }: { book: LoansAnswer }) {
  const { sums, ages, loans, unit, isWhole, block, head } = book
  return (
    <>
      <Live name="book" title="Loan book">
        {!isWhole && (
          <p class="wait">Older loans may be missing: each look at this page reads more blocks.</p>
        )}
        <Facts of={{ readUpTo: `block ${block} of ${head}`, ...sums }} unit={unit} />
        <Rows
          name="Debts by age"
          of={ages}
          columns={[['Age', ({ name }) => ageLabels[name] ?? name], 'owedWei', 'loans']}
          unit={unit}
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
        <Rows name="Loans" of={loans} unit={unit} />
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
      <Rows
        name="Nodes"
        of={status.nodes.map(({ methods, ...node }) => ({
          ...node,
          state:
            failingCheck && node.state === 'able'
              ? 'able, but see above'
              : describeNode({ ...node, methods }, status),
        }))}
      />
      <p class="soft">
        A node that fails or lags is suspended for a moment. A node whose answer was disproved by a
        block’s hash, its work or another node is distrusted, and asked last for a minute. If that
        goes on, name another one in NODE_URL.
      </p>
    </Live>
  )
}

export function KeyList({ keys, you }: { keys: readonly ShownKey[]; you: Actor }) {
  const lacks = findLackingRole(you, 'POST /keys')
  return (
    <Live name="keys" title="API keys">
      <Rows
        name="API keys"
        of={keys}
        columns={[
          'name',
          ['Id', ({ hash }) => hash.slice(0, 8)],
          'chainId',
          ['Spent today', drawSpentCalls],
          ['Quota', ({ quota }) => quota ?? 'any'],
          'createdAt',
          'revokedAt',
        ]}
      />
      <p class="soft">
        Beyond its quota, a key’s calls are refused until 00:00 UTC. To change a quota, create a new
        key: <Command line="npm run ops -- keys create --name NAME --quota CALLS" lacks={lacks} />,
        and revoke the old one: <Command line="npm run ops -- keys revoke ID" lacks={lacks} />
      </p>
    </Live>
  )
}

function drawSpentCalls({ quota, spentToday, revokedAt }: ShownKey) {
  const isUsedUp = quota !== null && spentToday >= quota && revokedAt === null
  return isUsedUp ? <span class="bad">{spentToday}: used up</span> : spentToday
}

export const Alerts = ({ alerts, past }: OperatorAnswer<'alerts'>) => (
  <>
    <Live name="raised" title="Active">
      <Rows name="Active" of={alerts} />
    </Live>
    <Live name="past" title="Resolved">
      <Rows name="Resolved" of={past} />
    </Live>
  </>
)

export const Audit = ({ entries }: OperatorAnswer<'audit'>) => (
  <Live name="audit" title="What operators did">
    <Rows name="Audit" of={entries} />
  </Live>
)
