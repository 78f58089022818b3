import { createCoinUnit, formatAmountUp, type Unit } from '../../loan/amounts.ts'
import { loanStates } from '../../loan/loan-book.ts'
import {
  type NamedOperator,
  nameOperator,
  operatorNameRule,
  roleWords,
  writeOperators,
} from '../../operator/access.ts'
import type { ActionAnswer } from '../../operator/actions/list.ts'
import { writeAuditEntry } from '../../operator/holds.ts'
import { type Actor, roles } from '../../operator/schemas/fields.ts'
import type { LoansAnswer } from '../../operator/schemas/loans.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import type { Operator } from '../../operator/service.ts'
import { describeNode } from '../../operator/status.ts'
import { Bar, Command, FactList, Live, showMoney, type Tone } from '../parts.tsx'
import { Facts, Rows, toWords } from './answer.tsx'

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

const ages: Readonly<Record<string, readonly [label: string, tone: Tone]>> = {
  not_due: ['Not due yet', 'good'],
  to_7_days: ['Overdue up to 7 days', 'fair'],
  to_30_days: ['Overdue up to 30 days', 'wait'],
  to_90_days: ['Overdue up to 90 days', 'warm'],
  older: ['Overdue for longer', 'bad'],
}

type LoansOptions = { book: LoansAnswer; state: string }

export function Loans({ book, state: current }: LoansOptions) {
  const { sums, loans, unit, isWhole, block, head } = book
  const groups = book.ages.map((age) => {
    const [label, tone] = ages[age.name] ?? [age.name, 'bad']
    return { ...age, label, tone }
  })
  return (
    <>
      <Live name="book" title={`Owed: ${showMoney(sums.owedWei, unit, formatAmountUp)}`}>
        {!isWhole && (
          <p class="wait">Older loans may be missing: each look at this page reads more blocks.</p>
        )}
        <Bar shares={groups.map(({ owedWei, tone }) => ({ value: Number(owedWei), tone }))} />
        <Rows
          name="Debts by age"
          of={groups}
          columns={[
            ['Age', ({ label, tone }) => <span class={`key ${tone}`}>{label}</span>],
            'owedWei',
            'loans',
          ]}
          unit={unit}
        />
        <p class="soft">
          In all {sums.loans} {sums.loans === 1 ? 'loan' : 'loans'} of{' '}
          {showMoney(sums.lentWei, unit)}; {showMoney(sums.repaidWei, unit)} were repaid, and{' '}
          {showMoney(sums.writtenOffWei, unit)} written off. Read up to block {block} of {head}.
        </p>
      </Live>
      <Live name="loans" title="By borrower">
        <p class="tabs">
          {loanStates.map((state) => (
            <a
              href={`/console/loans?state=${state}`}
              aria-current={state === current ? 'true' : undefined}
            >
              {toWords(state)}
            </a>
          ))}
          <a href="/console/loans.csv">All as CSV</a>
        </p>
        <p class="soft">
          The console can read no number, so nobody can be called from here. Where messages are on,
          they remind 3 days before a loan is due and on that day. A caller is found by the number
          that they tell: <a href="/console/support">Support</a>.
        </p>
        <Rows name="Loans" of={loans} unit={unit} />
      </Live>
    </>
  )
}

export function KeyList({ keys, you }: { keys: readonly ShownKey[]; you: Actor }) {
  return (
    <Live name="keys" title="Keys of the node service">
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
        key: <Command line="npm run ops -- keys create --name NAME --quota CALLS" you={you} />, and
        revoke the old one: <Command line="npm run ops -- keys revoke ID" you={you} />
      </p>
    </Live>
  )
}

function drawSpentCalls({ quota, spentToday, revokedAt }: ShownKey) {
  const isUsedUp = quota !== null && spentToday >= quota && revokedAt === null
  return isUsedUp ? <span class="bad">{spentToday}: used up</span> : spentToday
}

export function Alerts({ alerts, past, areTold }: OperatorAnswer<'alerts'>) {
  const active = alerts.filter(({ overSince }) => overSince === null)
  const over = [...alerts.filter((alert) => !active.includes(alert)), ...past]
  return (
    <>
      <Live name="raised" title="Active">
        {!areTold && (
          <p class="wait">
            Alerts are told to nobody: they are on these pages alone. To be told, set
            ALERT_WEBHOOK_URL.
          </p>
        )}
        <Rows name="Active" of={active} columns={['says', 'raisedAt']} />
      </Live>
      <Live name="past" title="Resolved">
        <Rows name="Resolved" of={over} columns={['says', 'raisedAt', 'overSince']} />
      </Live>
    </>
  )
}

type PeopleOptions = ActionAnswer<'agents'> & { operators: readonly NamedOperator[]; you: Actor }

/** Lists whose short numbers pay out cash or take bills, and who may sign in here. */
export const People = ({ agents, operators, you }: PeopleOptions) => (
  <>
    <Live name="agents" title="Agents and shops">
      <Rows name="Agents" of={agents} columns={['name', 'kind', 'till', 'account']} />
      <p class="soft">
        What one took today: look up its till in <a href="/console/support">Support</a>. No phone
        number is shown: note who has which till. A till is the 5 digits that callers type, its
        short number. To give a number one, which the command asks for:{' '}
        <Command line='npm run ops -- agents add "NAME"' you={you} />
      </p>
    </Live>
    <Live name="operators" title="Operators">
      <Rows
        name="Operators"
        of={operators}
        columns={[['Name', ({ name }) => nameOperator(name)], 'role']}
      />
      <p class="soft">
        To give access: <Command line="npm run ops -- operators add NAME ROLE" />, and to end an
        access: <Command line="npm run ops -- operators retire NAME" />; then deploy: until then a
        retired token is still taken. For NAME, {operatorNameRule}. A ROLE may do what those before
        it may. The audit cannot tell apart who uses a shared token.
      </p>
      {you.role === 'money' && writeOperators(operators) && (
        <p class="soft">
          OPERATORS as it is deployed, where a new one begins (hashes show no token):{' '}
          <Command line={writeOperators(operators)} />
        </p>
      )}
      <FactList facts={roles.map((role) => [role, roleWords[role]])} />
    </Live>
  </>
)

type AuditOptions = OperatorAnswer<'audit'> & { lookups: string; unit: Unit }

export const Audit = ({ entries, next, lookups, unit }: AuditOptions) => (
  <Live name="audit" title="What operators did">
    <p class="soft">
      {lookups === 'true' ? (
        <a href="/console/audit">Without look-ups</a>
      ) : (
        <a href="/console/audit?all">With look-ups</a>
      )}
      . What is paid into a relayer or the pool is not here: it is paid on the chain, with a key of
      its own.
    </p>
    <Rows name="Audit" of={entries.map((entry) => writeAuditEntry(entry, unit))} />
    {next && (
      <p>
        <a href={`/console/audit?${lookups === 'true' ? 'all&' : ''}before=${next}`}>Older</a>
      </p>
    )}
  </Live>
)

/** Shows what those read who run the machines: each fact of the status by its own name. */
export function System({ status }: { status: StatusAnswer }) {
  const { head, callsToday, version, schema, chainId, health, guards, relayers, unit } = status
  const { pool, at: stateRead, ...contracts } = status.contracts
  const { at: amountsRead = null, ...amounts } = pool ?? {}
  const coin = createCoinUnit(status.currency)
  const gasUsed = status.blocks.map(({ fullness }) => `${Math.round((fullness ?? 0) * 100)} %`)
  return (
    <>
      <Nodes status={status} />
      <Live name="checks" title="What payments depend on">
        <Rows name="Checks" of={health.checks ?? []} columns={['name', 'state', 'says']} />
      </Live>
      <Live name="relayer" title="The key that pays for gas">
        {relayers.map((relayer) => (
          <Facts of={relayer} unit={coin} />
        ))}
      </Live>
      <Live name="contracts" title="The contracts, and the money to lend">
        <Facts of={{ ...contracts, stateRead, ...amounts, amountsRead }} unit={unit} />
      </Live>
      <Live name="chain" title="The chain, and this version">
        <Facts of={{ chainId, version, schema, head, gasUsed, callsToday }} />
      </Live>
      <Live name="counted" title="What happened, counted">
        <Rows name="Events" of={listCounts(status)} />
      </Live>
      <Live name="guards" title="What protects the money">
        <Rows name="Guards" of={guards} />
      </Live>
    </>
  )
}

function Nodes({ status }: { status: StatusAnswer }) {
  const isFailing = status.health.failing.includes('node')
  const nodes = status.nodes.map((node) => ({
    ...node,
    state:
      isFailing && node.state === 'able' ? 'able, but see the checks' : describeNode(node, status),
  }))
  return (
    <Live name="nodes" title="Nodes that are asked">
      <Rows name="Nodes" of={nodes} />
      <p class="soft">
        A node that fails or lags is suspended for a moment. A node whose answer was disproved by a
        block’s hash, its work or another node is distrusted, and asked last for a minute. If that
        goes on, name another one in NODE_URL.
      </p>
    </Live>
  )
}

function listCounts({ lately: { hour, today } }: StatusAnswer) {
  const names = [...new Set([hour, today].flatMap(({ counts }) => Object.keys(counts)))].sort()
  return names.map((event) => ({
    event,
    hour: hour.counts[event] ?? 0,
    today: today.counts[event] ?? 0,
  }))
}
