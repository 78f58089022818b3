/** The part of RFC 6455 that a server of short texts needs: no fragments, no extensions. */

const opcodes = { text: 0x1, close: 0x8, pong: 0xa } as const

/** A frame from the server, which is not masked. */
export function frameOf(text: string, kind: keyof typeof opcodes = 'text'): Buffer {
  const payload = Buffer.from(text)
  const first = 0x80 | opcodes[kind]
  if (payload.length < 126) return Buffer.concat([Buffer.of(first, payload.length), payload])
  const head = Buffer.alloc(10)
  head[0] = first
  head[1] = 127
  head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, payload])
}

/** Whole texts that a client sent; `rest` is the beginning of a frame that is still to come. */
export function framesIn(received: Buffer): { texts: string[]; rest: Buffer; isClosed: boolean } {
  const texts: string[] = []
  let rest = received
  for (;;) {
    const frame = firstFrame(rest)
    if (frame === undefined) return { texts, rest, isClosed: false }
    rest = rest.subarray(frame.end)
    if (frame.opcode === opcodes.close) return { texts, rest, isClosed: true }
    if (frame.opcode === opcodes.text) texts.push(frame.payload.toString('utf8'))
  }
}

function firstFrame(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] ?? 0) & 0x7f
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0
  const at = 2 + extra + 4
  if (bytes.length < at) return undefined
  const length =
    extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const end = at + length
  if (bytes.length < end) return undefined
  const mask = bytes.subarray(at - 4, at)
  const payload = Buffer.from(bytes.subarray(at, end))
  for (let index = 0; index < length; index += 1) {
    payload[index] = (payload[index] ?? 0) ^ (mask[index & 3] ?? 0)
  }
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload, end }
}
