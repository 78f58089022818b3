import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { giveTills, openWorld, plays } from './world.ts'

const settings = { ...menus.agents.settings, pin: 'off' } as const

/** A world in which the second caller is an agent, and the third takes payments of bills. */
async function openAgents(options: Parameters<typeof openWorld>[0] = {}) {
  const world = openWorld({ product: { settings }, ...options })
  await giveTills(world)
  return world
}

const codeIn = (screen: string): string => /Code.*: (\d{6})/.exec(screen)?.[1] ?? ''
const withdraw = '7*12344*0.004*1'

describe('an agent', () => {
  test('sees that money arrives, and later that it is final, but no code that a caller has to tell', async () => {
    const { deliver, play } = await openAgents()
    const shown = await deliver(0, 's', withdraw)
    const code = codeIn(shown)
    expect(shown).toMatch(
      /^END Withdrawal Submitted\nAgent: 12344 Mama Duka\nAmount: 0.004 tRBTC\nCode for agent: \d{6}\nRef: \d{3}-\d{4}\n/,
    )
    await play(`
      s: ${withdraw} -> …Code for agent: ${code}|…
      agent@1: 5 -> CON My Activity|1. Agents: find code|Float: 0.02 tRBTC|0.004 tRBTC: arriving|Received today: 0 tRBTC|Of it paid out: 0 tRBTC|…
      settle
      agent@1: 5 -> CON My Activity|1. Agents: find code|Float: 0.024 tRBTC|0.004 tRBTC: to pay out|Received today: 0.004 tRBTC|Of it paid out: 0 tRBTC|…
      s: ${withdraw} -> …Code for agent: ${code}|…
      mine: 5 -> CON My Activity|Withdrew 0.004 tRBTC at 12344 Mama Duka (${code}): cash not given yet|…
      cash in@1: 2*+254700000003*0.001*1 -> END …
      settle
      agent@1: 5 -> …|Float: 0.023 tRBTC|…
      agent@1: 5*98 -> …Sent today: 0.001 tRBTC|…
      other@3: 5 -> not …Float…
      paid 1
      1 days
      agent@1: 5 -> …|0.004 tRBTC: to pay out|Received today: 0 tRBTC|…`)
  })

  test('has the day of callers, from midnight in their time zone', async () => {
    const { clock, play, ledger, accountOf } = await openAgents({
      product: { settings: { ...settings, timeZone: 'Africa/Nairobi' } },
    })
    // Half an hour before midnight there it is 20:30 UTC.
    const day = 24 * 60
    const minutes = day - (Math.floor((clock.now() - Date.UTC(2026, 0, 1, 20, 30)) / 60_000) % day)
    await play(`
      ${minutes} min
      settle
      s: ${withdraw} -> END Withdrawal Submitted…
      settle
      agent@1: 5 -> …|Received today: 0.004 tRBTC|…
      31 min
      agent@1: 5 -> …|Received today: 0 tRBTC|…
      s2: 7*12344*0.001*1 -> END Withdrawal Submitted…
      settle
      240 min
      agent@1: 5 -> …|Received today: 0.001 tRBTC|…`)
    // Another time zone moves the beginning of the day, and what was taken is counted once.
    const take = async (timeZone?: string) =>
      (await ledger.listTakings(accountOf(1), 1, timeZone))?.inWei
    const wei = 10n ** 15n
    expect(await take()).toBe(0n)
    expect(await take('Africa/Nairobi')).toBe(wei)
    expect(await take('America/Bogota')).toBe(5n * wei)
  })

  plays('is told in the menu that the till is under My Activity, and no other caller', openAgents)`
      agent@1: -> CON …|5. My Activity (your till)|…
      other@3: -> CON …|5. My Activity|…`

  test('sees that a payment has failed, so that no cash is handed out', async () => {
    const { deliver, play } = await openAgents()
    const code = codeIn(await deliver(0, 's', withdraw))
    await play(`
      fail Balance too low
      agent@1: 5 -> CON My Activity|1. Agents: find code|Float: 0.02 tRBTC|0.004 tRBTC: FAILED|Received today: 0 tRBTC|…
      agent@1: 5*1*${code} -> CON ${code} 0.004 tRBTC: FAILED|0. Back
      s: ${withdraw} -> END Withdraw: FAILED|No money was moved. Please dial again.`)
  })

  test("receives a payment even if the till's number was withdrawn meanwhile", async () => {
    const { ledger, play } = await openAgents()
    await play('s: 7*12344 -> CON To: 12344 Mama Duka|Amount, or all:|0. Back')
    await ledger.setTill({ id: 'gone', till: '12344' })
    await play(`
      other: 7*12344 -> CON No agent has this number. …
      s: ${withdraw} -> END Withdrawal Submitted|Agent: 12344 Mama Duka|…
      settle
      agent@1: 1 -> END Your Balance: 0.024 tRBTC`)
  })

  test('whose till is mistyped or withdrawn is not found', async () => {
    const { ledger, play } = await openAgents()
    await play(`
      typo: 7*12345 -> CON No agent has this number. …
      typo: 7*12345*12344 -> CON To: 12344 Mama Duka|…`)
    await ledger.setTill({ id: 'gone', till: '12344' })
    await play('s: 7*12344 -> CON No agent has this number. …')
  })

  test('has the limits of agents, and a caller has those of callers', async () => {
    const caller = { openPayments: 1, transfersADay: 2, sentADayWei: undefined }
    const agents = { openPayments: 3, transfersADay: undefined, sentADayWei: 3n * 10n ** 15n }
    const { play } = await openAgents({ limits: { ...caller, agents } })
    const send = (wei: string) => `2*+254700000003*${wei}*1`
    await play(`
      a: ${withdraw} -> END Withdrawal Submitted|…
      b: 7*12344*0.002*1 -> END Only 1 payments at a time. …
      a@1: ${send('0.001')} -> END Transfer Submitted|…
      b@1: ${send('0.0011')} -> END Transfer Submitted|…
      c@1: ${send('0.0012')} -> END You can send 0.0009 tRBTC more within a day. …
      c2@1: ${send('0.0008')} -> END Transfer Submitted|…
      d@1: ${send('0.0001')} -> END Only 3 payments at a time. …
      settle
      c: ${send('0.001')} -> END Transfer Submitted|…
      settle
      d: ${send('0.0012')} -> END Only 2 transfers a day. …`)
  })
})

describe('a code that a caller reads out', () => {
  const noCode = 'No withdrawal of this code at a till of yours. …'
  const question = 'For agents. Code of the withdrawal:|0. Back'

  test.for([8, 100])('is found behind %i payments of dust', async (count) => {
    const { deliver, play } = await openAgents({ balanceWei: 10n ** 18n })
    const code = codeIn(await deliver(0, 's', withdraw))
    await play('settle')
    for (let dust = 0; dust < count; dust++) {
      await play(`
        2 s
        dust ${dust}@3: 7*12344*0.0000${100 + dust}*1 -> END Withdrawal Submitted|…
        settle`)
    }
    await play(`
      list@1: 5 -> CON My Activity|1. Agents: find code|…98. More|0. Back
      agent@1: 5*1 -> CON ${question}
      agent@1: 5*1*${code} -> CON ${code} 0.004 tRBTC: to pay out|1. Use the code, then give cash|0. Back`)
  })

  test('is used up when the agent says that the cash was paid out', async () => {
    const { clock, deliver, play, rows } = await openAgents()
    const code = codeIn(await deliver(0, 's', withdraw))
    const line = `${code} 0.004 tRBTC: to pay out`
    await play(`
      early@1: 5*1*${code} -> CON ${code} 0.004 tRBTC: arriving|0. Back
      early@1: 5*1*${code}*1 -> not END …
      settle
      early@1: 5*1*${code} -> CON ${line}|0. Back
      one@1: 5*1*${code} -> CON ${line}|1. Use the code, then give cash|0. Back
      two@1: 5*1*${code} -> CON ${line}|1. Use the code, then give cash|0. Back`)
    const time = new Date(clock.now()).toISOString().slice(11, 16)
    const used = `${code} 0.004 tRBTC: paid out`
    const paid = `${used}|Paid out at ${time} UTC, <date>`
    await play(`
      one@1: 5*1*${code}*1 -> END The code is used up. Give the cash now.|${paid}
      2 min
      one@1: 5*1*${code}*1 -> same
      two@1: 5*1*${code}*1 -> END It was paid out before. Give no cash.|${paid}
      later@1: 5*1*${code} -> CON ${paid}|0. Back
      list@1: 5 -> CON My Activity|1. Agents: find code|Float: 0.024 tRBTC|${used}|Received today: 0.004 tRBTC|Of it paid out: 0.004 tRBTC|…
      mine: 5 -> …(${code}): cash given|…`)
    expect(rows().filter((row) => row.includes('paid_out'))).toHaveLength(1)
  })

  test('is that of one agent, and of a withdrawal', async () => {
    const { deliver, play } = await openAgents()
    const code = codeIn(await deliver(0, 's', withdraw))
    const goods = codeIn(await deliver(0, 'goods', '10*12344*0.003*1'))
    await play(`
      settle
      other@2: 5*1*${code} -> CON ${noCode}|${question}
      caller: 5*1*${code} -> CON ${noCode}|${question}
      goods@1: 5*1*${goods} -> CON ${noCode}|${question}
      typo@1: 5*1*12a -> CON ${noCode}|${question}
      typo@1: 5*1*12a*${code} -> CON ${code} 0.004 tRBTC: to pay out|1. Use the code, then give cash|0. Back`)
  })

  test('is used up with the PIN alone', async () => {
    const product = { settings: { ...menus.agents.settings, pin: 'on' } } as const
    const { deliver, play, rows } = await openAgents({ product })
    await play(`
      new: 1 -> CON Rootstock DeFi|Language…
      new: 1*1*739164*739164 -> END Your Balance: …
      agent@1: -> CON Rootstock DeFi|Language…
      agent@1: 1*482615*482615 -> CON Your PIN is set.|1. My Balance|…`)
    const code = codeIn(await deliver(0, 's', '7*12344*0.004*739164'))
    await play(`
      settle
      a@1: 5*1*${code} -> CON ${code} 0.004 tRBTC: to pay out|Enter PIN, then give the cash|0. Back
      a@1: 5*1*${code}*482619 -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|${code} 0.004 tRBTC: to pay out|Enter PIN, then give the cash|0. Back`)
    expect(rows().filter((row) => row.includes('paid_out'))).toEqual([])
    await play(`
      a@1: 5*1*${code}*482619*482615 -> END The code is used up. Give the cash now.|${code} 0.004 tRBTC: paid out|Paid out at …
      late@1: 5*1*${code} -> CON ${code} 0.004 tRBTC: paid out|Paid out at …|0. Back`)
  })
})

describe('a bill', () => {
  test('is paid with a reference that the payee and the ledger get, but not the chain', async () => {
    const { deliver, play, ledger, accountOf, rows } = await openAgents()
    const pay = '10*54320*AB-12*0.003*1'
    await play(`
      s: 10 -> CON Till or bill number:|0. Back
      s: 10*54320 -> CON Reference, for example your customer number:|0. Back
      s: 10*54320*AB-12*0.003 -> CON Pay 0.003 tRBTC|To: 54320 Water|For: AB-12|1. Pay|0. Change`)
    const shown = await deliver(0, 's', pay)
    const code = codeIn(shown)
    await play(`
      s: ${pay} -> END Payment Submitted|To: 54320 Water, AB-12|Amount: 0.003 tRBTC|Code: ${code}|Ref: <receipt>|…
      settle
      payee@2: 5 -> CON My Activity|1. Agents: find code|Float: 0.023 tRBTC|${code} 0.003 tRBTC AB-12: done|…`)
    const [payment] = await ledger.listPayments(accountOf(0), 1)
    const hex = Buffer.from('AB-12').toString('hex')
    expect(JSON.stringify(payment?.order.request)).not.toMatch(new RegExp(`AB-12|${hex}`))
    expect(rows().some((row) => row.includes('AB-12'))).toBe(true)
  })

  test("of another till is not paid for the first one's reference", async () => {
    const { deliver, ledger, accountOf } = await openAgents()
    await deliver(0, 's', '10*54320*AB-12*0*12344*0.003*1')
    const takings = await ledger.listTakings(accountOf(1), 9)
    expect(takings?.last).toMatchObject([{ reference: undefined }])
  })
})
