import type { Messages } from '../messages/en.ts'
import { defaultServiceName } from '../messages/texts.ts'
import type { ScreenFacts } from '../screen-facts.ts'
import { activity } from './entries/activity.ts'
import { balance } from './entries/balance.ts'
import { goOn } from './entries/go-on.ts'
import { help } from './entries/help.ts'
import { receive } from './entries/receive.ts'
import { callerSettings } from './entries/settings.ts'
import type {
  Entry,
  Menu,
  MenuContext,
  MenuList,
  MenuPart,
  MenuSettings,
  SessionDraft,
} from './node.ts'
import { payments } from './payments.ts'
import { recallPart } from './recall.ts'

export const menuParts: readonly MenuPart[] = [
  ...Object.values(payments),
  balance,
  activity,
  receive,
  callerSettings,
  help,
  goOn,
  recallPart,
]

/** Creates the menu from its parts; a digit means the same with all settings. */
export const createMenu = (settings: MenuSettings, parts = menuParts): Menu =>
  new Map([
    ['main', createMainMenu(settings, parts)] as const,
    ...parts.flatMap((part) => Object.entries(part.createNodes(settings))),
  ])

/** Creates the first list, ordered by digit. */
function createMainMenu(settings: MenuSettings, parts: readonly MenuPart[]): MenuList {
  const isDemo = settings.profile === 'demo'
  const visibleParts = parts
    .flatMap(({ digit, ...part }) => {
      const target = part.findTarget?.(settings)
      return digit === undefined || target === undefined ? [] : [{ ...part, digit, target }]
    })
    .sort((a, b) => Number(a.digit) - Number(b.digit))
  const [dynamicEntries] = parts.flatMap((part) => part.dynamicEntries?.(settings) ?? [])
  const entries = visibleParts.map(({ digit, words, target, note }): Entry => {
    const entry = { digit, label: (messages: Messages) => words(messages).label, target }
    return note === undefined || isDemo ? entry : { ...entry, note }
  })
  return {
    kind: 'list',
    ...(dynamicEntries && { dynamicEntries }),
    facts: isDemo
      ? []
      : [
          'failure',
          'pin',
          ...(dynamicEntries ? (['recipients'] as const) : []),
          ...visibleParts.flatMap(({ facts = [] }) => facts),
        ],
    title: (context, draft, facts) => writeMainTitle(settings, context, draft, facts),
    ...(!isDemo && {
      briefTitle: (context, draft, facts) => writeMainTitle(settings, context, draft, facts, ''),
      retryText: () => '',
    }),
    entries,
  }
}

/** Writes the title, or the reason why the account cannot pay, below a failure that is news. */
function writeMainTitle(
  { serviceName = defaultServiceName }: MenuSettings,
  { messages, caller }: MenuContext,
  { isPinSet }: SessionDraft,
  { failure, pin = { kind: 'open' } }: Partial<ScreenFacts>,
  number = ` (${caller})`,
): string {
  const usual = isPinSet ? messages.pin.isSet : `${serviceName}${number}`
  const named = pin.kind === 'blocked' ? messages.pin.isBlocked : usual
  const title = pin.hours === undefined ? named : messages.pin.waits(pin.hours)
  return failure === 'unreported' ? `${messages.hasFailed}\n${title}` : title
}
