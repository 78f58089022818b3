import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished, test } from 'vitest'
import { freePort, startAnvil } from '../../../scripts/dev/anvil.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { quietTools } from '../../../scripts/stack/worker-build.ts'
import { dial } from './stack-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** `.dev.vars` stands beside wrangler.toml, so these tests have a copy of everything. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'ussd-relay-copy-'))
  const left = ['node_modules', '.git', '.dev', '.dev.vars', '.wrangler', 'out', 'cache']
  cpSync(root, copy, { recursive: true, filter: (path) => !left.includes(basename(path)) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }))
  return copy
}

function setup(copy: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const { DEV_DIR: _, ...env } = process.env
  const child = spawn(process.execPath, ['scripts/stack/setup.ts', ...args], { cwd: copy, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part
    })
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

test('after setup, plain wrangler dev serves the relay on that node', async ({ expect }) => {
  const copy = copyRepository()
  const node = await startAnvil()
  onTestFinished(() => node.stop())
  const first = await setup(copy, ['--node-url', node.url])
  expect(first.code, first.output).toBe(0)
  const file = join(copy, '.dev.vars')
  expect(statSync(file).mode & 0o777).toBe(0o600)

  const port = await freePort()
  const wrangler = spawn(join(root, 'node_modules/.bin/wrangler'), ['dev', '--port', `${port}`], {
    cwd: copy,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, ...quietTools },
  })
  const ended = new Promise((resolve) => wrangler.once('exit', resolve))
  onTestFinished(async () => {
    process.kill(-(wrangler.pid ?? 0), 'SIGKILL')
    await ended
  })
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
})

test('a second setup keeps the secrets, and a file that it did not write is not written over', async ({
  expect,
}) => {
  const copy = copyRepository()
  const node = await startAnvil()
  onTestFinished(() => node.stop())
  const file = join(copy, '.dev.vars')
  expect((await setup(copy, ['--node-url', node.url])).code).toBe(0)
  const before = readFileSync(file, 'utf8')
  const second = await setup(copy, ['--node-url', node.url])
  expect(second.output).toContain('contracts are in place')
  expect(readFileSync(file, 'utf8')).toBe(before)

  cpSync(join(copy, 'wrangler.toml'), file)
  const third = await setup(copy, ['--node-url', node.url])
  expect(third.code).toBe(1)
  expect(third.output).toContain('.dev.vars was not written by this command')
  expect((await setup(copy, [])).output).toBe(
    'Which node? Usage: npm run setup -- --node-url http://127.0.0.1:8545\n',
  )
})
