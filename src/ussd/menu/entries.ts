import type { PinState } from '../../account/pin.ts'
import type { Messages } from '../messages/en.ts'
import { activity } from './activity.ts'
import { balance } from './balance.ts'
import { help } from './help.ts'
import type { Entry, List, Menu, MenuContext, MenuPart, MenuSettings } from './node.ts'
import { payments } from './payments.ts'
import { receive } from './receive.ts'
import { callerSettings } from './settings.ts'

export const menuParts: readonly MenuPart[] = [
  ...Object.values(payments),
  balance,
  activity,
  receive,
  callerSettings,
  help,
]

/** Creates the menu; no digit depends on a setting, and no two places share a name. */
export const createMenu = (settings: MenuSettings, parts = menuParts): Menu =>
  new Map([
    ['main', mainMenu(settings, parts)] as const,
    ...parts.flatMap((part) => Object.entries(part.places(settings))),
  ])

/** Orders entries by digit; from the tenth on they are on a later page. */
function mainMenu(settings: MenuSettings, parts: readonly MenuPart[]): List {
  const isDemo = settings.profile === 'demo'
  const offered = parts
    .flatMap((part) => {
      const leads = part.leads(settings)
      return leads === undefined ? [] : [{ ...part, leads }]
    })
    .sort((a, b) => Number(a.digit) - Number(b.digit))
  const [offers] = parts.flatMap((part) => part.offers?.(settings) ?? [])
  const entries = offered.map(({ digit, words, leads, note }): Entry => {
    const entry = { digit, label: (say: Messages) => words(say).label, leads }
    return note === undefined || isDemo ? entry : { ...entry, note }
  })
  return {
    kind: 'list',
    ...(offers && { offers }),
    facts: isDemo
      ? []
      : [
          'failure',
          'pin',
          ...(offers ? (['recipients'] as const) : []),
          ...offered.flatMap(({ facts = [] }) => facts),
        ],
    title: (context, _, { failure, pin }) =>
      `${failure === 'untold' ? `${context.say.hasFailed}\n` : ''}${mainTitle(context, pin)}`,
    ...(!isDemo && { again: () => '' }),
    entries,
  }
}

/** Returns the main title, or what keeps the account from paying. */
function mainTitle({ say, caller }: MenuContext, pin: PinState = { kind: 'open' }): string {
  if (pin.hours !== undefined) return say.pin.waits(pin.hours)
  return pin.kind === 'open' ? say.mainTitle(caller) : say.pin.state[pin.kind]
}
