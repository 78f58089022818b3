import { describe, test } from 'vitest'
import { type Dialled, playScript } from '../../../scripts/stack/phone/dial-script.ts'

const menu = 'CON Menu\n1. My Balance\n2. Send\n98. More'

/** A phone that notes what it delivers, and shows a menu, a question, and a balance that grows. */
function createPhone(balances: readonly string[] = ['1']) {
  const sent: Dialled[] = []
  let looks = 0
  const play = (script: string) =>
    playScript(script, {
      async send(dialled) {
        sent.push(dialled)
        if (dialled.text === '') return menu
        if (dialled.text !== '1') return 'CON Who?'
        looks += 1
        return `END Your Balance: ${balances[Math.min(looks, balances.length) - 1]}`
      },
      newSession: () => `s${sent.length}`,
      toPhone: (typed) => typed,
      show: () => {},
      looks: { everyMs: 0, withinMs: 1_000 },
    })
  return { sent, play }
}

describe('a script of flows', () => {
  test('types answers, and labels as their digits', async ({ expect }) => {
    const { sent, play } = createPhone()
    await play('# Two of them.\nphone +254700000001\n\ndial\n> Send\n> Send\ndial\n> My Balance')
    expect(sent).toEqual([
      { phone: '+254700000001', session: 's0', text: '' },
      { phone: '+254700000001', session: 's0', text: '2' },
      { phone: '+254700000001', session: 's0', text: '2*Send' },
      { phone: '+254700000001', session: 's3', text: '' },
      { phone: '+254700000001', session: 's3', text: '1' },
    ])
  })

  test('dials again until a screen says what it waits for', async ({ expect }) => {
    const { sent, play } = createPhone(['1', '1', '2'])
    await play('phone +254700000001\ndial\n> 1\nuntil Your Balance: 2')
    expect(sent.map(({ session, text }) => `${session} ${text}`)).toEqual([
      ...['s0 ', 's0 1', 's2 1', 's3 1'],
    ])
    const done = createPhone(['2'])
    await done.play('phone +254700000001\ndial\n> 1\nuntil Your Balance: 2')
    expect(done.sent).toHaveLength(2)
  })

  test.for([
    ['a screen without the line', '> 2\n= What?', 'Line 4 of the script: the screen is: CON Who?'],
    ['half a line', '= My', 'Line 3 of the script: the screen is: CON Menu'],
    ['an answer after the end', '> 1\n> 1', 'Line 4 of the script: the session is over'],
    ['a delivery that is answered otherwise', '> 1\nagain', 'Line 4 of the script: the screen was'],
    ['an unknown verb', 'press 1', 'Line 3 of the script: a line begins with phone, dial'],
    ['a wait in vain', '> 2\nuntil never', 'Line 4 of the script: the screen stays: CON Who?'],
  ] as const)('stops at %s', async ([, lines, message], { expect }) => {
    const { play } = createPhone(['1', '2'])
    await expect(play(`phone +254700000001\ndial\n${lines}`)).rejects.toThrow(message)
  })

  test('names its phone first', async ({ expect }) => {
    const { sent, play } = createPhone()
    await expect(play('dial')).rejects.toThrow('The script has to begin with: phone NUMBER')
    await expect(play('= Menu')).rejects.toThrow('no one has dialled yet')
    expect(sent).toEqual([])
  })
})
