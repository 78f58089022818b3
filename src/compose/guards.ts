import type { Settings } from './settings.ts'

/** Lists the guards of money and callers; `by` names the setting that decides. */
export function listGuards(settings: Settings) {
  const { values, isUssdOpenToAll, callsADay } = settings
  type Variable = keyof typeof values
  const describeSetting = (variable: Variable) =>
    values[variable] === undefined ? undefined : `${variable}=${values[variable]}`
  const createGuard = <Name extends string>(name: Name, variable: Variable, isOn: boolean) => ({
    name,
    isOn,
    by: describeSetting(variable) ?? `PROFILE=${settings.profile}`,
  })
  /** Creates a guard that is on if its variable is set, which may be a secret. */
  const createOptionalGuard = <Name extends string>(name: Name, variable: Variable) => {
    const isOn = values[variable] !== undefined
    return { name, isOn, by: isOn ? variable : `no ${variable}` }
  }
  const callbackSetting = isUssdOpenToAll ? 'ENVIRONMENT=development' : 'CALLBACK_SECRET'
  const budgetSetting = describeSetting('UPSTREAM_CALLS_A_DAY') ?? 'NODE_URL'
  const proofSetting = describeSetting('PROOFS') ?? describeSetting('MIN_DIFFICULTY') ?? 'NODE_URL'
  return [
    createGuard('pin', 'PIN', settings.PIN !== 'off'),
    createGuard('confirmation', 'CONFIRM', settings.CONFIRM === 'on'),
    createGuard('transfers_a_day', 'MAX_TRANSFERS_A_DAY', settings.MAX_TRANSFERS_A_DAY !== 'none'),
    createGuard('sent_a_day', 'MAX_SENT_A_DAY_WEI', settings.MAX_SENT_A_DAY_WEI !== 'none'),
    createGuard('preflight', 'PREFLIGHT', settings.PREFLIGHT === 'on'),
    { name: 'callback', isOn: !isUssdOpenToAll, by: callbackSetting },
    createOptionalGuard('addresses', 'GATEWAY_ADDRESSES'),
    { name: 'upstream_budget', isOn: callsADay !== undefined, by: budgetSetting },
    { name: 'proofs', isOn: settings.requiresProofs, by: proofSetting },
    createOptionalGuard('alerts', 'ALERT_WEBHOOK_URL'),
    createOptionalGuard('messages', 'SMS_API_KEY'),
  ] as const
}
