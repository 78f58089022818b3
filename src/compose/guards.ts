import type { Settings } from './settings.ts'

/** Lists the guards of money and callers; `by` is the setting of each. */
export function listGuards(settings: Settings) {
  const { values, isOpen, callsADay, UPSTREAM_CALLS_A_DAY: calls } = settings
  type Variable = keyof typeof values
  const toGuard = <Name extends string>(name: Name, isOn: boolean, by: string) => ({
    name,
    isOn,
    by,
  })
  const bySetting = <Name extends string>(name: Name, variable: Variable, isOn: boolean) => {
    const own = values[variable]
    return toGuard(
      name,
      isOn,
      own === undefined ? `PROFILE=${settings.profile}` : `${variable}=${own}`,
    )
  }
  const describeGuard = (variable: 'PROOFS' | 'MIN_DIFFICULTY') =>
    values[variable] === undefined ? undefined : `${variable}=${values[variable]}`
  const byPresence = <Name extends string>(name: Name, variable: Variable) =>
    values[variable] === undefined
      ? toGuard(name, false, `no ${variable}`)
      : toGuard(name, true, variable)
  return [
    bySetting('pin', 'PIN', settings.PIN !== 'off'),
    bySetting('confirmation', 'CONFIRM', settings.CONFIRM === 'on'),
    bySetting('transfers_a_day', 'MAX_TRANSFERS_A_DAY', settings.MAX_TRANSFERS_A_DAY !== 'none'),
    bySetting('sent_a_day', 'MAX_SENT_A_DAY_WEI', settings.MAX_SENT_A_DAY_WEI !== 'none'),
    bySetting('preflight', 'PREFLIGHT', settings.PREFLIGHT === 'on'),
    toGuard('callback', !isOpen, isOpen ? 'ENVIRONMENT=development' : 'CALLBACK_SECRET'),
    byPresence('addresses', 'GATEWAY_ADDRESSES'),
    toGuard(
      'upstream_budget',
      callsADay !== undefined,
      calls === undefined ? 'NODE_URL' : `UPSTREAM_CALLS_A_DAY=${calls}`,
    ),
    toGuard(
      'proofs',
      settings.proves,
      describeGuard('PROOFS') ?? describeGuard('MIN_DIFFICULTY') ?? 'NODE_URL',
    ),
    byPresence('alerts', 'ALERT_WEBHOOK_URL'),
    byPresence('messages', 'SMS_API_KEY'),
  ]
}
