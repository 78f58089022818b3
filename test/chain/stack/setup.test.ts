import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildContracts } from '../../../scripts/contracts/forge.ts'
import { type Anvil, startAnvil } from '../../../scripts/dev/anvil.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { readPort } from '../../../scripts/stack/options.ts'
import { quietTools } from '../../../scripts/stack/served/worker-build.ts'
import { runScript, startProcess } from '../../support/processes.ts'
import { dial } from './stack-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** `.dev.vars` stands beside wrangler.toml, so these tests have a copy of everything, where people put it. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'ussd relay of mine-'))
  copies.push(copy)
  const left = ['node_modules', '.git', '.dev', '.dev.vars', '.wrangler']
  cpSync(root, copy, { recursive: true, filter: (path) => !left.includes(basename(path)) })
  mkdirSync(join(copy, 'node_modules'))
  // forge compiles anew what it knows by another path.
  const compiled = join('node_modules', '@openzeppelin')
  cpSync(join(root, compiled), join(copy, compiled), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const path = join('node_modules', name)
    if (path !== compiled) symlinkSync(join(root, path), join(copy, path))
  }
  return copy
}

const copies: string[] = []

afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
})

const setup = (copy: string, args: string[]) => run(copy, 'scripts/setup.mjs', args)

/** A command of the copy, to its end. */
const run = (copy: string, script: string, args: string[], env: Record<string, string> = {}) =>
  runScript(script, args, { cwd: copy, env: { DEV_DIR: undefined, ...env } })

/** `npx wrangler dev`, and what it has printed so far. */
function wranglerDev(copy: string, port: number): () => string {
  const program = join(root, 'node_modules/.bin/wrangler')
  const env = { ...quietTools, WRANGLER_LOG: 'log' }
  const wrangler = startProcess(program, ['dev', '--port', `${port}`], {
    cwd: copy,
    detached: true,
    env,
  })
  onTestFinished(async () => {
    process.kill(-(wrangler.child.pid ?? 0), 'SIGKILL')
    await wrangler.ended
  })
  return wrangler.output
}

test('wrangler dev in a fresh clone says what to run, in one line', async () => {
  const output = wranglerDev(copyRepository(), await freePort())
  await until(() => /Ready on|ERROR/.test(output()))
  expect(output().match(/.*npm run setup.*/g)).toEqual([
    expect.stringMatching(/Run: npm run setup -- --node-url http:\/\/127\.0\.0\.1:8545 /),
  ])
})

describe('a copy that was set up', () => {
  let copy: string
  let node: Anvil
  let file: string

  beforeAll(async () => {
    // To compile the contracts for the copy alone takes longer than all that is asked of it.
    await buildContracts()
    copy = copyRepository()
    file = join(copy, '.dev.vars')
    node = await startAnvil()
    const first = await setup(copy, ['--node-url', node.url])
    if (first.code !== 0) throw new Error(first.output)
  })

  afterAll(() => node.stop())

  test('after setup, plain wrangler dev serves the relay on that node, to every command', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const port = await freePort()
    const output = wranglerDev(copy, port)
    const relayUrl = `http://127.0.0.1:${port}`
    const isUp = () =>
      fetch(`${relayUrl}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(isUp)
    const caller = { sessionId: 'w1', phoneNumber: '+254700000001' }
    expect(await dial(relayUrl, { ...caller, text: '1' })).toBe('END Your Balance: 1 tRBTC')
    const key = /^# Key of the node service: (\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1]
    const answer = await fetch(`${relayUrl}/rpc/${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    })
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1f' })
    expect(output()).not.toContain('npm run setup')

    const at = { PORT: `${port}` }
    const funded = await run(copy, 'scripts/stack/money/fund.ts', ['+254700000009', '0.5'], at)
    expect(funded.output).toContain('Its balance is 0.5 tRBTC now.')
    const dialled = ['--phone', '+254700000009', '--text', '1']
    expect(await run(copy, 'scripts/stack/phone/dial.ts', dialled, at)).toEqual({
      code: 0,
      output: 'END Your Balance: 0.5 tRBTC\n',
    })
    const made = await run(copy, 'scripts/ops/keys-cli.ts', ['create', '--name', 'a client'], at)
    expect(made.output).toContain(`${relayUrl}/rpc/rpc_`)
    expect((await run(copy, 'scripts/ops/keys-cli.ts', ['list'], at)).output).toContain('a client')
  })

  test('a second setup keeps the secrets, and a file that it did not write is not written over', async () => {
    const before = readFileSync(file, 'utf8')
    const second = await setup(copy, ['--node-url', node.url])
    expect(second.output).toContain('contracts are in place')
    expect(readFileSync(file, 'utf8')).toBe(before)

    cpSync(join(copy, 'wrangler.toml'), file)
    const third = await setup(copy, ['--node-url', node.url])
    expect(third.code).toBe(1)
    expect(third.output).toContain('.dev.vars was not written by this command')
    expect((await setup(copy, [])).output).toBe(
      'Which node?\n\nUsage: npm run setup -- --node-url http://127.0.0.1:8545\n',
    )
  })
})

test('wrangler dev serves where npm start does', () => {
  const settings = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  expect(settings).toContain(`\n[dev]\nip = "127.0.0.1"\nport = ${readPort(undefined)}\n`)
})
