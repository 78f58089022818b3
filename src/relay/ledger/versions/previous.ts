import type { Ledger, Screen } from '../port.ts'
import { type LedgerMethod, ledgerThrough } from '../steps.ts'

/**
 * A deployment reaches Workers and objects at different times. The version before this one called
 * every method of the object as `run(name, ...arguments)` and had the bytes of a screen, `reply`, in
 * the place of its kind and lines. Both directions are spoken until the next version of the schema.
 */
export type PreviousStub = { run(method: LedgerMethod, ...args: unknown[]): Promise<unknown> }

/** A call by a Worker of the version before, answered in its words. */
export async function callByPrevious(
  ledger: Ledger,
  method: LedgerMethod,
  args: readonly unknown[],
): Promise<unknown> {
  const call = ledger[method] as (...args: readonly unknown[]) => Promise<unknown>
  return withReply(withEnded(await call(...args.map(withScreen))))
}

/** It has one word for the end of a session that has paid and of one that has not. */
function withEnded(value: unknown): unknown {
  const { kind } = (value ?? {}) as { kind?: unknown }
  return kind === 'closed' ? { kind: 'ended' } : value
}

/** The port over an object of the version before. */
export function previousLedger(stubOf: () => PreviousStub): Ledger {
  return ledgerThrough(async (method, args) => {
    // It is where the version before has it, and writes nothing about that.
    if (method === 'home') return { isBegun: true, name: args[0] }
    return withView(withScreen(await stubOf().run(method, ...args.map(withReply))))
  })
}

/** It does not tell what is open, nor what it knows of the chain: nothing is refused for that. */
function withView(value: unknown): unknown {
  const isView = typeof value === 'object' && value !== null && 'busy' in value
  const untold = { executed: [], means: {}, load: { ofAccount: 0, carried: 0, waiting: 0 } }
  return isView ? { ...untold, ...value } : value
}

/** Whether an object does not know the methods of this version. */
export function isOfPrevious(error: unknown): boolean {
  return error instanceof Error && /RPC receiver does not implement/.test(error.message)
}

/** The screen that bytes of the version before show. */
export function screenOf(reply: string): Screen {
  const [head = '', body = ''] = [reply.slice(0, 4), reply.slice(4)]
  return { kind: head === 'CON ' ? 'ask' : 'end', lines: body.split('\n') }
}

const replyOf = ({ kind, lines }: Screen): string =>
  `${kind === 'ask' ? 'CON' : 'END'} ${lines.join('\n')}`

function withScreen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('reply' in value)) return value
  const { reply, ...rest } = value
  return { ...rest, screen: screenOf(`${reply}`) }
}

function withReply(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('screen' in value)) return value
  const { screen, ...told } = value
  // It shows the same bytes whatever came of the payment.
  const rest = 'kind' in told && told.kind === 'failed' ? { ...told, kind: 'answered' } : told
  return { ...rest, reply: replyOf(screen as Screen) }
}
