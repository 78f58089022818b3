import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identify } from '../../../scripts/stack/process-id.ts'
import { lockFile } from '../../../scripts/stack/processes.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ussd-relay-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a lock goes on to the next where its holder is gone and another process has that pid', async () => {
  const lock = join(createFolder(), 'lock')
  writeFileSync(lock, JSON.stringify({ pid: process.pid, started: 'before' }))
  const release = await lockFile(lock)
  release()
})

test('and where its holder was killed and nobody has asked how it ended', async () => {
  const lock = join(createFolder(), 'lock')
  // A parent that knows nothing of its child, and names it once it is Node: a shell would ask how it ended.
  const named = 'console.log($!); setInterval(() => {}, 1_000_000)'
  const parent = spawn('sh', ['-c', `sleep 600 & exec "$0" -e "${named}"`, process.execPath])
  onTestFinished(() => void parent.kill())
  const [text] = await once(parent.stdout, 'data')
  const pid = Number(text)
  writeFileSync(lock, JSON.stringify(identify(pid)))
  process.kill(pid)
  const release = await lockFile(lock)
  expect(process.kill(pid, 0)).toBe(true)
  release()
})
