import { spawnSync } from 'node:child_process'
import { test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { listFirstDials, writeFirstDials } from '../../../scripts/stack/first-dials.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { openWorld } from '../ussd/world.ts'

const caller = '+254700000001' as PhoneNumber
const friend = '+254700000002' as PhoneNumber

const { agents } = menus
const products = {
  ...menus,
  choice: { ...agents, settings: { ...agents.settings, choosesLoan: true } },
  named: { ...agents, settings: { ...agents.settings, recipientNames: true } },
}

test.for([
  ['demo', 'off', false],
  ['lender', 'off', true],
  ['strict', 'strict', true],
  ['agents', 'on', true],
  ['choice', 'on', true],
  ['named', 'on', true],
] as const)(
  'what a start says to try works with the menu of %s',
  async ([menu, pin, confirms], { expect }) => {
    const { play } = openWorld({ product: products[menu] })
    const dials = listFirstDials({ ...products[menu].settings, pin, confirms }, friend)
    const choosing = [
      'CON Rootstock DeFi|Language /…',
      'CON Choose a PIN…',
      'CON Type the same PIN again…',
      'CON Your PIN is set…',
    ]
    const screens = [
      ...(pin === 'off' ? ['CON Rootstock DeFi …'] : choosing),
      'END Your Balance: …',
      'END Transfer Submitted…',
      'END Loan Requested…',
    ]
    expect(dials).toHaveLength(screens.length)
    const lines = dials.map(([session, text], index) => `s${session}: ${text} -> ${screens[index]}`)
    await play(lines.join('\n'))
  },
)

test('the lines work when they are pasted together: a session for each way', ({ expect }) => {
  const dials = [
    [1, ''],
    [2, '2*+1'],
  ] as const
  const lines = writeFirstDials('http://127.0.0.1:1', caller, dials)
  const printed = lines.map((line) => line.replace('curl', `printf '%s\\n'`)).join('\n')
  const { stdout } = spawnSync('sh', ['-c', printed], { encoding: 'utf8' })
  expect(new Set(stdout.match(/(?<=sessionId=)[0-9]+-[0-9]+/g)).size).toBe(2)
  expect(stdout).toContain('text=2*%2B1')
})
