import { connect, type Socket } from 'node:net'

/** What Redis answers with (RESP2). A refusal inside of a list stays where it is. */
export type RespValue = string | number | null | RespRefusal | RespValue[]

/** Redis refused a command. */
export class RespRefusal extends Error {
  override readonly name = 'RespRefusal'
}

/** The connection to Redis was lost; what was asked may have been done. */
export class RespLost extends Error {
  override readonly name = 'RespLost'
}

/** A connection to a Redis server. Commands are answered in the order in which they are asked. */
export type RespClient = {
  /** @throws {RespRefusal} @throws {RespLost} */
  call: (...command: (string | number)[]) => Promise<RespValue>
  close: () => void
}

type Waiting = { resolve: (value: RespValue) => void; reject: (error: Error) => void }

/** Connects at the first call, and again at the next one after the connection was lost. */
export function createRespClient(port: number): RespClient {
  let connection: { socket: Socket; waiting: Waiting[] } | undefined

  function open(): { socket: Socket; waiting: Waiting[] } {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const own = { socket, waiting: [] as Waiting[] }
    const parser = createParser((value) => own.waiting.shift()?.resolve(value))
    socket.on('data', parser)
    const lose = (error?: Error) => {
      if (connection === own) connection = undefined
      const lost = new RespLost('the connection to Redis was lost', { cause: error })
      for (const { reject } of own.waiting.splice(0)) reject(lost)
    }
    socket.on('error', lose)
    socket.on('close', () => lose())
    return own
  }

  return {
    async call(...command) {
      connection ??= open()
      const { socket, waiting } = connection
      const value = await new Promise<RespValue>((resolve, reject) => {
        waiting.push({ resolve, reject })
        socket.write(encode(command))
      })
      if (value instanceof RespRefusal) throw value
      return value
    },
    close() {
      connection?.socket.destroy()
    },
  }
}

function encode(command: readonly (string | number)[]): string {
  const parts = command.map((part) => {
    const text = `${part}`
    return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
  })
  return `*${command.length}\r\n${parts.join('')}`
}

/** Feeds bytes as they come; `take` gets every complete value. Nothing is read twice. */
function createParser(take: (value: RespValue) => void): (chunk: Buffer) => void {
  let bytes: Buffer = Buffer.alloc(0)
  /** Lists that still miss items, the innermost last. */
  const lists: { items: RespValue[]; count: number }[] = []

  function add(value: RespValue): void {
    const list = lists.at(-1)
    if (list === undefined) {
      take(value)
      return
    }
    list.items.push(value)
    if (list.items.length < list.count) return
    lists.pop()
    add(list.items)
  }

  return (chunk) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    let at = 0
    for (;;) {
      const head = readHead(bytes, at)
      if (head === undefined) break
      if (head.kind === 'list') {
        if (head.count > 0) lists.push({ items: [], count: head.count })
        else add([])
        at = head.end
      } else {
        add(head.value)
        at = head.end
      }
    }
    bytes = bytes.subarray(at)
  }
}

type Head =
  | { kind: 'value'; value: RespValue; end: number }
  | { kind: 'list'; count: number; end: number }

/** A value that is no list, or the beginning of a list. Undefined while bytes are missing. */
function readHead(bytes: Buffer, start: number): Head | undefined {
  const lineEnd = bytes.indexOf('\r\n', start)
  if (lineEnd < 0) return undefined
  const line = bytes.toString('utf8', start + 1, lineEnd)
  const end = lineEnd + 2
  switch (String.fromCharCode(bytes[start] ?? 0)) {
    case '+':
      return { kind: 'value', value: line, end }
    case '-':
      return { kind: 'value', value: new RespRefusal(line), end }
    case ':':
      return { kind: 'value', value: Number(line), end }
    case '$': {
      const length = Number(line)
      if (length < 0) return { kind: 'value', value: null, end }
      if (bytes.length < end + length + 2) return undefined
      const value = bytes.toString('utf8', end, end + length)
      return { kind: 'value', value, end: end + length + 2 }
    }
    case '*': {
      const count = Number(line)
      return count < 0 ? { kind: 'value', value: null, end } : { kind: 'list', count, end }
    }
    default:
      throw new Error(`Redis answered with ${line}, which is no RESP2`)
  }
}
