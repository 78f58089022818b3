import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { createDevFolder, dial, startStack } from './stack-process.ts'

const transcript = new URL('../../conformance/demonstration.txt', import.meta.url)
const phoneNumber = '+254700000001'

test('a plain start shows the screens and writes the log of the transcript, byte for byte', async () => {
  const expected = readFileSync(transcript, 'utf8')
  const folder = createDevFolder()
  const start = await startStack(folder)
  const { relayUrl } = start.stack()
  const outcomes = () => outcomesIn(join(folder, 'logs', 'relay.log'))

  const steps: string[] = []
  const shown: string[] = []
  let told = 0
  for (const [step = '', sessionId, text = ''] of stepsOf(expected)) {
    if (sessionId === undefined) {
      await until(() => outcomes().length > told)
      steps.push(`${step}\n${masked(outcomes()[told] ?? '')}\n`)
      told += 1
    } else {
      const screen = await dial(relayUrl, { sessionId, phoneNumber, text })
      shown.push(...(/^Tx: (0x\w+)/m.exec(screen)?.slice(1) ?? []))
      steps.push(`${step}\n${masked(screen)}\n`)
    }
  }
  expect(steps.join('\n')).toBe(expected)

  // Each hash that a screen cuts off is the beginning of one that the log has in full.
  expect(outcomes()).toHaveLength(2)
  const [transfer, loan] = outcomes().map((line) => line.replace(/^.*: /, '').slice(0, 12))
  expect(shown).toEqual([transfer, transfer, loan])
  await start.interrupt()
})

/** The lines that act: a delivery with its session and text, or a look at the log. */
function stepsOf(text: string): RegExpMatchArray[] {
  return [...text.matchAll(/^\$ (?:dial ([\w-]+) '([^']*)'|log)$/gm)]
}

/** Hashes differ from chain to chain: each digit of one becomes `#`. */
function masked(text: string): string {
  const hashes = /(?<=(?:^Tx: |confirmed: )0x)[0-9a-f]+/gm
  return text.replaceAll(hashes, (digits) => '#'.repeat(digits.length))
}

/** What the log says of payments that came to an end, in its order. */
function outcomesIn(file: string): string[] {
  // It begins with the first line that the Worker writes.
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  const outcome = /"message":"((?:Transfer|Loan) (?:confirmed|failed on-chain): [^"]+)"/
  return lines.flatMap((line) => outcome.exec(line)?.slice(1) ?? [])
}
