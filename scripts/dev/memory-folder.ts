import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryTo } from '../../src/runtime/log.ts'

/** Requires enough free memory: a run of all tests needs some tens of MiB. */
const neededBytes = 1024 ** 3

/** Names a folder in memory if there is one, since a virtual disk's commits vary in time. */
export function memoryFolder(): string {
  return isFit('/dev/shm') ? '/dev/shm' : tmpdir()
}

/** Containers have it small, or such that nothing in it may be executed. */
function isFit(folder: string): boolean {
  const { bavail, bsize } = tryTo(() => statfsSync(folder)) ?? { bavail: 0, bsize: 0 }
  return bavail * bsize >= neededBytes && tryTo(() => canExecute(folder)) === true
}

function canExecute(folder: string): boolean {
  using own = mkdtempDisposableSync(join(folder, 'ussd-relay-try-'))
  const program = join(own.path, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  return spawnSync(program).status === 0
}
