import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ClientMessage, ClientReply, PortCall } from './client-program.ts'

const program = fileURLToPath(new URL('client-program.ts', import.meta.url))

/** Holds the adapters for Redis in another process. */
export type ProcessClient = ReturnType<typeof startProcessClient>

export function startProcessClient({
  address: { url, token },
  ...options
}: Omit<Extract<ClientMessage, { kind: 'open' }>, 'kind'>) {
  const child: ChildProcess = fork(program, { serialization: 'advanced' })
  const waiting = new Map<number, (reply: ClientReply) => void>()
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let calls = 0
  child.on('message', (reply: ClientReply) => {
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  // Without a callback a message to a process that has ended would be an uncaught exception.
  const tell = (message: ClientMessage, refused: (error: Error) => void) =>
    child.send(message, (error) => error && refused(error))
  tell({ kind: 'open', address: { url, token }, ...options }, (error) => {
    throw error
  })

  return {
    async call(call: PortCall): Promise<unknown> {
      calls += 1
      const id = calls
      // A payment is watched for longer than its test takes: its call may come when the process has
      // ended.
      const reply = await new Promise<ClientReply>((resolve, reject) => {
        waiting.set(id, resolve)
        tell({ kind: 'call', id, call }, reject)
      })
      if ('fault' in reply) throw new Error(reply.fault)
      return reply.result
    },
    async stop() {
      child.kill()
      await exited
    },
  }
}
