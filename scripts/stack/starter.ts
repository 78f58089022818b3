import { readFileSync } from 'node:fs'
import { identify, isRunning, type ProcessId, parentOf } from './process-id.ts'

/** npm, its shell and the bootstrap; nobody else stands between us and npm. */
const generations = 4

/** Calls back when npm or the bootstrap is killed: nobody could end a stack without them. */
export function watchStarter(onGone: () => void): void {
  // The bootstrap keeps a channel open, if there had to be one.
  process.once('disconnect', onGone)
  const npm = findNpm()
  if (npm === undefined) return
  const timer = setInterval(() => {
    if (isRunning(npm)) return
    clearInterval(timer)
    onGone()
  }, 500)
  timer.unref()
}

function findNpm(): ProcessId | undefined {
  if (process.env.npm_lifecycle_event === undefined) return undefined
  let pid: number | undefined = process.ppid
  for (let generation = 0; generation < generations && pid !== undefined; generation++) {
    // npm gives itself the title `npm start`.
    if (/^npm\b/.test(commandLine(pid))) return identify(pid)
    pid = parentOf(pid)
  }
  return undefined
}

/** Empty where the system does not show it as a file; the channel has to do there. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}
