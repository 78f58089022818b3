import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('watched-program.ts', import.meta.url))

test('a program that has done its work ends, though its starter keeps a channel open', async () => {
  const child = fork(program)
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('a program that still works ends as asked when its starter is gone', async () => {
  const child = fork(program, ['works'])
  await once(child, 'message')
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([7, null])
})
