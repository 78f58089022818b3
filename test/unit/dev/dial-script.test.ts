import { expect, test } from 'vitest'
import { playScript } from '../../../scripts/stack/phone/dial-script.ts'

const dialled = 'phone +254700000001\ndial\n'

/** Plays a script on a phone with a menu, a question and a growing balance; returns deliveries. */
async function play(script: string): Promise<string[]> {
  const sent: string[] = []
  let balance = 0
  await playScript(script, {
    async send({ session, text }) {
      sent.push(`${session} ${text}`)
      if (text === '') return 'CON Menu\n1. My Balance\n2. Send\n98. More'
      return text === '1' ? `END Your Balance: ${++balance}` : 'CON Who?'
    },
    newSession: () => `s${sent.length}`,
    toPhone: (typed) => typed,
    show: () => {},
    polling: { everyMs: 0, withinMs: 1_000 },
  })
  return sent
}

test('a script of flows types answers, and labels as their digits, and dials again until a screen says what it waits for', async () => {
  const script = `# Two of them.\n${dialled}> Send\n> Send\n\ndial\n> My Balance\nuntil Your Balance: 3`
  const sent = ['s0 ', 's0 2', 's0 2*Send', 's3 ', 's3 1', 's5 1', 's6 1']
  expect(await play(script)).toEqual(sent)
})

test.for([
  ['a screen without the line', `${dialled}> 2\n= What?`, 'Line 4', 'the screen is: CON Who?'],
  ['half a line', `${dialled}= My`, 'Line 3', 'the screen is: CON Menu'],
  ['an answer after the end', `${dialled}> 1\n> 1`, 'Line 4', 'the session is over'],
  ['another answer to the same', `${dialled}> 1\nagain`, 'Line 4', 'the screen was'],
  ['an unknown verb', `${dialled}press 1`, 'Line 3', 'a line begins with phone, dial'],
  ['a wait in vain', `${dialled}> 2\nuntil never`, 'Line 4', 'the screen stays: CON Who?'],
  ['no phone', 'dial', 'The script', 'has to begin with: phone NUMBER'],
  ['a line before a screen', '= Menu', 'Line 1', 'no one has dialled yet'],
] as const)('a script of flows stops at %s', async ([, script, line, why]) => {
  await expect(play(script)).rejects.toThrow(new RegExp(`^${line}.*${why}`, 's'))
})
