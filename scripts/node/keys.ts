import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { defaultQuota, hashKey } from '../../src/keys/api-keys.ts'
import { readCommandLine } from '../ops/command-line.ts'
import { openFolder } from '../stack/folder.ts'
import { command, StackError, say } from '../stack/report.ts'
import { readRunningStack } from '../stack/running-stack.ts'

const usage = `Usage:
  npm run keys -- create --name <whose> [--network 30|31] [--quota <calls a day>|none] [--methods <a,b>]
  npm run keys -- list
  npm run keys -- revoke <id>
With --json each prints JSON. They ask the local stack, or the deployment at --url <origin> with OPERATOR_TOKEN in the environment.`

const record = z.object({
  hash: z.string(),
  name: z.string(),
  chainId: z.number(),
  quota: z.number().nullable(),
  methods: z.array(z.string()).nullable(),
  createdAt: z.number(),
  revokedAt: z.number().nullable(),
  spentToday: z.number(),
})

const text = { type: 'string' } as const
const options = {
  ...{ url: text, name: text, network: text, quota: text, methods: text },
  json: { type: 'boolean' },
} as const

type Deployment = { origin: string; token: string }

await command(async () => {
  const asked = readCommandLine(usage, options)
  if (asked === undefined) return
  const { values, positionals } = asked
  const [action, ...rest] = positionals
  const deployment = deploymentOf(values.url)
  switch (action) {
    case 'create':
      if (rest.length > 0 || !values.name) throw new StackError(usage)
      return await create(deployment, { ...values, name: values.name })
    case 'list':
      if (rest.length > 0) throw new StackError(usage)
      return await list(deployment, values.json)
    case 'revoke': {
      const [id] = rest
      if (id === undefined || rest.length > 1) throw new StackError(usage)
      return await revoke(deployment, id, values.json)
    }
    default:
      throw new StackError(usage)
  }
})

function deploymentOf(url: string | undefined): Deployment {
  if (url === undefined) {
    const { relayUrl, operatorToken } = readRunningStack(openFolder())
    return { origin: relayUrl, token: operatorToken }
  }
  const token = process.env.OPERATOR_TOKEN
  if (!URL.canParse(url)) throw new StackError(`"${url}" is not an address.`)
  if (!token) throw new StackError('Set OPERATOR_TOKEN to the token of the deployment at --url.')
  return { origin: new URL(url).origin, token }
}

type Options = {
  name: string
  network?: string | undefined
  quota?: string | undefined
  methods?: string | undefined
  json?: boolean | undefined
}

/** The key is made here and only its hash leaves: nobody else ever has it. */
async function create(deployment: Deployment, options: Options): Promise<void> {
  const key = `rpc_${randomBytes(32).toString('base64url')}`
  const hash = await hashKey(key)
  const network = options.network === undefined ? {} : { chainId: Number(options.network) }
  const quota = quotaOf(options.quota)
  const methods = options.methods?.split(',').map((method) => method.trim()) ?? null
  await ask(deployment, 'POST', '/keys', {
    hash,
    name: options.name,
    ...network,
    quota,
    methods,
  })
  const url = `${deployment.origin}/rpc/${key}`
  if (options.json) return say(JSON.stringify({ id: idOf(hash), key, url }))
  say(`Key ${idOf(hash)} for ${options.name}. It is shown this once:`)
  say(`  ${key}`)
  say(`  ${url}`)
}

function quotaOf(text: string | undefined): number | null {
  if (text === undefined) return defaultQuota
  if (text === 'none') return null
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new StackError(`"${text}" is not a quota: a number of calls a day, or none.`)
}

async function list(deployment: Deployment, json = false): Promise<void> {
  const keys = z.array(record).parse(await ask(deployment, 'GET', '/keys'))
  if (json) return say(JSON.stringify(keys.map(({ hash, ...key }) => ({ id: idOf(hash), ...key }))))
  if (keys.length === 0) say('There are no keys.')
  for (const { hash, name, chainId, quota, methods, createdAt, revokedAt, spentToday } of keys) {
    const state = revokedAt === null ? 'valid' : `revoked ${dayOf(revokedAt)}`
    const use = quota === null ? `${spentToday} today` : `${spentToday} of ${quota} today`
    const limits = methods === null ? '' : `  only ${methods.join(', ')}`
    say(`${idOf(hash)}  ${chainId}  ${state}  ${dayOf(createdAt)}  ${use}  ${name}${limits}`)
  }
}

async function revoke(deployment: Deployment, id: string, json = false): Promise<void> {
  if (!/^[0-9a-f]{8,64}$/.test(id)) throw new StackError(`"${id}" is not the id of a key.`)
  await ask(deployment, 'DELETE', `/keys/${id}`)
  if (json) return say(JSON.stringify({ revoked: id }))
  say(`Key ${id} is revoked. Within a minute nobody is served with it.`)
}

async function ask(
  { origin, token }: Deployment,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  let response: Response
  try {
    response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new StackError(`Nothing answers at ${origin}.`)
  }
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const refusal = z.object({ error: z.string() }).safeParse(answer)
  const reason = refusal.success ? refusal.data.error : `HTTP ${response.status}`
  throw new StackError(`The service refused: ${reason}`)
}

/** What names a key where the key itself must not be seen. */
function idOf(hash: string): string {
  return hash.slice(0, 12)
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
