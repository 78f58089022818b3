import { formatAmountDown } from '../../loan/amounts.ts'
import { remedies } from '../../operator/remedies.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { computeLendableWei, describeGatewayFaults } from '../../operator/status.ts'
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
  const isAlerted = alerts.some(
    ({ name, overSince }) => name === 'gateway_refused' && overSince === null,
  )
  // The alert says the same.
  const gateways = isAlerted ? [] : describeGatewayFaults(status)
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

function listChainFacts({
  contracts,
  intake,
  currency,
  blocks,
  head,
  callsToday,
}: StatusAnswer): Fact[] {
  const { pool, state, at } = contracts
  const lendableWei = computeLendableWei({ contracts, intake })
  const showAsOf = (wei: string) => (
    <>
      {showMoney(wei, currency)} as of {showTime(at)}
    </>
  )
  const fullness = blocks.map(({ fullness }) => `${Math.round((fullness ?? 0) * 100)} %`).join(', ')
  const calls =
    callsToday &&
    `${callsToday.relay} own, ${callsToday.callers} of API keys; limit ${callsToday.limit}`
  return [
    ['Contracts', state],
    ['Pool', pool && showAsOf(pool.liquidityWei)],
    [
      'May be lent today',
      lendableWei === 0n
        ? 'nothing now'
        : lendableWei !== undefined && showMoney(`${lendableWei}`, currency),
    ],
    ['Owed', pool && showAsOf(pool.owedWei)],
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
