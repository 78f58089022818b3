import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { defaultQuota, keyRecord } from '../../../src/keys/api-keys.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { type Found, text, type Values } from '../../stack/command.ts'
import { Misused, StackError } from '../../stack/report.ts'
import { operatorCommand } from '../command-line.ts'
import type { OperatorClient } from '../operator-client.ts'

const usage = `Usage:
  npm run ops -- keys create --name <whose> [--network 30|31] [--quota <calls a day>|none] [--methods <a,b>]
  npm run ops -- keys list
  npm run ops -- keys revoke <id>
With --json each prints JSON. They ask the local stack, or the deployment at --url <origin> with OPERATOR_TOKEN in the environment.`

const listed = z.extend(keyRecord, { spentToday: z.number() })

const options = { name: text, network: text, quota: text, methods: text }

export const keys = operatorCommand({
  usage,
  options,
  actions: { create, list, revoke: { takes: [1], run: revoke } },
})

/** Creates a key here and sends only its hash, so that nobody else has it. */
async function create(operator: OperatorClient, values: Values<typeof options>): Promise<Found> {
  if (!values.name) throw new Misused()
  const key = `rpc_${randomBytes(32).toString('base64url')}`
  const hash = hashKey(key)
  const body = {
    hash,
    name: values.name,
    ...(values.network === undefined ? {} : { chainId: Number(values.network) }),
    quota: readQuota(values.quota),
    methods: values.methods?.split(',').map((method) => method.trim()) ?? null,
  }
  await operator.ask('/keys', z.unknown(), { method: 'POST', body })
  const url = `${operator.origin}/rpc/${key}`
  const made = `Key ${nameKey(hash)} for ${values.name}. It is shown this once:`
  return { json: { id: nameKey(hash), key, url }, lines: [made, `  ${key}`, `  ${url}`] }
}

function readQuota(text: string | undefined): number | null {
  if (text === undefined) return defaultQuota
  if (text === 'none') return null
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new StackError(`"${text}" is not a quota: a number of calls a day, or none.`)
}

async function list(operator: OperatorClient): Promise<Found> {
  const keys = await operator.ask('/keys', z.array(listed))
  return {
    json: keys.map(({ hash, ...key }) => ({ id: nameKey(hash), ...key })),
    lines: keys.length === 0 ? ['There are no keys.'] : keys.map(describeKey),
  }
}

function describeKey(key: z.infer<typeof listed>): string {
  const { hash, name, chainId, quota, methods, createdAt, revokedAt, spentToday } = key
  const state = revokedAt === null ? 'valid' : `revoked ${writeDay(revokedAt)}`
  const use = quota === null ? `${spentToday} today` : `${spentToday} of ${quota} today`
  const limits = methods === null ? '' : `  only ${methods.join(', ')}`
  return `${nameKey(hash)}  ${chainId}  ${state}  ${writeDay(createdAt)}  ${use}  ${name}${limits}`
}

async function revoke(operator: OperatorClient, _: unknown, [id = '']: readonly string[]) {
  if (!/^[0-9a-f]{8,64}$/.test(id)) throw new StackError(`"${id}" is not the id of a key.`)
  await operator.ask(`/keys/${id}`, z.unknown(), { method: 'DELETE' })
  const line = `Key ${id} is revoked. It stops working within a minute.`
  return { json: { revoked: id }, lines: [line] }
}

const nameKey = (hash: string): string => hash.slice(0, 12)

const writeDay = (time: number): string => new Date(time).toISOString().slice(0, 10)
