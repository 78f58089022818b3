import type { Settings } from './settings.ts'

/** Keeps money or callers safe; `by` is the setting that says whether it is on. */
type Guard<Name extends string = string> = { name: Name; isOn: boolean; by: string }

/** Lists the guards. What is off is off by a setting's own word, or by that of its profile. */
export function guardsOf(settings: Settings) {
  const { values, isOpen, callsADay, UPSTREAM_CALLS_A_DAY: calls } = settings
  const isLimited = (limit: number | bigint | 'none' | undefined) => (limit ?? 'none') !== 'none'
  const of = <Name extends string>(name: Name, isOn: boolean, by: string): Guard<Name> => ({
    name,
    isOn,
    by,
  })
  const bySetting = <Name extends string>(
    name: Name,
    variable: keyof typeof values,
    isOn: boolean,
  ) => {
    const own = values[variable]
    return of(name, isOn, own === undefined ? `PROFILE=${settings.profile}` : `${variable}=${own}`)
  }
  const where = <Name extends string>(name: Name, variable: keyof typeof values) =>
    values[variable] === undefined ? of(name, false, `no ${variable}`) : of(name, true, variable)
  return [
    bySetting('pin', 'PIN', settings.PIN !== 'off'),
    bySetting('confirmation', 'CONFIRM', settings.CONFIRM === 'on'),
    bySetting('transfers_a_day', 'MAX_TRANSFERS_A_DAY', isLimited(settings.MAX_TRANSFERS_A_DAY)),
    bySetting('sent_a_day', 'MAX_SENT_A_DAY_WEI', isLimited(settings.MAX_SENT_A_DAY_WEI)),
    bySetting('preflight', 'PREFLIGHT', settings.PREFLIGHT === 'on'),
    of('callback', !isOpen, isOpen ? 'ENVIRONMENT=development' : 'CALLBACK_SECRET'),
    of(
      'upstream_budget',
      callsADay !== undefined,
      calls === undefined ? 'NODE_URL' : `UPSTREAM_CALLS_A_DAY=${calls}`,
    ),
    where('alerts', 'ALERT_WEBHOOK_URL'),
    where('messages', 'SMS_API_KEY'),
  ]
}
