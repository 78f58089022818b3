import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { defaultQuota, hashKey } from '../../src/keys/api-keys.ts'
import { command, StackError, say } from '../stack/report.ts'
import { readCommandLine } from './command-line.ts'
import { type OperatorClient, openOperator } from './operator-client.ts'

const usage = `Usage:
  npm run keys -- create --name <whose> [--network 30|31] [--quota <calls a day>|none] [--methods <a,b>]
  npm run keys -- list
  npm run keys -- revoke <id>
With --json each prints JSON. They ask the local stack, or the deployment at --url <origin> with OPERATOR_TOKEN in the environment.`

const record = z.object({
  hash: z.string(),
  name: z.string(),
  chainId: z.number(),
  quota: z.nullable(z.number()),
  methods: z.nullable(z.array(z.string())),
  createdAt: z.number(),
  revokedAt: z.nullable(z.number()),
  spentToday: z.number(),
})

const text = { type: 'string' } as const
const options = {
  ...{ url: text, name: text, network: text, quota: text, methods: text },
  json: { type: 'boolean' },
} as const

type Values = NonNullable<ReturnType<typeof readCommandLine<typeof options>>>['values']

await command(async () => {
  const asked = readCommandLine(usage, options)
  if (asked === undefined) return
  const { values, positionals } = asked
  const [action, id, ...rest] = positionals
  if (rest.length > 0 || (action === 'revoke') !== (id !== undefined)) throw new StackError(usage)
  const operator = openOperator(values.url, process.env)
  switch (action) {
    case 'create':
      return await create(operator, values)
    case 'list':
      return await list(operator, values)
    case 'revoke':
      return await revoke(operator, id ?? '', values)
    default:
      throw new StackError(usage)
  }
})

/** The key is made here and only its hash leaves: nobody else ever has it. */
async function create(operator: OperatorClient, values: Values): Promise<void> {
  if (!values.name) throw new StackError(usage)
  const key = `rpc_${randomBytes(32).toString('base64url')}`
  const hash = await hashKey(key)
  await operator.act('/keys', z.unknown(), {
    hash,
    name: values.name,
    ...(values.network === undefined ? {} : { chainId: Number(values.network) }),
    quota: readQuota(values.quota),
    methods: values.methods?.split(',').map((method) => method.trim()) ?? null,
  })
  const url = `${operator.origin}/rpc/${key}`
  if (values.json) return say(JSON.stringify({ id: nameKey(hash), key, url }))
  say(`Key ${nameKey(hash)} for ${values.name}. It is shown this once:`)
  say(`  ${key}`)
  say(`  ${url}`)
}

function readQuota(text: string | undefined): number | null {
  if (text === undefined) return defaultQuota
  if (text === 'none') return null
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new StackError(`"${text}" is not a quota: a number of calls a day, or none.`)
}

async function list(operator: OperatorClient, { json }: Values): Promise<void> {
  const keys = await operator.read('/keys', z.array(record))
  if (json) {
    return say(JSON.stringify(keys.map(({ hash, ...key }) => ({ id: nameKey(hash), ...key }))))
  }
  if (keys.length === 0) say('There are no keys.')
  for (const { hash, name, chainId, quota, methods, createdAt, revokedAt, spentToday } of keys) {
    const state = revokedAt === null ? 'valid' : `revoked ${writeDay(revokedAt)}`
    const use = quota === null ? `${spentToday} today` : `${spentToday} of ${quota} today`
    const limits = methods === null ? '' : `  only ${methods.join(', ')}`
    const made = writeDay(createdAt)
    say(`${nameKey(hash)}  ${chainId}  ${state}  ${made}  ${use}  ${name}${limits}`)
  }
}

async function revoke(operator: OperatorClient, id: string, { json }: Values): Promise<void> {
  if (!/^[0-9a-f]{8,64}$/.test(id)) throw new StackError(`"${id}" is not the id of a key.`)
  await operator.remove(`/keys/${id}`)
  if (json) return say(JSON.stringify({ revoked: id }))
  say(`Key ${id} is revoked. Within a minute nobody is served with it.`)
}

/** Names a key where the key itself must not be seen. */
function nameKey(hash: string): string {
  return hash.slice(0, 12)
}

function writeDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
