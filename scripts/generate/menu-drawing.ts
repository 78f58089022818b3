import { goOnName } from '../../src/ussd/menu/entries/go-on.ts'
import { isEffect, type NodeName, type Target } from '../../src/ussd/menu/node.ts'
import { writePrompt } from '../../src/ussd/menu/prompt.ts'
import type { Activity, ScreenFacts } from '../../src/ussd/screen-facts.ts'
import { findPaths, menus, sampleContext, startAt } from '../dev/menu-ways.ts'

function sample(kind: Activity['kind'], state: 'done' | 'arriving'): Activity {
  return { kind, amountWei: 10n ** 15n, counterparty: '2547...002', state: { kind: state } }
}

const facts: ScreenFacts = {
  debt: { owedWei: 10n ** 16n, dueAt: 1_798_000_000, isOverdue: false, rate: 'none' },
  terms: { feeWei: 0n, termSeconds: 86_400, principalWei: 10n ** 16n, dueAt: 1_798_000_000 },
  loanLimit: 10n ** 16n,
  earlier: { minutes: 3 },
  address: '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd',
  activity: {
    ownPayments: [sample('transfer', 'done'), sample('repayment', 'arriving')],
    received: [sample('received', 'done')],
  },
  pin: { kind: 'open' },
  withdrawal: 'unavailable',
  failure: 'none',
  till: 'none',
  recipients: [],
  wallets: [],
  rate: 'none',
  registration: 'registered',
  recipientName: 'none',
  heldNames: 'unavailable',
  recallable: [],
  isRecallSpent: false,
}

const drawn: readonly [heading: string, menu: keyof typeof menus, start: NodeName][] = [
  ['`PROFILE=demo`', 'demo', 'main'],
  ['`PROFILE=lender`', 'lender', 'main'],
  ['`PROFILE=lender`, `PIN=strict`', 'strict', 'main'],
  ['The same where no PIN was chosen yet', 'strict', 'firstLanguage'],
  ['`PROFILE=lender`, after a session that was cut', 'lender', goOnName],
]

export function drawMenus(): string {
  return [
    '# The menu of the USSD service',
    '',
    'Written by `npm run generate`. `…` is an answer in the caller’s own words. `0` goes back, `00` to',
    'the main menu. A third bad answer to one question ends the session. With `LOCAL_CURRENCY` amounts',
    'are typed in it, and what was agreed in it is shown first: `KES 1,000 (0.000083 tRBTC)`.',
    ...drawn.flatMap((one) => ['', `## ${one[0]}`, '', '```mermaid', ...drawMenu(...one), '```']),
    '',
  ].join('\n')
}

/** Draws each place with its screen, and each way with what is typed for it. */
function drawMenu(_: string, menu: keyof typeof menus, start: NodeName): string[] {
  const context = sampleContext(menus[menu])
  const { places, effects, steps } = findPaths(context, startAt(start))
  return [
    'flowchart LR',
    ...[...places].map(([name, { place }]) => {
      const lines = writePrompt(place, context, facts).replaceAll('"', '#quot;').split('\n')
      return `  ${name}["${lines.join('<br>')}"]`
    }),
    ...[...effects.keys()].map((name) => `  end_${name}(["END: ${name}"])`),
    ...steps.map(({ from, to, typed }) => {
      // A star would be a list.
      return `  ${from} -->|"${typed === '*' ? '…' : typed}"| ${idOf(to)}`
    }),
  ]
}

/** Prefixes effects, because an effect and a place may have the same name. */
const idOf = (to: Target): string => (isEffect(to) ? `end_${to.name}` : to)
