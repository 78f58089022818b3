import { remedies } from '../../operator/remedies.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import { describeGatewayFaults } from '../../operator/status.ts'

/** Is what needs a person. Commands stand between backticks. */
export type Trouble = {
  says: string
  /** Says what mends it, unless `says` does. */
  remedy?: string
  since?: string | undefined
}

/** Maps checks to the alerts that say the same, and how much it takes to go on. */
const fullerAlerts: Readonly<Record<string, string>> = {
  relayer_funds: 'relayer_low',
  upstream_budget: 'budget',
}

/**
 * Tells in words whether payments are taken. Each trouble is there once, however many checks and
 * alerts tell of it, and the first is to be mended first.
 */
export function judgeStatus(status: StatusAnswer, tellClock = (at: string) => at.slice(11, 19)) {
  const { intake, health, alerts } = status
  const { checks = [] } = health
  const failing = checks.filter(({ state }) => state === 'failing')
  const isRefusing = intake.state === 'open' && failing.some(({ refuses }) => refuses)
  const troubles = [...listIntake(intake), ...listFaults(status), ...listGateways(status)]
  const isTaking = intake.state === 'open' && !isRefusing
  const few = troubles.length === 1 ? '1 thing needs' : `${troubles.length} things need`
  const needs = troubles.length > 0 ? `, and ${few} you.` : '. Nothing needs you.'
  const title = isTaking ? 'Payments are taken' : 'Payments are refused'
  return {
    tone: isRefusing ? 'bad' : troubles.length > 0 ? 'wait' : 'good',
    title: isTaking ? `${title}${needs}` : `${title}.`,
    troubles,
    /** Lists what ended a while ago, and what is not known. */
    notes: [
      ...alerts.flatMap(({ says, overSince }) =>
        overSince === null ? [] : `Ended at ${tellClock(overSince)}: ${says}`,
      ),
      ...checks.filter(({ state }) => state === 'unknown').map(({ says }) => `${says}.`),
    ],
  }
}

function listIntake({ state, since }: StatusAnswer['intake']): Trouble[] {
  if (state === 'open') return []
  const says = `The intake is ${state} by an operator’s command, and callers are told so. What was accepted goes on.`
  return [{ says, remedy: 'To take payments again: `npm run ops -- resume`', since }]
}

/** Lists failing checks, those that refuse payments first, and alerts; the same is said once. */
function listFaults({ health: { checks = [] }, alerts }: StatusAnswer): Trouble[] {
  const active = alerts.filter(({ overSince }) => overSince === null)
  const failing = checks
    .filter(({ state }) => state === 'failing')
    .sort((a, b) => Number(!a.refuses) - Number(!b.refuses))
    .map(({ name, says }) => {
      const [cause, remedy] = [`${says}.`, remedies[name]]
      const fuller = active.find((alert) => alert.name === fullerAlerts[name])
      const alert = fuller ?? active.find((each) => each.says === `${cause} ${remedy}`)
      const trouble = fuller ? { says: fuller.says } : { says: cause, remedy }
      return { alert, trouble: { ...trouble, since: alert?.raisedAt } }
    })
  const told = failing.map(({ alert }) => alert)
  return [
    ...failing.map(({ trouble }) => trouble),
    ...active
      .filter((alert) => !told.includes(alert))
      .map(({ says, raisedAt }) => ({ says, since: raisedAt })),
  ]
}

function listGateways(status: StatusAnswer): Trouble[] {
  const isTold = status.alerts.some(
    ({ name, overSince }) => name === 'gateway_refused' && overSince === null,
  )
  return isTold ? [] : describeGatewayFaults(status).map((says) => ({ says }))
}
