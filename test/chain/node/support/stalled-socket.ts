import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

/** A client that takes a WebSocket, says what it is told to say, and reads only when it is told to. */
export type StalledSocket = {
  send: (text: string) => void
  /** Reads what came since, as far as it came; gives the close code if there was one. */
  resume: () => Promise<{ bytes: number; code: number | undefined }>
  destroy: () => void
}

/** Connects by hand: no library leaves bytes in the connection. */
export async function connectStalled(url: string): Promise<StalledSocket> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  const head = [
    `GET ${pathname} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Version: 13',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const first = await new Promise<Buffer>((resolve, reject) => {
    socket.once('data', resolve)
    socket.once('close', () => reject(new Error('the socket was refused')))
  })
  if (!first.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error('no WebSocket')
  socket.pause()

  return {
    send: (text) => socket.write(maskedFrame(text)),
    resume: () =>
      new Promise((resolve) => {
        const chunks: Buffer[] = []
        const done = (): void => {
          const all = Buffer.concat(chunks)
          resolve({ bytes: all.length, code: closeCodeOf(all) })
        }
        socket.on('data', (chunk) => {
          chunks.push(chunk)
          if (closeCodeOf(Buffer.concat(chunks.slice(-2))) !== undefined) done()
        })
        socket.once('close', done)
        socket.resume()
      }),
    destroy: () => socket.destroy(),
  }
}

/** A text frame as clients send it (RFC 6455, section 5). */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  const length =
    payload.length < 126
      ? Buffer.of(0x81, 0x80 | payload.length)
      : Buffer.of(0x81, 0x80 | 126, payload.length >> 8, payload.length & 255)
  const masked = payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0))
  return Buffer.concat([length, mask, masked])
}

/** A close frame is the last that comes. */
function closeCodeOf(bytes: Buffer): number | undefined {
  for (let at = Math.max(0, bytes.length - 130); at < bytes.length - 3; at += 1) {
    const length = bytes[at + 1] ?? 0
    if (bytes[at] === 0x88 && length >= 2 && at + 2 + length === bytes.length) {
      return bytes.readUInt16BE(at + 2)
    }
  }
  return undefined
}
