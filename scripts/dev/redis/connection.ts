import { createClient, type ErrorReply } from '@redis/client'

/** Is a reply of Redis (RESP2), in which a list may contain an error. */
export type RedisValue = string | number | null | ErrorReply | RedisValue[]

/** Connects to Redis at the first call, and again at the next one after the connection was lost. */
export function connectRedis(port: number) {
  let client: ReturnType<typeof open> | undefined

  function open() {
    const own = createClient({
      RESP: 2,
      // A lost command may have been executed, so its caller decides whether to repeat it.
      socket: { host: '127.0.0.1', port, reconnectStrategy: false },
      disableClientInfo: true,
    })
    own.on('error', () => forget(own))
    // A failed connection fails each command that waits for it.
    own.connect().catch(() => forget(own))
    return own
  }

  function forget(lost: ReturnType<typeof open>): void {
    if (client === lost) client = undefined
    if (lost.isOpen) lost.destroy()
  }

  return {
    /** Sends a command. @throws {ErrorReply} refused @throws {Error} lost, maybe executed */
    async call(...command: (string | number)[]): Promise<RedisValue> {
      client ??= open()
      return await client.sendCommand<RedisValue>(command.map(String))
    },
    close() {
      if (client !== undefined) forget(client)
    },
  }
}
