import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { phoneOf } from '../../../scripts/dev/simulator/plan.ts'
import { playScript } from '../../../scripts/stack/dial-script.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Numbers 0 to 3: those of the local stack, with what it gives them, are among them. */
const callers = 4
const balanceWei = 10n ** 18n

describe.for(Object.entries(menus))('a flow of %s', ([profile, menu]) => {
  const files = globSync(`test/flows/${profile}/*.txt`, { cwd: root }).sort()

  test.for(files)('%s is dialled as it is written', async (file, { expect }) => {
    const product = { ...menu, leastTransferWei: 20n }
    const pool = { callers, poolLoans: 9, capLoans: 9 }
    const { deliver, settle } = openModelledRelay({ ...pool, balanceWei, product })
    const shown: string[] = []
    let sessions = 0
    await playScript(readFileSync(`${root}/${file}`, 'utf8'), {
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
      pause: settle,
    })
    expect(shown.join('\n')).toMatch(/(CON|END) /)
  })
})
