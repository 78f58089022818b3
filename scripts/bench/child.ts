import type { ChildProcess } from 'node:child_process'

/** One question to a process that was forked, and its answer. @throws {Error} it ended before */
export function askChild(child: ChildProcess, question: object): Promise<unknown> {
  const answer = new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a process ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (value) => {
      child.off('exit', ended)
      resolve(value)
    })
  })
  child.send(question)
  return answer
}

/** Lets go of a process that ends when nobody holds it, and waits until it is gone. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  if (child.connected) child.disconnect()
  await gone
}
