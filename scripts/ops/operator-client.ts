import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod/mini'
import { type ActionAnswer, type ActionName, actions } from '../../src/operator/actions/list.ts'
import { operatorError } from '../../src/operator/schemas/fields.ts'
import { statusAnswer } from '../../src/operator/schemas/status.ts'
import { openFolder } from '../stack/folder.ts'
import { readNodeUrl, readOrigin } from '../stack/options.ts'
import { StackError } from '../stack/report.ts'
import { readRunningStack } from '../stack/running-stack.ts'
import { checkVersion } from './version.ts'

/** Asks a deployment at a path and parses its answer. @throws {Unanswered} it may have been done */
type Ask = <Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
  sent?: { method: 'POST' | 'DELETE'; body?: unknown },
) => Promise<z.output<Schema>>

type Place = { origin: string; nodeUrl: string | undefined }

export type OperatorClient = ReturnType<typeof createOperator>

/** Makes the operator's interface of one way to ask. */
export function createOperator(ask: Ask, place: Place) {
  return {
    ...place,
    ask,
    status: () => ask('/operator/status', statusAnswer),
    /** Acts there; with a remedy it asks again after no answer, and reports the remedy at last. */
    act<Of extends ActionName>(action: Of, body?: unknown, remedy?: string) {
      const { answer } = actions[action]
      const sent = { method: 'POST', body } as const
      const once = () => ask(`/operator/${action}`, answer, sent) as Promise<ActionAnswer<Of>>
      return remedy === undefined ? once() : insist(remedy, once)
    },
  }
}

/** Opens the deployment at `--url`, or the local stack. @throws {StackError} none, or no token */
export function openOperator(url: string | undefined, env: NodeJS.ProcessEnv): OperatorClient {
  if (url === undefined) {
    const { relayUrl, operatorToken, nodeUrl } = readRunningStack(openFolder(env), env)
    return createOperatorClient({ origin: relayUrl, token: operatorToken, nodeUrl })
  }
  const origin = readOrigin(url)
  const token = env.OPERATOR_TOKEN
  if (!token) throw new StackError('Set OPERATOR_TOKEN to the token of the deployment at --url.')
  const nodeUrl = env.NODE_URL ? readNodeUrl(env) : undefined
  return createOperatorClient({ origin, token, nodeUrl })
}

/** Asks over HTTP; whatever is no answer is a StackError that says what to do. */
export function createOperatorClient({ token, ...place }: Place & { token: string }) {
  const { origin } = place
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  let checked: Promise<void> | undefined
  return createOperator(async (path, schema, { method = 'GET', body } = {} as never) => {
    checked ??= checkVersion(origin)
    await checked
    const sent = body === undefined ? null : JSON.stringify(body)
    const signal = AbortSignal.timeout(30_000)
    const request = { method, headers, body: sent, signal }
    const response = await fetch(`${origin}${path}`, request).catch(() => {
      throw new Unanswered(`Nothing answers at ${origin}.`)
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok) {
      const parsed = schema.safeParse(answer)
      if (parsed.success) return parsed.data
      throw new StackError(`${origin} is of another version than this command.`)
    }
    const reason = operatorError.safeParse(answer).data?.error ?? `HTTP ${response.status}`
    if (response.status >= 500) throw new Unanswered(`${origin} cannot tell: ${reason}`)
    throw new StackError(`${origin} refuses: ${reason}`)
  }, place)
}

/** Means that the action may or may not have been done. */
export class Unanswered extends StackError {}

const attempts = 3

/** Asks again after no answer. @throws {StackError} refused or not answered, with a remedy */
export async function insist<Answer>(remedy: string, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      if (attempt === attempts) throw new StackError(`${error.message}\n${remedy}`)
      await sleep(1_000 * attempt)
    }
  }
}
