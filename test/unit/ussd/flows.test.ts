import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { getPhone } from '../../../scripts/dev/simulator/plan.ts'
import { playScript } from '../../../scripts/stack/phone/dial-script.ts'
import { createTokenUnit } from '../../../src/loan/amounts.ts'
import { createAmountFormats } from '../../../src/ussd/screens/amount-formats.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'
import { measureMinutesToFinal } from '../simulator/minutes-to-final.ts'
import { giveTills } from './world.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const dollar = createTokenUnit('USD', { address: `0x${'5'.repeat(40)}`, decimals: 18 })

/** Numbers 0 to 3: those of the local stack, with what it gives them, are among them. */
const callers = 4
const balanceWei = 10n ** 18n

/** Plays a script on a relay of its own, and gives what each of its lines showed. */
async function play(script: string, menu: (typeof menus)[keyof typeof menus]): Promise<string[]> {
  const isDollar = 'choosesLoan' in menu.settings
  const micros = isDollar ? 129_350_000n : 12_000_000_000_000n
  const pool = { callers, poolLoans: 9, capLoans: 9 }
  const coins = { minTransferWei: 20_000_000_000_000n }
  const dollars = {
    ...createAmountFormats(dollar, menu.settings),
    unit: dollar,
    minTransferWei: 50_000n,
  }
  const relay = openModelledRelay({
    ...{ ...pool, balanceWei: isDollar ? 100_000_000n : balanceWei },
    product: {
      ...menu,
      ...(isDollar ? dollars : coins),
      readRate: async () => ({ currency: 'KES', micros }),
    },
  })
  if (isDollar) relay.changePrincipal(10_000_000n)
  const { deliver, settle } = relay
  if ('agents' in menu.settings) await giveTills(relay, 2)
  const shown: string[] = []
  let sessions = 0
  await playScript(script, {
    send: async ({ phone, session, text }) => {
      const caller = Array.from({ length: callers }, (_, index) => getPhone(index)).indexOf(
        phone as never,
      )
      return await deliver(caller, session, text)
    },
    newSession() {
      sessions += 1
      return `s${sessions}`
    },
    toPhone: (typed) => typed,
    show: (line) => shown.push(line),
    settle,
  })
  return shown
}

describe.for(Object.entries(menus))('a flow of %s', ([profile, menu]) => {
  const files = globSync(`test/flows/${profile}/*.txt`, { cwd: root }).sort()

  test.for(files)('%s is dialled as it is written', async (file) => {
    const shown = await play(readFileSync(`${root}/${file}`, 'utf8'), menu)
    expect(shown.join('\n')).toMatch(/(CON|END) /)
  })
})

const mPesaAnswers = 5

/** Returns a script's screens, with remarks as prose, and all hashes and dates alike. */
function transcriptOf(script: string, shown: readonly string[]): string {
  const rest = [...shown]
  const menus = new Set<string>()
  const parts = script.split('\n').flatMap((line): string[] => {
    if (line === '') return []
    if (line.startsWith('#')) return [line.slice(1).trim()]
    const verb = rest.shift() ?? ''
    const screen = rest[0]?.startsWith('\n') ? rest.shift()?.trim() : undefined
    if (screen === undefined) return verb.startsWith('=') ? [] : [`\`${verb}\``]
    // The main menu is the same at most dials.
    if (verb === 'dial' && menus.has(screen)) return []
    if (verb === 'dial') menus.add(screen)
    const typed = verb.startsWith('until') ? 'dial, and the same again' : verb
    return [`\`\`\`text\n${typed}\n\n${screen}\n\`\`\``]
  })
  return parts
    .join('\n\n')
    .replaceAll(/0x[0-9a-f]{10}\.\.\.(?=\n)/g, '0x0123456789...')
    .replaceAll(/\b\d{3}-\d{4}\b(?!\d)/g, '348-2156')
    .replaceAll(/(?<=Paid out at ).+/g, '14:05 UTC, 28 Nov 2026')
    .replaceAll(/(?<=\d{3}-\d{4}, )\d+ \w+/g, '28 Nov')
    .replaceAll(/Until: \d+ \w+ \d+/g, 'Until: 22 Dec 2026')
    .replaceAll(
      /(?<=Code(?: for agent)?: |\(|(?:CON|END) )\d{6}|<code>|^\d{6}(?= (?:0\.02 tRBTC|KES))/gm,
      '204816',
    )
}

/** Says what the screens count. */
const describeDollars = async () => `

The pool is over a token of which one is a dollar, here worth 129.35 shillings. She borrows, draws
cash and pays back in shillings: of what she types, a payment keeps the shillings that she agreed
to, and what is owed is in dollars. \`LOAN_CHOICE=on\`, the default with a \`UNIT\`, asks how
much. The tills that \`npm start\` names are other than the script's 12344.`

const pages = {
  'new-caller': {
    script: 'strict/new-caller.txt',
    title: "A new caller's first day",
    settings: 'PROFILE=lender` and `PIN=strict',
    start: 'PROFILE=lender PIN=strict npm start -- --reset',
    rest: async () => '',
  },
  'first-day': {
    script: 'dollar/first-day.txt',
    title: "A borrower's first day in shillings",
    settings: 'UNIT`, `LOCAL_CURRENCY=KES` and `AGENTS=on',
    start: 'UNIT=usd PROFILE=lender AGENTS=on LOCAL_CURRENCY=KES npm start -- --reset',
    rest: describeDollars,
  },
  'cash-in-hand': {
    script: 'agents/cash-in-hand.txt',
    title: 'From the first dial to cash in hand',
    settings: 'PROFILE=lender` and `AGENTS=on',
    start: 'PROFILE=lender AGENTS=on npm start -- --reset',
    rest: describeCashInHand,
  },
} as const

test.for(Object.entries(pages))('%s of docs has what is dialled', async ([name, page]) => {
  const [folder = ''] = page.script.split('/')
  const menu = menus[folder as keyof typeof menus]
  const script = readFileSync(`${root}/test/flows/${page.script}`, 'utf8')
  const transcript = transcriptOf(script, await play(script, menu))
  const text = `${headingOf(page)}${await page.rest()}\n\n${transcript}\n`
  await expect(text).toMatchFileSnapshot(`${root}/docs/${name}.md`)
})

const headingOf = ({ title, settings, start, script }: (typeof pages)[keyof typeof pages]) =>
  `# ${title}

What phones show with \`${settings}\`. The local stack shows the same:

\`\`\`sh
${start}
npm run dial -- --script test/flows/${script}
npx vitest run --project unit test/unit/ussd/flows.test.ts -u  # writes this page again
\`\`\`

The tests dial it in every run and compare it with this page. Hashes, dates and the address are
examples. A main menu that was shown before is left out.`

/** Says how many answers it takes beside M-Pesa's, which is the bound, and how long. */
async function describeCashInHand(): Promise<string> {
  const script = readFileSync(`${root}/test/flows/agents/cash-in-hand.txt`, 'utf8')
  const [, withdrawal = ''] = /\ndial\n(> Cash Out\n.*?)\nagain/s.exec(script) ?? []
  const answers = withdrawal.split('\n').filter((line) => line.startsWith('> ')).length
  expect(answers).toBeLessThanOrEqual(mPesaAnswers)
  const minutes = await measureMinutesToFinal(100)
  const within = (share: number) => minutes[Math.ceil(share * minutes.length) - 1]?.toFixed(1)
  return `

![The caller's phone: the withdrawal is submitted, with its code](pictures/cash-out-caller.png)

A withdrawal takes **${answers} answers** after the dial: Cash Out, the agent's number, the amount,
the PIN below what it is for. M-Pesa's takes ${mPesaAnswers} after \`*334#\`: withdraw, the agent's
number, the amount, the PIN, a confirmation. The tills of the script are an example:
\`npm run ops -- agents add "Mama Duka"\` gives the agent's number (\`+254700000002\`) one, which
takes the place of 12344.

Cash is in hand when the agent sees "done": **${within(0.5)} minutes** after "Submitted" for half of 100
withdrawals, and within ${within(0.95)} for 95 of them. They were made on the simulator's chain, which has
Rootstock's rules: a block each 25 s on average, and 12 of them until an outcome is told
(\`CONFIRMATIONS\`).

With [\`LOCAL_CURRENCY=KES\`](configuration.md) she types \`1000\`, and what was agreed comes first: she
reads \`Amount: KES 1,000 (0.000083 tRBTC)\`, and the agent \`KES 1,000: to pay out\`, whatever a
coin is worth by then (\`test/flows/local/every-way.txt\`). The float has its worth of today.`
}
