import { createServer } from 'node:http'
import { onTestFinished, test } from 'vitest'
import { waitUntilHealthy } from '../../../scripts/stack/served/healthy.ts'

/** A Worker that answers as it is told; undefined: never. */
async function serve(answers: (number | undefined)[]): Promise<string> {
  const server = createServer((_, response) => {
    const status = answers.length > 1 ? answers.shift() : answers[0]
    if (status !== undefined) response.writeHead(status).end('words')
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

const isRunning = () => true

test('a Worker that is slow to answer, or not healthy yet, is asked again', async () => {
  const url = await serve([undefined, 503, 200])
  await waitUntilHealthy({ url, isRunning }, { withinMs: 60_000, answerMs: 50 })
})

test('one that stays so is told of with what it said, and one that ended at once', async ({
  expect,
}) => {
  const times = { withinMs: 0, answerMs: 60_000 }
  const ill = await serve([503])
  await expect(waitUntilHealthy({ url: ill, isRunning }, times)).rejects.toThrow(
    'The Worker is not healthy (503): words',
  )
  const hasEnded = { url: 'http://127.0.0.1:1', isRunning: () => false }
  await expect(waitUntilHealthy(hasEnded)).rejects.toThrow('The Worker is not healthy (no answer)')
})
