import process from 'node:process'
import { z } from 'zod'

// Clients that listen to new heads, in a process of their own.

const asked = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), url: z.string(), listeners: z.number() }),
  /** Tells when each listener had the head with this hash. */
  z.object({ kind: z.literal('hear'), hash: z.string() }),
  z.object({ kind: z.literal('speak') }),
  z.object({ kind: z.literal('close') }),
])

const notification = z.object({ params: z.object({ result: z.object({ hash: z.string() }) }) })

const sockets: WebSocket[] = []
/** When each head came to each listener: Unix times in ms. */
const heard = new Map<string, number[]>()
let wake = () => {}

process.on('message', (message) => void answer(asked.parse(message)))
process.once('disconnect', () => process.exit())

async function answer(message: z.infer<typeof asked>): Promise<void> {
  switch (message.kind) {
    case 'open':
      // A few at a time, as clients come.
      for (let at = 0; at < message.listeners; at += 50) {
        const count = Math.min(50, message.listeners - at)
        await Promise.all(Array.from({ length: count }, () => listen(message.url)))
      }
      process.send?.({ opened: sockets.length })
      return
    case 'hear':
      while ((heard.get(message.hash)?.length ?? 0) < sockets.length) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      process.send?.({ at: heard.get(message.hash) })
      heard.clear()
      return
    case 'speak':
      // A service may close those who only listen and never say anything.
      await Promise.all(sockets.map(speak))
      process.send?.({ spoken: sockets.length })
      return
    case 'close':
      for (const socket of sockets.splice(0)) socket.close()
      process.send?.({ closed: true })
  }
}

function speak(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const hear = ({ data }: MessageEvent) => {
      if (!`${data}`.includes('"id":2')) return
      socket.removeEventListener('message', hear)
      resolve()
    }
    socket.addEventListener('message', hear)
    socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_chainId","params":[]}')
  })
}

function listen(url: string): Promise<void> {
  const socket = new WebSocket(url)
  sockets.push(socket)
  return new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error('a listener was refused'))
    socket.onclose = ({ code, reason }) => {
      if (sockets.includes(socket)) throw new Error(`a listener was closed: ${code} ${reason}`)
    }
    socket.onopen = () =>
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    socket.onmessage = ({ data }) => {
      const parsed = notification.safeParse(JSON.parse(`${data}`))
      if (!parsed.success) return resolve()
      const { hash } = parsed.data.params.result
      const times = heard.get(hash) ?? []
      times.push(performance.timeOrigin + performance.now())
      heard.set(hash, times)
      wake()
    }
  })
}
