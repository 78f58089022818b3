import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { phoneOf } from '../../../scripts/dev/simulator/plan.ts'
import { playScript } from '../../../scripts/stack/phone/dial-script.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Numbers 0 to 3: those of the local stack, with what it gives them, are among them. */
const callers = 4
const balanceWei = 10n ** 18n

/** Plays a script on a relay of its own, and gives what each of its lines showed. */
async function play(script: string, menu: (typeof menus)[keyof typeof menus]): Promise<string[]> {
  const rate = async () => ({ currency: 'KES', micros: 12_000_000_000_000n })
  const product = { ...menu, leastTransferWei: 20_000_000_000_000n, rate }
  const pool = { callers, poolLoans: 9, capLoans: 9 }
  const { deliver, settle } = openModelledRelay({ ...pool, balanceWei, product })
  const shown: string[] = []
  let sessions = 0
  await playScript(script, {
    send: async ({ phone, session, text }) => {
      const caller = Array.from({ length: callers }, (_, index) => phoneOf(index)).indexOf(
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

/** What a script showed, its remarks as prose; hashes and dates, which differ each time, as one of them. */
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
    .replaceAll(/Until: \d+ \w+ \d+/g, 'Until: 22 Dec 2026')
}

test("a new caller's first day is the one that docs/new-caller.md has", async () => {
  const script = readFileSync(`${root}/test/flows/strict/new-caller.txt`, 'utf8')
  const transcript = transcriptOf(script, await play(script, menus.strict))
  await expect(`${heading}\n\n${transcript}\n`).toMatchFileSnapshot(`${root}/docs/new-caller.md`)
})

const heading = `# A new caller's first day

What phones show with \`PROFILE=lender\` and \`PIN=strict\`. The local stack shows the same: \`PROFILE=lender PIN=strict npm start -- --reset\`, then \`npm run dial -- --script test/flows/strict/new-caller.txt\`. The tests dial it in every run and compare it with this page (\`npx vitest run --project unit test/unit/ussd/flows.test.ts -u\` writes it again); hashes, dates and the address are examples, and a main menu that was shown before is left out.`
