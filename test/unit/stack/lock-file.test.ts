import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { identify, lockFile } from '../../../scripts/stack/processes.ts'

const processes = new URL('../../../scripts/stack/processes.ts', import.meta.url)

test("a killed holder's lock is free for the next, even before its exit is collected", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ussd-relay-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lock = join(folder, 'lock')
  const holding = `import { lockFile } from '${processes}'
    await lockFile('${lock}')
    console.log(process.pid)
    setInterval(() => {}, 1_000_000)`
  // A parent that knows nothing of its child: a shell would ask how it ended.
  const idle = 'setInterval(() => {}, 1_000_000)'
  const script = '"$0" --input-type=module -e "$1" & exec "$0" -e "$2"'
  const parent = spawn('sh', ['-c', script, process.execPath, holding, idle])
  onTestFinished(() => void parent.kill())
  const [text] = await once(parent.stdout, 'data')
  const pid = Number(text)
  let isMine = false
  const locking = lockFile(lock).then((taken) => {
    isMine = true
    return taken
  })
  await lockFile(join(folder, 'another'))
  expect(isMine).toBe(false)
  process.kill(pid, 'SIGKILL')
  using _ = await locking
  // Its files are closed a moment before it counts as ended.
  await until(() => identify(pid) === undefined)
  expect(process.kill(pid, 0)).toBe(true)
})
