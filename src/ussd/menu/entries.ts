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
    ['main', createMainMenu(settings, parts)] as const,
    ...parts.flatMap((part) => Object.entries(part.places(settings))),
  ])

/** Orders entries by digit; from the tenth on they are on a later page. */
function createMainMenu(settings: MenuSettings, parts: readonly MenuPart[]): List {
  const isDemo = settings.profile === 'demo'
  const offered = parts
    .flatMap((part) => {
      const leadsTo = part.leadsTo(settings)
      return leadsTo === undefined ? [] : [{ ...part, leadsTo }]
    })
    .sort((a, b) => Number(a.digit) - Number(b.digit))
  const [offers] = parts.flatMap((part) => part.dynamicEntries?.(settings) ?? [])
  const entries = offered.map(({ digit, words, leadsTo, note }): Entry => {
    const entry = { digit, label: (messages: Messages) => words(messages).label, leadsTo }
    return note === undefined || isDemo ? entry : { ...entry, note }
  })
  return {
    kind: 'list',
    ...(offers && { dynamicEntries: offers }),
    facts: isDemo
      ? []
      : [
          'failure',
          'pin',
          ...(offers ? (['recipients'] as const) : []),
          ...offered.flatMap(({ facts = [] }) => facts),
        ],
    title: (context, _, { failure, pin }) =>
      `${failure === 'untold' ? `${context.messages.hasFailed}\n` : ''}${writeMainTitle(context, pin)}`,
    ...(!isDemo && { retryText: () => '' }),
    entries,
  }
}

/** Returns the main title, or what keeps the account from paying. */
function writeMainTitle(
  { messages, caller }: MenuContext,
  pin: PinState = { kind: 'open' },
): string {
  if (pin.hours !== undefined) return messages.pin.waits(pin.hours)
  return pin.kind === 'open' ? messages.mainTitle(caller) : messages.pin.state[pin.kind]
}
