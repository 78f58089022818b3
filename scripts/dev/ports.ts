import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Stays below the system's ports (32768 on Linux); a cluster's Redis takes one 10,000 higher. */
const serverPorts = { from: 12_000, to: 22_000 }

/** Finds a free port, from this one on or any, that no other call of this process was given. */
export async function freePort(from?: number): Promise<number> {
  for (let next = from; ; ) {
    const port = next ?? randomInt(serverPorts.from, serverPorts.to)
    if ((await claim(port)) && (await isFree(port))) return port
    if (next !== undefined) next += 1
  }
}

/** Claims a port by its UDP twin, which the system takes back however the process ends. */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true })
  try {
    await once(socket, 'listening')
    socket.unref()
    return true
  } catch (error) {
    socket.close()
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
