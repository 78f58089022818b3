import type { Answer } from './serve.ts'

export type Json = Record<string, unknown>

export type Notification = { subscription: string; result: unknown }

/** Is a JSON-RPC client over a WebSocket that records everything. */
export type SocketClient = {
  rpc: (method: string, params?: readonly unknown[]) => Promise<Answer>
  /** The result, or an error that says what the service refused with. */
  result: (method: string, params?: readonly unknown[]) => Promise<unknown>
  /** Sends any text and gives the next response that has no id of ours. */
  raw: (text: string) => Promise<unknown>
  /** Sends a text that nobody answers. */
  tell: (text: string) => void
  notifications: Notification[]
  /** Lists one subscription's notifications. */
  toldOf: (id: unknown) => Json[]
  /** Resolves when the notifications fulfil the condition; fails after the time. */
  until: (condition: (told: Notification[]) => boolean, timeMs?: number) => Promise<void>
  closed: Promise<{ code: number; reason: string }>
  close: () => void
}

/** Connects, or fails when the service refuses. */
export async function connectSocket(url: string): Promise<SocketClient> {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: Answer) => void>()
  const strangers: ((message: unknown) => void)[] = []
  const notifications: Notification[] = []
  const watchers = new Set<() => void>()
  let lastId = 0

  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
  })
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(`${data}`) as { id?: number; method?: string; params?: Notification }
    if (message.method === 'eth_subscription' && message.params !== undefined) {
      notifications.push(message.params)
      for (const look of watchers) look()
      return
    }
    const resolve = typeof message.id === 'number' ? waiting.get(message.id) : undefined
    if (resolve === undefined) strangers.shift()?.(message)
    else resolve(message as Answer)
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the socket was refused')))
  })

  const client: SocketClient = {
    rpc(method, params = []) {
      lastId += 1
      const id = lastId
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      })
    },
    async result(method, params) {
      const { result, error } = await client.rpc(method, params)
      if (error !== undefined) throw new Error(`${error.code} ${error.message}`)
      return result
    },
    raw: (text) =>
      new Promise((resolve) => {
        strangers.push(resolve)
        socket.send(text)
      }),
    tell: (text) => socket.send(text),
    notifications,
    toldOf: (id) =>
      notifications
        .filter(({ subscription }) => subscription === id)
        .map(({ result }) => result as Json),
    until: (condition, timeMs = 180_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(look)
          reject(new Error(`not told in time; so far: ${JSON.stringify(notifications)}`))
        }, timeMs)
        function look(): void {
          if (!condition(notifications)) return
          clearTimeout(timer)
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    closed,
    close: () => socket.close(1000),
  }
  return client
}
