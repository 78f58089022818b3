import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Waits for the end of its input, which comes when the run ends or is killed. Then it ends every
 * process whose environment names the run's folder, and deletes the folder.
 */
const script = `
cat >/dev/null
for turn in 1 2 3; do
  for process in /proc/[0-9]*; do
    grep -qzxF "TMPDIR=$1" "$process/environ" 2>/dev/null && kill -9 "\${process#/proc/}" 2>/dev/null
  done
done
rm -rf "$1"`

/**
 * Ends what a run started, also if the run is killed (on Linux). A process belongs to the run if it
 * has the returned environment. `end` resolves once none of them is left.
 */
export function startSweeper(folder: string) {
  // In a session of its own, so that Ctrl-C does not end it before the others.
  const sweeper = spawn('sh', ['-c', script, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(sweeper, 'exit')
  sweeper.unref()
  return {
    environment: { TMPDIR: folder },
    async end() {
      // Without it nothing may be left to wait for, and Node ends the program here.
      sweeper.ref()
      sweeper.stdin.end()
      await ended
    },
  }
}
