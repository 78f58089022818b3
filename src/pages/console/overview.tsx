import { createCoinUnit, formatAmountDown } from '../../loan/amounts.ts'
import { findLackingRole } from '../../operator/access/roles.ts'
import { remedies } from '../../operator/remedies.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { computeLendableWei, describeGatewayFaults } from '../../operator/status.ts'
import { Command, Live, showMoney, showTime } from '../parts.tsx'
import { Facts, Rows } from './answer.tsx'

type IntakeOptions = { status: StatusAnswer; hasNoFaults: boolean }

/** Tells whether payments are accepted, and if not, the reason and the remedy. */
function IntakeSentence({ status: { intake, health, you }, hasNoFaults }: IntakeOptions) {
  const refusingCheck = health.checks?.find(({ refuses }) => refuses)
  if (intake.state !== 'open') {
    return (
      <p class="wait">
        Payments are refused, and callers are told so: the intake is {intake.state}
        {intake.since && <> since {showTime(intake.since)}</>}, by an operator’s command in the{' '}
        <a href="/console/audit">audit</a>. Accepted payments go on. To take new ones again:{' '}
        <Command
          line="npm run ops -- resume"
          lacks={findLackingRole(you, 'POST /operator/resume')}
        />
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
  const { health, alerts, unit, intake, relayers, lately, head, callsToday } = status
  const { pool, ...contracts } = status.contracts
  const { checks = [] } = health
  // While the intake is open, the sentence above the list tells of the check that refuses payments.
  const toldCheck = intake.state === 'open' ? checks.find(({ refuses }) => refuses) : undefined
  const failing = checks.filter((check) => check.state !== 'ok' && check !== toldCheck)
  const isAlerted = alerts.some(
    ({ name, overSince }) => name === 'gateway_refused' && overSince === null,
  )
  // The alert says the same.
  const gateways = isAlerted ? [] : describeGatewayFaults(status)
  const coin = createCoinUnit(status.currency)
  const wantedWei = relayers[0]?.wantedAtWorstWei
  const topUpAmount = wantedWei ? formatAmountDown(BigInt(wantedWei), coin) : 'AMOUNT'
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
      <Live name="relayer" title="Relayer">
        {relayers.map((relayer) => (
          <Facts of={relayer} unit={coin} />
        ))}
      </Live>
      <Live name="contracts" title="Contracts and pool">
        <Facts
          of={{ mayBeLentToday: describeLendable(status), ...contracts, ...pool }}
          unit={unit}
        />
      </Live>
      <Live name="chain" title="Chain">
        <Facts of={{ head, gasUsed: describeFullness(status), callsToday }} />
      </Live>
      <Live name="counted" title="Events">
        <Rows name="Events" of={listCounts(status)} />
        <p class="soft">
          Hour: since {showTime(lately.hour.since)}. Today: since {showTime(lately.today.since)}.
          All times are UTC, all amounts of callers in {unit.symbol}.
        </p>
      </Live>
      <Live name="guards" title="Guards">
        <Rows name="Guards" of={status.guards} />
      </Live>
      <Live name="commands" title="Commands">
        <ul>
          {(intake.state === 'open' ? (['pause', 'drain'] as const) : (['resume'] as const)).map(
            (name) => (
              <li>
                <Command
                  line={`npm run ops -- ${name === 'drain' ? 'drain --wait' : name}`}
                  lacks={findLackingRole(status.you, `POST /operator/${name}`)}
                />
              </li>
            ),
          )}
          {[`npm run ops -- relayers top-up ${topUpAmount}`, 'npm run ops -- pool fund AMOUNT'].map(
            (line) => (
              <li>
                <Command line={line} />
              </li>
            ),
          )}
        </ul>
      </Live>
    </>
  )
}

function describeLendable(status: StatusAnswer): string | undefined {
  const lendableWei = computeLendableWei(status)
  if (lendableWei === 0n) return 'nothing now'
  return lendableWei === undefined ? undefined : showMoney(`${lendableWei}`, status.unit)
}

const describeFullness = ({ blocks }: StatusAnswer): string =>
  blocks.map(({ fullness }) => `${Math.round((fullness ?? 0) * 100)} %`).join(', ')

/** Lists the counted events of about the last hour, and of today. */
function listCounts({ lately: { hour, today } }: StatusAnswer) {
  const names = [...new Set([hour, today].flatMap(({ counts }) => Object.keys(counts)))].sort()
  return names.map((event) => ({
    event,
    hour: hour.counts[event] ?? 0,
    today: today.counts[event] ?? 0,
  }))
}
