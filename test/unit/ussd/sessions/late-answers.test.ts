import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { friend, openWorld, plays, stranger } from '../world.ts'

const send = `2*${friend}*0.001`
const shown = 'Send 0.001 tRBTC|To: +254 700 000 001|'
const confirmed = 'Fee: none|1. Send|0. Change'
const made = 'END Transfer Submitted|…'
const ended = 'END This session has ended. Please dial again.'
const closed = 'END This session has ended. Nothing was sent. Please dial again.'

describe('an answer that comes later than its session can live', () => {
  plays('pays nothing unasked, even after an equal payment of another session')`
      late: ${send} -> CON ${shown}${confirmed}
      60 s
      other: ${send}*1 -> ${made}
      settle
      672 s
      late: ${send}*1 -> CON Not sent yet.|${shown}${confirmed}
      late: ${send}*1 -> same
      paid 1
      late: ${send}*1*1 -> ${made}
      late: ${send}*1*1 -> same
      paid 2`

  plays('is counted from the first time that its question was shown')`
      s: ${send} -> CON ${shown}${confirmed}
      170 s
      s: ${send} -> same
      t: ${send} -> CON ${shown}${confirmed}
      11 s
      s: ${send}*1 -> CON Not sent yet.|…
      t: ${send}*1 -> ${made}
      179 s
      s: ${send}*1*0*0.002 -> CON Send 0.002 tRBTC|…
      s: ${send}*1*0*0.002*1 -> ${made}
      paid 2`

  plays('asks again each time, until there were too many')`
      s: ${send}
      181 s
      s: ${send}*1 -> CON Not sent yet.|…
      181 s
      s: ${send}*1*1 -> CON Not sent yet.|…
      181 s
      s: ${send}*1*1*1 -> CON Not sent yet.|…
      s: ${send}*1*1*1*1 -> ${closed}
      paid 0`

  plays('to the question whether to send again is asked that question again')`
      first: ${send}*1 -> ${made}
      settle
      s: ${send}*1 -> CON You sent 0.001 tRBTC|To: +254 700 000 001|Just now. Send it again?|2. Send once more|0. Change
      181 s
      s: ${send}*1*2 -> CON Not sent yet.|You sent 0.001 tRBTC|To: +254 700 000 001|3 min ago. Send it again?|2. Send once more|0. Change
      500 s
      s: ${send}*1*2*2 -> CON Not sent yet.|Send 0.001 tRBTC|To: +254 700 000 001?|2. Send once more|0. Change
      paid 1
      s: ${send}*1*2*2*2 -> ${made}
      paid 2`

  plays('takes no loan and repays nothing')`
      loan: 3 -> CON Loan: 0.01 tRBTC|…
      part: 4*2
      181 s
      loan: 3*1 -> CON Not sent yet.|Loan: 0.01 tRBTC|…
      paid 0
      loan: 3*1*1 -> END Loan Requested|…
      settle
      part: 4*2*0.001 -> CON Not sent yet. Please try again.|…
      paid 1
      part: 4*2*0.001*0.002 -> END Repayment Submitted|…
      settle
      out: 7*${stranger}*0.001
      181 s
      out: 7*${stranger}*0.001*1 -> CON Not sent yet.|Cash out 0.001 tRBTC|…
      all: 2*${friend}*all
      181 s
      all: 2*${friend}*all*1 -> CON Not sent yet.|Send all you have|…
      paid 2`

  const own = '482615'
  const asked = `${shown}Fee: none|Enter PIN to send|0. Change`
  const settings = { ...menus.agents.settings, languages: ['en'] as const }
  const openWithPin = () => openWorld({ product: { ...menus.agents, settings } })
  plays('is asked for the PIN again', openWithPin)`
      first:
      first: ${own}*${own}
      s: ${send} -> CON ${asked}
      181 s
      s: ${send}*${own} -> CON Not sent yet.|${asked}
      s: ${send}*${own}*739164 -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|${asked}
      s: ${send}*${own}*739164*${own} -> ${made}
      paid 1`

  const theirs = `2*+254700000000*0.001*${own}`
  plays('ends the session that chose a PIN first', openWithPin)`
      s: ${send}*${own} -> CON Choose a PIN…
      s: ${send}*${own}*${own} -> CON Type the same PIN again.|0. Back
      181 s
      s: ${send}*${own}*${own}*${own} -> ${closed}
      s: ${send}*${own}*${own}*${own} -> same
      paid 0
      t@1: ${theirs} -> CON Choose a PIN…
      t@1: ${theirs}*${own}
      t@1: ${theirs}*${own}*${own} -> ${made}`

  test('pays nothing unasked where a gateway sends the last answer alone', async () => {
    const { clock, sendLast, paid } = openWorld()
    const type = (...answers: string[]) => sendLast({ caller: 0, session: 's', answers })
    const typed = send.split('*')
    for (const count of [0, 1, 2, 3]) await type(...typed.slice(0, count))
    clock.forward(181_000)
    expect(await type(...typed, '1')).toMatch(/^CON Not sent yet\.\nSend 0\.001 tRBTC/)
    expect(await paid(0)).toBe(0)
    expect(await type(...typed, '1', '1')).toMatch(/^END Transfer Submitted/)
    expect(await paid(0)).toBe(1)
  })

  plays('pays in the demonstration', () => openWorld({ product: menus.demo }))`
      s: 2*${stranger}
      672 s
      s: 2*${stranger}*0.001 -> ${made}`
})

describe('after a payment of its session', () => {
  const others = ['', '2', send, `${send}*1*2`, `${send}*1*7`, `${send}*2`, '1', '3*1', '5', '6*1']
  test.for([...others, '8*1*2', '9', '7*1', '9*9*9', '42*42*42*42'])(
    'any other text is told that it has ended: "%s"',
    async (text) => {
      const { play } = openWorld()
      await play(`
        s: ${send}*1 -> ${made}
        s: ${text} -> ${ended}
        s: ${send}*1 -> same
        settle
        s: ${text} -> ${ended}
        1 min
        s: ${text} -> ${ended}
        paid 1`)
    },
  )

  plays('the demonstration shows its screens', () => openWorld({ product: menus.demo }))`
      s: 2*${stranger}*0.001 -> ${made}
      s: -> CON Rootstock DeFi…
      s: 2 -> CON Enter Recipient Address:_________
      s: 1 -> END Your Balance: …
      s: 2*${stranger}*0.001*2 -> ${ended}
      s: 2*${stranger}*0.002 -> ${ended}
      paid 1`
})

describe('a session id that comes back', () => {
  const sent = 'END Sent 0.001 tRBTC to 2547...001: '
  const nothingMore = 'Nothing more was sent. Please dial again.'

  plays('is told what the session paid and when, and pays nothing')`
      s: ${send}*1 -> ${made}
      9 min
      s: ${send}*1 -> same
      2 min
      s: ${send}*1 -> ${sent}arriving|11 min ago. ${nothingMore}
      settle
      s: ${send}*1 -> ${sent}done|11 min ago. ${nothingMore}
      2 days
      s: ${send}*1 -> ${sent}done|48 h ago. ${nothingMore}
      s: -> ${ended}
      s: ${send} -> ${ended}
      s: ${send}*1*2 -> ${ended}
      paid 1`

  plays('is told of each kind of payment')`
      loan: 3*1
      settle
      repaid: 4*1
      settle
      all: 2*${friend}*all*1
      settle
      11 min
      loan: 3*1 -> END Loan of 0.01 tRBTC: done|11 min ago. ${nothingMore}
      repaid: 4*1 -> END Repaid all that was owed: done|11 min ago. ${nothingMore}
      all: 2*${friend}*all*1 -> END Sent 0.02 tRBTC to 2547...001: done|11 min ago. ${nothingMore}
      paid 3`

  plays('is told of a failure, and that a refusal sent nothing')`
      failed: ${send}*1 -> ${made}
      refused: 2*${friend}*0.9*1 -> END Your balance is too low: 0.019 tRBTC.…
      fail Recipient not allowed
      wrong: 42*42*42 -> END Too many wrong answers. Nothing was sent. Please dial again.
      9 min
      refused: 2*${friend}*0.9*1 -> same
      2 min
      failed: ${send}*1 -> END Send Money: FAILED|No money was moved. Please dial again.
      refused: 2*${friend}*0.9*1 -> ${closed}
      wrong: 42*42*42 -> ${closed}`

  test.for([
    ['sw', 'Ulituma 0.001 tRBTC kwa 2547...001: njiani|Dakika 11 zilizopita. Hakuna zaidi…'],
    ['fr', "Envoyé 0.001 tRBTC à 2547...001: en cours|Il y a 11 min. Rien de plus n'a été…"],
    ['es', 'Envio 0.001 tRBTC a 2547...001: en camino|Hace 11 min. No se envio nada mas.…'],
  ] as const)('is told so in %s', async ([language, words]) => {
    const settings = { ...menus.lender.settings, languages: [language] }
    const { play } = openWorld({ product: { settings } })
    await play(`
      s: ${send}*1
      11 min
      s: ${send}*1 -> END ${words}`)
  })

  plays('gets the stored reply in the demonstration', () => openWorld({ product: menus.demo }))`
      s: 2*${stranger}*0.001 -> ${made}
      7 days
      s: 2*${stranger}*0.001 -> same
      paid 1`
})
