import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findListener } from '../../../scripts/bench/cpu.ts'
import { bench } from '../../../scripts/bench/main.ts'
import { gasLimits } from '../../../scripts/bench/served/bundler.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { runHere } from '../../support/processes.ts'

test("a bundler's gas limits are three quantities in hex", () => {
  const answer = { preVerificationGas: '0xb5', verificationGasLimit: '0x1', callGasLimit: '0x0' }
  const read = { preVerificationGas: 181n, verificationGasLimit: 1n, callGasLimit: 0n }
  expect(gasLimits.parse({ ...answer, paymasterPostOpGasLimit: '0x0' })).toEqual(read)
  for (const callGasLimit of [undefined, 5, '5', '0x', '0x-5', '0xz', null]) {
    expect(gasLimits.safeParse({ ...answer, callGasLimit }).success).toBe(false)
  }
})

test('the process behind a port is found, and no other', async () => {
  const port = await freePort()
  expect(() => findListener(port)).toThrow(`port ${port}`)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  try {
    expect(findListener(port)).toBe(process.pid)
  } finally {
    server.close()
  }
})

test('a run beside a bundler stands alone, so nothing of it is compared or written', async () => {
  const url = 'http://127.0.0.1:1'
  for (const others of [['--check'], ['--token'], ['--only', 'payments']]) {
    const { code, output } = await runHere(bench, ['--peer', url, ...others], {})
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('alone') })
  }
  expect((await runHere(bench, ['--peer', 'alto'], {})).code).toBe(1)
})
