import { createClient, type ErrorReply } from '@redis/client'

/** What Redis answers with (RESP2). A refusal inside of a list stays where it is. */
export type RedisValue = string | number | null | ErrorReply | RedisValue[]

/** Connects to Redis at the first call, and again at the next one after the connection was lost. */
export function connectRedis(port: number) {
  let client: ReturnType<typeof open> | undefined

  function open() {
    const own = createClient({
      RESP: 2,
      // A command that was lost may have been done: its caller decides whether to ask again.
      socket: { host: '127.0.0.1', port, reconnectStrategy: false },
      disableClientInfo: true,
    })
    own.on('error', () => forget(own))
    // A connection that is not made fails each command that waits for it.
    own.connect().catch(() => forget(own))
    return own
  }

  function forget(lost: ReturnType<typeof open>): void {
    if (client === lost) client = undefined
    if (lost.isOpen) lost.destroy()
  }

  return {
    /** Sends a command. @throws {ErrorReply} refused @throws {Error} lost, and perhaps done */
    async call(...command: (string | number)[]): Promise<RedisValue> {
      client ??= open()
      return await client.sendCommand<RedisValue>(command.map(String))
    },
    close() {
      if (client !== undefined) forget(client)
    },
  }
}
