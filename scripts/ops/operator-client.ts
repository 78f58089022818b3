import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { operatorError } from '../../src/operator/answers.ts'
import { openFolder } from '../stack/folder.ts'
import { readOrigin } from '../stack/options.ts'
import { StackError } from '../stack/report.ts'
import { readRunningStack } from '../stack/running-stack.ts'

export type OperatorClient = {
  origin: string
  nodeUrl: string | undefined
  read: <Schema extends z.ZodMiniType>(path: string, schema: Schema) => Promise<z.output<Schema>>
  /** Does something there. @throws {Unanswered} it may have been done */
  act: <Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
    body?: unknown,
  ) => Promise<z.output<Schema>>
  remove: (path: string) => Promise<void>
}

const patienceMs = 30_000

const anything = z.unknown()

/** Opens the deployment at `--url`, or the local stack. @throws {StackError} there is none, or no token */
export function openOperator(url: string | undefined, env: NodeJS.ProcessEnv): OperatorClient {
  if (url === undefined) {
    const { relayUrl, operatorToken, nodeUrl } = readRunningStack(openFolder(env), env)
    return createOperatorClient({ origin: relayUrl, token: operatorToken, nodeUrl })
  }
  const origin = readOrigin(url)
  const token = env.OPERATOR_TOKEN
  if (!token) throw new StackError('Set OPERATOR_TOKEN to the token of the deployment at --url.')
  const nodeUrl = env.NODE_URL?.split(',')[0]?.trim() || undefined
  return createOperatorClient({ origin, token, nodeUrl })
}

/** Answers are parsed; whatever is no answer is a StackError that says what to do. */
export function createOperatorClient({
  origin,
  token,
  nodeUrl,
}: {
  origin: string
  token: string
  nodeUrl: string | undefined
}): OperatorClient {
  async function send<Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
    init: RequestInit,
  ): Promise<z.output<Schema>> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const parsed = schema.safeParse(await ask(`${origin}${path}`, { ...init, headers }))
    if (parsed.success) return parsed.data
    throw new StackError(`${origin} is of another version than this command.`)
  }

  return {
    origin,
    nodeUrl,
    read: (path, schema) => send(path, schema, {}),
    act: (path, schema, body) =>
      send(path, schema, {
        method: 'POST',
        body: body === undefined ? null : JSON.stringify(body),
      }),
    async remove(path) {
      await send(path, anything, { method: 'DELETE' })
    },
  }
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  const { origin } = new URL(url)
  let response: Response
  try {
    const signal = AbortSignal.timeout(patienceMs)
    response = await fetch(url, { ...init, signal })
  } catch {
    throw new Unanswered(`Nothing answers at ${origin}.`)
  }
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const refusal = operatorError.safeParse(answer)
  const reason = refusal.success ? refusal.data.error : `HTTP ${response.status}`
  if (response.status >= 500) throw new Unanswered(`${origin} cannot tell: ${reason}`)
  throw new StackError(`${origin} refuses: ${reason}`)
}

/** It is not known whether what was asked for was done. */
export class Unanswered extends StackError {}

const attempts = 3
const pauseMs = 1_000

/** Asks again where no answer came. @throws {StackError} it was refused, or not answered: with a remedy */
export async function insist<Answer>(remedy: string, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      if (attempt === attempts) throw new StackError(`${error.message}\n${remedy}`)
      await sleep(pauseMs * attempt)
    }
  }
}
