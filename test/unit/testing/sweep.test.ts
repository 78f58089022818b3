import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'

const sweep = new URL('../../../scripts/testing/sweep.ts', import.meta.url).href

/** Starts a run as `npm test` does: a child in a session of its own, which outlives its parent. */
async function startRun(folder: string) {
  const program = `
    import { spawn } from 'node:child_process'
    import { startSweeper } from '${sweep}'
    const { environment, end } = startSweeper(process.argv[1])
    const env = { ...process.env, ...environment }
    const ignoring = 'trap "" TERM INT HUP; exec sleep 3600'
    const child = spawn('sh', ['-c', ignoring], { env, detached: true, stdio: 'ignore' })
    child.unref()
    process.exitCode = 1
    process.stdin.once('data', async () => {
      // Then nothing but the end is waited for, as when all tests are done.
      process.stdin.destroy()
      await end()
      process.exitCode = 0
    })
    child.once('spawn', () => console.log(child.pid))`
  const args = ['--input-type=module', '-e', program, folder]
  const run = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(run.stdout, 'data')
  return { run, pid: Number(`${line}`) }
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}/cwd`)

test.for(['SIGKILL', 'SIGTERM', 'SIGINT', 'end'] as const)(
  'a run that ends by %s leaves no process and no folder',
  async (how, { expect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'sweep-'))
    const { run, pid } = await startRun(folder)
    expect(isAlive(pid)).toBe(true)
    const ended = once(run, 'exit')
    if (how === 'end') run.stdin.write('end')
    else run.kill(how)
    expect(await ended).toEqual(how === 'end' ? [0, null] : [null, how])
    await expect.poll(() => [isAlive(pid), existsSync(folder)]).toEqual([false, false])
  },
)
