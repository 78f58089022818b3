import type { Child } from 'hono/jsx'
import { createCoinUnit, formatAmountUp } from '../../loan/amounts.ts'
import { paymentKinds } from '../../loan/kinds.ts'
import { minPayments } from '../../operator/health.ts'
import type { Actor } from '../../operator/schemas/fields.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { computeLendableWei } from '../../operator/status.ts'
import {
  Bar,
  Columns,
  Command,
  type Fact,
  FactList,
  Live,
  Prose,
  showMoney,
  showTime,
  tellClock,
} from '../parts.tsx'
import { judgeStatus, type Trouble } from './condition.ts'

type Shown = { status: StatusAnswer }

/** Tells whether payments are taken, and what is to be mended first, with its cause and remedy. */
export function Overview({ status }: Shown) {
  const { you } = status
  const { tone, title, troubles, notes } = judgeStatus(status, tellClock)
  const [first, ...others] = troubles
  return (
    <>
      <Live name="taken" title={title} look={`state ${tone}`}>
        {first && <Mend {...first} you={you} />}
        {others.length > 0 && <h3>After that</h3>}
        {others.map((other) => (
          <Mend {...other} you={you} />
        ))}
        {notes.length > 0 && (
          <p class="soft">
            <Prose text={notes.join(' ')} you={you} />
          </p>
        )}
      </Live>
      <div class="tiles">
        <Fuel status={status} />
        <Pool status={status} />
        <Waiting status={status} />
        <Today status={status} />
      </div>
      <Commands status={status} isCalm={troubles.length === 0} />
    </>
  )
}

const Mend = ({ says, remedy, since, you }: Trouble & { you: Actor }) => (
  <div class="trouble">
    <p>
      {since && <span class="soft">Since {showTime(since)}: </span>}
      <Prose text={says} you={you} />
    </p>{' '}
    {remedy && (
      <p class="remedy">
        <Prose text={remedy} you={you} />
      </p>
    )}
  </div>
)

type TileOptions = { name: string; title: string; value: Child; children?: Child }

/** Renders a number, its chart, and a text that says what both mean. */
const Tile = ({ name, title, value, children }: TileOptions) => (
  <Live name={name} title={title} look="tile">
    <p class="value">{value}</p>
    {children}
  </Live>
)

/** Is at how many payments the fuel's bar is full. */
const fullFuel = 100

function Fuel({ status: { relayers, currency } }: Shown) {
  const { lastsFor = null, lastsAtWorst = null, balanceWei = null } = relayers[0] ?? {}
  const value = Math.min(lastsFor ?? 0, fullFuel)
  const shares = [{ value, tone: value < minPayments ? 'bad' : 'good' } as const]
  const payments = lastsFor !== null && [count(lastsFor), <small> payments</small>]
  return (
    <Tile name="fuel" title="The relayer pays for" value={payments || 'not known'}>
      <Bar shares={shares} whole={fullFuel} />
      <p class="soft">
        {showMoney(balanceWei, createCoinUnit(currency))}, at today’s price of gas
        {lastsAtWorst !== null && `; ${count(lastsAtWorst)} at the highest price that is allowed`}.
        The bar is full at {fullFuel} payments; below {minPayments} you are asked for more.
      </p>
    </Tile>
  )
}

function Pool({ status }: Shown) {
  const { unit } = status
  const { pool } = status.contracts
  const wei = computeLendableWei(status)
  const value = wei === 0n ? 'nothing now' : showMoney(wei === undefined ? null : `${wei}`, unit)
  return (
    <Tile name="pool" title="May be lent today" value={value}>
      <Bar
        shares={[
          { value: Number(pool?.liquidityWei ?? 0), tone: 'good' },
          { value: Number(pool?.owedWei ?? 0), tone: 'wait' },
        ]}
      />
      {pool && (
        <p class="soft">
          The pool has {showMoney(pool.liquidityWei, unit)} (green), and borrowers owe it{' '}
          {showMoney(pool.owedWei, unit, formatAmountUp)} (amber). The callers’ accounts have{' '}
          {showMoney(pool.balancesWei, unit)}, with what was lent to them. All of this was read at{' '}
          {tellClock(pool.at)}.
        </p>
      )}
    </Tile>
  )
}

function Waiting({ status: { relayers } }: Shown) {
  const { queued = 0, inFlight = 0, oldestAt = null } = relayers[0] ?? {}
  return (
    <Tile name="waiting" title="Waiting payments" value={count(queued + inFlight)}>
      <Bar
        shares={[
          { value: inFlight, tone: 'good' },
          { value: queued, tone: 'wait' },
        ]}
      />
      <p class="soft">
        {count(inFlight)} are on their way (green), {count(queued)} wait for their turn (amber)
        {oldestAt !== null && <>; the oldest since {showTime(oldestAt)}</>}.
      </p>
    </Tile>
  )
}

const hourMs = 3_600_000

function Today({ status: { lately, paymentsByHour, now } }: Shown) {
  const { counts, since } = lately.today
  const sum = (...events: string[]) =>
    Object.keys(paymentKinds)
      .flatMap((kind) => events.map((event) => counts[`${kind}.${event}`] ?? 0))
      .reduce((total, times) => total + times, 0)
  const firstHour = Math.floor(Date.parse(now) / hourMs) - 23
  const payments = new Map(paymentsByHour.map((each) => [Date.parse(each.at), each.payments]))
  const hours = Array.from({ length: 24 }, (_, index) => (firstHour + index) * hourMs)
  const values = hours.map((at) => payments.get(at) ?? 0)
  const most = Math.max(...values)
  const writeHour = (at: string | number) => tellClock(new Date(at).toISOString()).slice(0, 5)
  const busiest = writeHour(hours[values.lastIndexOf(most)] ?? 0)
  return (
    <Tile name="today" title="Payments today" value={count(sum('accepted', 'enqueued'))}>
      <Columns values={values} />
      <p class="soft">
        {count(sum('executed'))} done, {count(sum('failed', 'overdue', 'withheld'))} failed since{' '}
        {writeHour(since)}. The columns are the last 24 hours
        {most > 0 && `; the most, ${count(most)}, in the hour from ${busiest}`}.
      </p>
    </Tile>
  )
}

const count = (value: number): string => value.toLocaleString('en')

const commands: readonly (readonly [why: string, line: string, shown: 'open' | 'calm'])[] = [
  ['Refuse payments for a while', 'npm run ops -- pause', 'open'],
  ['Refuse them until none is open', 'npm run ops -- drain --wait', 'open'],
  ['Pay into the relayer up to an amount', 'npm run ops -- relayers top-up AMOUNT', 'calm'],
  ['Add money to lend', 'npm run ops -- pool fund AMOUNT', 'calm'],
]

/** Lists what may be done from a terminal; while something needs a person, that tells the rest. */
function Commands({ status: { intake, you }, isCalm }: Shown & { isCalm: boolean }) {
  const isOpen = intake.state === 'open'
  const facts = commands
    .filter(([, , time]) => (time === 'open' ? isOpen : isCalm))
    .map(([why, line]): Fact => [why, <Command line={line} you={you} />])
  if (facts.length === 0) return null
  return (
    <Live name="commands" title="Commands">
      <FactList facts={facts} />
    </Live>
  )
}
