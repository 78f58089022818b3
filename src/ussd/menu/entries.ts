import type { Messages } from '../messages/en.ts'
import { activity } from './activity.ts'
import { balance } from './balance.ts'
import { help } from './help.ts'
import type { Entry, List, Menu, MenuPart, MenuSettings } from './node.ts'
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

/** Makes the menu. No digit depends on a setting. @throws {Error} a place leads nowhere */
export function createMenu(settings: MenuSettings, parts = menuParts): Menu {
  const places = [
    ['main', mainMenu(settings, parts)] as const,
    ...parts.flatMap((part) => Object.entries(part.places(settings))),
  ]
  const menu: Menu = new Map(places)
  if (menu.size < places.length) throw new Error('two places of the menu have one name')
  for (const [name, node] of places) {
    const ways = node.kind === 'list' ? node.entries : node.leads.map((leads) => ({ leads }))
    for (const to of [node.back, ...ways.map(({ leads }) => leads)]) {
      if (typeof to === 'string' && !menu.has(to)) throw new Error(`${name} leads to no ${to}`)
    }
  }
  return menu
}

/** Orders entries by their digits: from the tenth on they are on a later page. */
function mainMenu(settings: MenuSettings, parts: readonly MenuPart[]): List {
  const isDemo = settings.profile === 'demo'
  const offered = parts
    .flatMap((part) => {
      const leads = part.leads(settings)
      return leads === undefined ? [] : [{ ...part, leads }]
    })
    .sort((a, b) => Number(a.digit) - Number(b.digit))
  const entries = offered.map(({ digit, words, leads, note }): Entry => {
    const entry = { digit, label: (say: Messages) => words(say).label, leads }
    return note === undefined || isDemo ? entry : { ...entry, note }
  })
  return {
    kind: 'list',
    facts: isDemo ? [] : ['failure', ...offered.flatMap(({ facts = [] }) => facts)],
    title: ({ say, caller }, _, { failure }) =>
      `${failure === 'untold' ? `${say.hasFailed}\n` : ''}${say.mainTitle(caller)}`,
    entries,
  }
}
