import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { buildContracts } from '../../../scripts/contracts/forge.ts'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { quietTools } from '../../../scripts/stack/served/worker-build.ts'
import { setup as setupCommand } from '../../../scripts/stack/setup.ts'
import { runHere, runScript, startProcess } from '../../support/processes.ts'
import { copyRepository, linkPackages } from './clone.ts'
import { dial } from './stack-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts `npx wrangler dev` in a copy; `output` is what it has printed so far. */
async function wranglerDev(copy: string) {
  const port = await freePort()
  const program = join(root, 'node_modules/.bin/wrangler')
  const env = { ...quietTools, WRANGLER_LOG: 'log' }
  const options = { cwd: copy, detached: true, env }
  const wrangler = startProcess(program, ['dev', '--port', `${port}`], options)
  const stop = async () => {
    const { exitCode, signalCode, pid = 0 } = wrangler.child
    if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
    await wrangler.ended
  }
  onTestFinished(stop)
  return { port, stop, output: wrangler.output }
}

test('wrangler dev in a fresh clone names the setup command, and then serves the relay to every command', async () => {
  // To compile the contracts for the copy alone takes longer than all that is asked of it.
  await buildContracts()
  // To where people put it: `.dev.vars` stands beside wrangler.toml.
  const copy = mkdtempSync(join(tmpdir(), 'ussd relay of mine-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }))
  copyRepository(copy)
  linkPackages(join(copy, 'node_modules'))
  const file = join(copy, '.dev.vars')
  const run = (script: string, args: string[], env: Record<string, string> = {}) =>
    runScript(script, args, { cwd: copy, env: { DEV_DIR: undefined, ...env } })
  const fresh = await wranglerDev(copy)
  await until(() => /Ready on|ERROR/.test(fresh.output()))
  expect(fresh.output().match(/.*npm run setup.*/g)).toEqual([
    expect.stringMatching(/Run: npm run setup -- --node-url http:\/\/127\.0\.0\.1:8545 /),
  ])
  await fresh.stop()

  const node = await startAnvil()
  onTestFinished(node.stop)
  const setup = () => run('scripts/stack/setup.ts', ['--node-url', node.url])
  const first = await setup()
  expect(first.code, first.output).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { port, output } = await wranglerDev(copy)
  const relayUrl = `http://127.0.0.1:${port}`
  const isHealthy = ({ ok }: Response) => ok
  await until(() => fetch(`${relayUrl}/healthz`).then(isHealthy, () => false))
  const caller = { sessionId: 'w1', phoneNumber: '+254700000001' }
  expect(await dial(relayUrl, { ...caller, text: '1' })).toBe('END Your Balance: 1 tRBTC')
  const before = readFileSync(file, 'utf8')
  const key = /^# Key of the node service: (\S+)$/m.exec(before)?.[1]
  expect(await createRpcCall(`${relayUrl}/rpc/${key}`)('eth_chainId')).toBe('0x1f')
  expect(output()).not.toContain('npm run setup')

  const at = { PORT: `${port}` }
  const funded = await run('scripts/ops.ts', ['fund', '+254700000009', '0.5'], at)
  expect(funded.output).toContain('Its balance is 0.5 tRBTC now.')
  const dialled = ['--phone', '+254700000009', '--text', '1']
  expect(await run('scripts/stack/phone/dial.ts', dialled, at)).toEqual({
    code: 0,
    output: 'END Your Balance: 0.5 tRBTC\n',
  })
  const made = await run('scripts/ops.ts', ['keys', 'create', '--name', 'a client'], at)
  expect(made.output).toContain(`${relayUrl}/rpc/rpc_`)
  expect((await run('scripts/ops.ts', ['keys', 'list'], at)).output).toContain('a client')

  // A second setup keeps the secrets, and a file that it did not write is not written over.
  expect((await setup()).output).toContain('contracts are in place')
  expect(readFileSync(file, 'utf8')).toBe(before)
  cpSync(join(copy, 'wrangler.toml'), file)
  const refused = await setup()
  expect(refused.code).toBe(1)
  expect(refused.output).toContain('.dev.vars was not written by this command')
  expect((await runHere(setupCommand, [], {})).output).toBe(
    'Which node?\n\nUsage: npm run setup -- --node-url http://127.0.0.1:8545\n',
  )
})
