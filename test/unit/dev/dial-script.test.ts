import { expect, test } from 'vitest'
import { playScript } from '../../../scripts/stack/phone/dial-script.ts'

const dialled = 'phone +254700000001\ndial\n'

/** Plays a script on a phone that shows a menu, a question, and a balance that grows; what it delivers. */
async function play(script: string, balances: readonly string[] = ['1', '2']): Promise<string[]> {
  const sent: string[] = []
  let looks = 0
  await playScript(script, {
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
  return sent
}

test('a script of flows types answers, and labels as their digits, and dials again until a screen says what it waits for', async () => {
  const labels = `# Two of them.\n${dialled}> Send\n> Send\n\ndial\n> My Balance`
  expect(await play(labels)).toEqual(['s0 ', 's0 2', 's0 2*Send', 's3 ', 's3 1'])
  const waits = `${dialled}> 1\nuntil Your Balance: 2`
  expect(await play(waits, ['1', '1', '2'])).toEqual(['s0 ', 's0 1', 's2 1', 's3 1'])
  expect(await play(waits, ['2'])).toEqual(['s0 ', 's0 1'])
})

test.for([
  [
    'a screen without the line',
    `${dialled}> 2\n= What?`,
    'Line 4 of the script: the screen is: CON Who?',
  ],
  ['half a line', `${dialled}= My`, 'Line 3 of the script: the screen is: CON Menu'],
  ['an answer after the end', `${dialled}> 1\n> 1`, 'Line 4 of the script: the session is over'],
  [
    'a delivery that is answered otherwise',
    `${dialled}> 1\nagain`,
    'Line 4 of the script: the screen was',
  ],
  ['an unknown verb', `${dialled}press 1`, 'Line 3 of the script: a line begins with phone, dial'],
  [
    'a wait in vain',
    `${dialled}> 2\nuntil never`,
    'Line 4 of the script: the screen stays: CON Who?',
  ],
  ['no phone', 'dial', 'The script has to begin with: phone NUMBER'],
  ['a line before a screen', '= Menu', 'no one has dialled yet'],
] as const)('a script of flows stops at %s', async ([, script, message]) => {
  await expect(play(script)).rejects.toThrow(message)
})
