import { WebSocket } from 'ws'

/** Opens a WebSocket that sends and reads only when it is told to. */
export type StalledSocket = {
  send: (text: string) => void
  /** Reads what came since, up to the end; gives the code of it. */
  resume: () => Promise<number>
  destroy: () => void
}

/** Connects, and from then on leaves all bytes in the connection. */
export async function connectStalled(url: string): Promise<StalledSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', () => reject(new Error('the socket was refused')))
  })
  // What is cut off while nobody reads is no fault of the test.
  socket.on('error', () => {})
  socket.pause()
  return {
    send: (text) => socket.send(text, () => {}),
    resume: () =>
      new Promise((resolve) => {
        socket.once('close', resolve)
        socket.resume()
      }),
    destroy: () => socket.terminate(),
  }
}
