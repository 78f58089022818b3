import type { Child } from 'hono/jsx'
import { formatAmountDown } from '../../loan/amounts.ts'
import { remedies } from '../../operator/remedies.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { Command, type Fact, FactList, Live, showMoney, showTime, Table } from '../parts.tsx'

type IntakeOptions = { status: StatusAnswer; hasNoFaults: boolean }

/** Tells whether payments are accepted, and if not, the reason and the remedy. */
function IntakeSentence({ status: { intake, health }, hasNoFaults }: IntakeOptions) {
  const refusingCheck = health.checks?.find(({ refuses }) => refuses)
  if (intake.state !== 'open' && intake.state !== 'restoring') {
    return (
      <p class="wait">
        Payments are refused, and callers are told so: the intake is {intake.state}
        {intake.since && <> since {showTime(intake.since)}</>}, by an operator’s command in the{' '}
        <a href="/console/audit">audit</a>. Accepted payments go on. To take new ones again:{' '}
        <Command line="ops -- resume" />
      </p>
    )
  }
  if (refusingCheck === undefined) {
    return hasNoFaults ? (
      <p class="good">Payments are taken.</p>
    ) : (
      <p class="wait">Payments are taken, as far as these faults allow:</p>
    )
  }
  return (
    <p class="bad">
      Payments are refused because {refusingCheck.says}. {remedies[refusingCheck.name]}
    </p>
  )
}

export function Overview({ status }: { status: StatusAnswer }) {
  const { health, alerts, currency, intake, relayers } = status
  const failing = health.checks?.filter(({ state }) => state !== 'ok') ?? []
  const gateways = listGatewayFaults(status)
  const wantedWei = relayers[0]?.wantedAtWorstWei
  const topUpAmount = wantedWei ? formatAmountDown(BigInt(wantedWei)) : 'AMOUNT'
  return (
    <>
      <Live name="taken" title="Payments">
        <IntakeSentence
          status={status}
          hasNoFaults={[...failing, ...alerts, ...gateways].length === 0}
        />
        <ul>
          {failing.map(({ name, state, says }) => (
            <li>
              <b>{name}</b> is {state}: {says}. {state === 'failing' && remedies[name]}
            </li>
          ))}
          {alerts.map(({ name, says, overSince }) => (
            <li>
              Alert <b>{name}</b>: {says} {overSince && <>Over since {showTime(overSince)}.</>}
            </li>
          ))}
          {gateways.map((says) => (
            <li>{says}</li>
          ))}
        </ul>
      </Live>
      <Live name="relayer" title="Relayer, pool and chain">
        <FactList facts={[...listRelayerFacts(status), ...listChainFacts(status)]} />
      </Live>
      <Live name="counted" title="Events">
        <Table name="Events" head={['Event', 'Hour', 'Today']} rows={listCounterRows(status)} />
        <p class="soft">
          Hour: since {showTime(status.lately.hour.since)}. Today: since{' '}
          {showTime(status.lately.today.since)}. All times are UTC, all amounts in {currency}.
        </p>
      </Live>
      <Live name="commands" title="Commands">
        <ul>
          {[
            ...(intake.state === 'open'
              ? ['ops -- pause', 'ops -- drain --wait']
              : ['ops -- resume']),
            `relayers -- top-up ${topUpAmount}`,
            'pool -- fund AMOUNT',
          ].map((line) => (
            <li>
              <Command line={line} />
            </li>
          ))}
        </ul>
      </Live>
    </>
  )
}

const faultDescriptions = {
  wrong_secret:
    'came without the secret in CALLBACK_SECRET, and got a 404. Compare it with the address and the header that the gateway has',
  bad: 'could not be read, and were answered with an error. The log has the reason as gateway.bad: compare it with the form that the gateway documents',
}

/** Tells how many requests of each gateway were refused in the last hour. */
function listGatewayFaults({ lately: { hour }, gatewayFaults }: StatusAnswer): Child[] {
  return Object.entries(hour.counts).flatMap(([name, count]) => {
    const [, gateway, event] = /^gateway\.(.+)\/(wrong_secret|bad)$/.exec(name) ?? []
    if (gateway === undefined || count === 0) return []
    return (
      <>
        {count} of the requests to {gateway} in the last hour, the last at{' '}
        {showTime(gatewayFaults[`${gateway}/${event}`])}, {faultDescriptions[event as 'bad']}. Once
        fixed, this line disappears about an hour after the last of them.
      </>
    )
  })
}

function listRelayerFacts({ relayers: [relayer], currency }: StatusAnswer): Fact[] {
  if (relayer === undefined) return []
  return [
    ['Address', relayer.address],
    ['Balance', showMoney(relayer.balanceWei, currency)],
    [
      'Lasts for',
      relayer.lastsFor === null
        ? null
        : `${relayer.lastsFor} payments at today’s price, ${relayer.lastsAtWorst} at worst`,
    ],
    ['Gas price', `${relayer.gasPriceWei ?? '?'} wei, at most ${relayer.maxGasPriceWei}`],
    ['In flight and queued', `${relayer.inFlight} and ${relayer.queued}`],
    ['Oldest payment', showTime(relayer.oldestAt)],
    ['Last mined', showTime(relayer.lastMinedAt)],
  ]
}

const getMinWei = (a: string, b: string) => (BigInt(a) < BigInt(b) ? a : b)

function listChainFacts({
  contracts,
  intake,
  currency,
  blocks,
  head,
  callsToday,
}: StatusAnswer): Fact[] {
  const { pool, state } = contracts
  const isLending = intake.state === 'open' && (state ?? 'ready') === 'ready'
  const fullness = blocks.map(({ fullness }) => `${Math.round((fullness ?? 0) * 100)} %`).join(', ')
  const calls =
    callsToday &&
    `${callsToday.relay} own, ${callsToday.callers} of API keys; limit ${callsToday.limit}`
  return [
    ['Contracts', state],
    ['Pool', pool && showMoney(pool.liquidityWei, currency)],
    [
      'May be lent today',
      isLending
        ? pool && showMoney(getMinWei(pool.capLeftWei, pool.liquidityWei), currency)
        : 'nothing now',
    ],
    ['Owed', pool && showMoney(pool.owedWei, currency)],
    [
      'Head',
      head && (
        <>
          {head.number} of {showTime(head.at)}
        </>
      ),
    ],
    ['Gas used, last blocks', fullness || null],
    ['Node calls today', calls ?? 'not counted'],
  ]
}

function listCounterRows({ lately: { hour, today } }: StatusAnswer) {
  const names = [...new Set([hour, today].flatMap(({ counts }) => Object.keys(counts)))].sort()
  return names.map((name) => [name, hour.counts[name] ?? 0, today.counts[name] ?? 0])
}
