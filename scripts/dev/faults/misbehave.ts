import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LoopbackServer } from '../loopback-server.ts'
import { sleep } from '../wait.ts'

export type HttpFault =
  | { kind: 'drop_request' }
  /** The call is executed, and the connection ends before the answer. */
  | { kind: 'drop_reply' }
  /** The call arrives this much later, even if nobody waits any more. */
  | { kind: 'delay_request'; ms: number }
  | { kind: 'delay_reply'; ms: number }
  /** The call is executed twice, as when a proxy repeats it; the first answer arrives. */
  | { kind: 'double' }
  | { kind: 'refuse'; ms: number }
  | { kind: 'status'; status: number }
  | { kind: 'html' }
  /** The call is executed, and half of the answer arrives. */
  | { kind: 'truncated' }

export type HttpReply = { status: number; text: string }

type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  answer: () => Promise<HttpReply>
  server: LoopbackServer
  stopping: AbortSignal
}

/** Answers a call, with the fault if there is one. */
export async function misbehave(
  fault: HttpFault | undefined,
  { request, response, answer, server, stopping }: Exchange,
): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return reply(response, await answer())
    case 'drop_request':
      return void request.socket.destroy()
    case 'drop_reply':
      await answer()
      return void request.socket.destroy()
    case 'refuse':
      await server.close()
      await pause(fault.ms)
      return await server.open()
    case 'delay_request':
      await pause(fault.ms)
      return reply(response, await answer())
    case 'delay_reply': {
      const late = await answer()
      await pause(fault.ms)
      return reply(response, late)
    }
    case 'double': {
      const first = await answer()
      await answer()
      return reply(response, first)
    }
    case 'status':
      return reply(response, { status: fault.status, text: 'There is no answer.' }, 'text/plain')
    case 'html': {
      const text = '<!doctype html><title>Just a moment...</title>'
      return reply(response, { status: 200, text }, 'text/html')
    }
    case 'truncated': {
      const { status, text } = await answer()
      // A whole response to HTTP, half of one to JSON.
      return reply(response, { status, text: text.slice(0, Math.floor(text.length / 2)) })
    }
  }

  /** Ends every waiting call when the server is stopped. */
  async function pause(ms: number): Promise<void> {
    await sleep(ms, stopping)
    if (stopping.aborted) throw new Error('the server is stopped')
  }
}

export function reply(
  response: ServerResponse,
  { status, text }: HttpReply,
  type = 'application/json',
): void {
  response.writeHead(status, { 'content-type': type })
  response.end(text)
}
