import { describe, expect, test } from 'vitest'
import { playScript } from '../../../scripts/stack/phone/dial-script.ts'

const dialled = 'phone +254700000001\ndial\n'

/** A phone that notes what it delivers, and shows a menu, a question, and a balance that grows. */
function createPhone(balances: readonly string[] = ['1']) {
  const sent: string[] = []
  let looks = 0
  const play = (script: string) =>
    playScript(script, {
      async send({ session, text }) {
        sent.push(`${session} ${text}`)
        if (text === '') return 'CON Menu\n1. My Balance\n2. Send\n98. More'
        if (text !== '1') return 'CON Who?'
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
  test.for<[what: string, script: string, balances: string[], sent: string[]]>([
    [
      'types answers, and labels as their digits',
      `# Two of them.\n${dialled}> Send\n> Send\n\ndial\n> My Balance`,
      ['1'],
      ['s0 ', 's0 2', 's0 2*Send', 's3 ', 's3 1'],
    ],
    [
      'dials again until a screen says what it waits for',
      `${dialled}> 1\nuntil Your Balance: 2`,
      ['1', '1', '2'],
      ['s0 ', 's0 1', 's2 1', 's3 1'],
    ],
    [
      'dials no more where it says so',
      `${dialled}> 1\nuntil Your Balance: 2`,
      ['2'],
      ['s0 ', 's0 1'],
    ],
  ])('%s', async ([, script, balances, expected]) => {
    const { sent, play } = createPhone(balances)
    await play(script)
    expect(sent).toEqual(expected)
  })

  test.for([
    ['a screen without the line', '> 2\n= What?', 'Line 4 of the script: the screen is: CON Who?'],
    ['half a line', '= My', 'Line 3 of the script: the screen is: CON Menu'],
    ['an answer after the end', '> 1\n> 1', 'Line 4 of the script: the session is over'],
    ['a delivery that is answered otherwise', '> 1\nagain', 'Line 4 of the script: the screen was'],
    ['an unknown verb', 'press 1', 'Line 3 of the script: a line begins with phone, dial'],
    ['a wait in vain', '> 2\nuntil never', 'Line 4 of the script: the screen stays: CON Who?'],
  ] as const)('stops at %s', async ([, lines, message]) => {
    await expect(createPhone(['1', '2']).play(`${dialled}${lines}`)).rejects.toThrow(message)
  })

  test('names its phone first', async () => {
    const { play } = createPhone()
    await expect(play('dial')).rejects.toThrow('The script has to begin with: phone NUMBER')
    await expect(play('= Menu')).rejects.toThrow('no one has dialled yet')
  })
})
