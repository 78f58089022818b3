import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { friend, openWorld, plays, stranger } from '../world.ts'

const main = 'CON Rootstock DeFi…'
const failed = 'CON A payment failed: see 5|Rootstock DeFi…'
/** The modelled node gives no events of the loan contract. */
const unread = 'What you received cannot be shown now.'

describe('my activity', () => {
  plays('lists each payment with its true state, the newest first')`
      one: 2*${friend}*0.001*1
      settle
      0.001 s
      two: 2*${stranger}*0.002*1
      fail Balance too low
      0.001 s
      three: 3*1
      see: 5 -> CON My Activity|Loan of 0.01 tRBTC: arriving|Sent 0.002 tRBTC to 0x5aAeb605...: FAILED, Balance too low|98. More|0. Back
      see: 5*98 -> CON Sent 0.001 tRBTC to 2547...001: done|${unread}|0. Back
      see: 5*98*0 -> CON My Activity|Loan …|98. More|0. Back
      see: 5*98*0*0 -> ${failed}`

  test('says that there are older ones behind the last twelve', async () => {
    const { clock, deliver, play } = openWorld()
    const readLast = async () => {
      let way = '5'
      for (;;) {
        const screen = await deliver(0, `see${clock.now()}`, way)
        if (!screen.includes('98. More')) return screen
        way += '*98'
      }
    }
    for (let made = 1; made <= 12; made++) {
      if (made === 12) expect(await readLast()).not.toContain('Older')
      expect(await deliver(0, `s${made}`, `2*${friend}*0.000${30 + made}*1`)).toContain('Submitted')
      await play('settle')
    }
    expect(await readLast()).toContain('Older ones are not listed.')
  })

  test('names a payment by the number of its receipt, and its day', async () => {
    const { clock, deliver, play } = openWorld()
    const screen = await deliver(0, 's', `2*${friend}*0.001*1`)
    const [, number] = /^Ref: (\d{3}-\d{4})$/m.exec(screen) ?? []
    expect(number).toBeDefined()
    await play('settle')
    const [, date, month] = new Date(clock.now()).toUTCString().split(' ')
    const day = `${Number(date)} ${month}`
    expect(await deliver(0, 'see', '5')).toContain(
      `\nSent 0.001 tRBTC to 2547...001: done (${number}, ${day})\n`,
    )
  })

  plays('shows a repayment of the whole debt as "all"')`
      none@1: 5 -> CON My Activity|${unread}|0. Back
      loan: 3*1
      settle
      0.001 s
      repay: 4*1
      settle
      see: 5 -> CON My Activity|Repaid all that was owed: done|Loan of 0.01 tRBTC: done|…
      still none@1: 5 -> CON My Activity|${unread}|0. Back`

  test('is not offered in the demonstration, which remembers nothing', async () => {
    const { play, memoryCalls } = openWorld({ product: menus.demo })
    await play(`
      one: 2*${friend}*0.001
      settle
      s: 5 -> CON Please choose from the list.|…`)
    expect(memoryCalls()).toBe(0)
  })
})

describe('the first dial after a failure', () => {
  plays('reports the failure, in redeliveries of the same session too, and in no other session')`
      one: 2*${friend}*0.001*1
      fail Balance too low
      first: -> ${failed}
      first: -> same
      first: 2*0 -> ${failed}
      second: -> ${main}
      later: 2*${friend}*0.002*1
      settle
      first: -> same
      third: -> ${main}`

  plays('reports the newest unreported failure, one in each session, to its own caller only')`
      pay 1: 2*${friend}*0.001*1
      fail Paused
      0.001 s
      pay 2: 2*${friend}*0.002*1
      fail Paused
      0.001 s
      pay 3: 2*${friend}*0.003*1
      settle
      newest: -> ${failed}
      older: -> ${failed}
      newest: -> same
      none: -> ${main}
      friend@1: -> ${main}`

  test('does not report payments that are under way or done', async () => {
    const { play, memoryCalls } = openWorld()
    await play(`one: 2*${stranger}*0.001*1`)
    const before = memoryCalls()
    await play(`
      a: -> ${main}
      settle
      b: -> ${main}`)
    // Two looks each: for the language, and for whom the caller sent to last.
    expect(memoryCalls() - before).toBe(4)
  })
})
