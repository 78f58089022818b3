import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { toHex } from 'viem'
import { english, generateMnemonic } from 'viem/accounts'
import { z } from 'zod'
import { readIfThere, readJson, writeJson, writeWhole } from './files.ts'
import { root } from './folder.ts'
import { StackError } from './report.ts'

const hex32 = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)])

const secretsSchema = z.object({
  RELAYER_MNEMONIC: z.string(),
  ACCOUNT_ID_SECRET: hex32,
  ACCOUNT_KEY_SECRET: hex32,
  PIN_SECRET: hex32,
  OPERATOR_TOKEN: z.string(),
  /** The Worker gets only its hash. */
  RPC_KEY: z.string(),
})

/** Holds the local stack's secrets, from which the callers' accounts derive. */
export type Secrets = z.infer<typeof secretsSchema>

/** Names the secrets that a local stack makes for itself. */
export const secretNames: readonly string[] = Object.keys(secretsSchema.shape)

/** Reads a file's secrets; a missing file is created, readable by its owner only. */
export function openSecrets(file: string): Secrets {
  if (readIfThere(file) === undefined) writeJson(file, makeSecrets())
  const secrets = secretsSchema.safeParse(readJson(file)).data
  if (secrets !== undefined) return secrets
  // New ones would be new, empty accounts for everybody.
  throw new StackError(
    `${file} cannot be read as the secrets of a stack. Restore it, or move the folder away to start over.`,
  )
}

export function makeSecrets(): Secrets {
  const random32 = () => toHex(randomBytes(32))
  return {
    RELAYER_MNEMONIC: generateMnemonic(english),
    ACCOUNT_ID_SECRET: random32(),
    ACCOUNT_KEY_SECRET: random32(),
    PIN_SECRET: random32(),
    OPERATOR_TOKEN: randomBytes(24).toString('base64url'),
    RPC_KEY: randomBytes(24).toString('base64url'),
  }
}

const devVarsFile = join(root, '.dev.vars')

const keyLine = /^# Key of the node service: (\S+)$/m
const ledgerLine = /^# Ledger of: (.+)$/m

/** Reads what `npm run setup` wrote for `wrangler dev`. @throws {StackError} it is not that */
export function readDevVars() {
  const text = readIfThere(devVarsFile)?.toString('utf8')
  if (text === undefined) return undefined
  const variables = parseEnv(text)
  const RPC_KEY = keyLine.exec(text)?.[1]
  const secrets = secretsSchema.safeParse({ ...variables, RPC_KEY }).data
  if (secrets === undefined) {
    throw new StackError(
      '.dev.vars was not written by this command, or is damaged. Move it away and try again.',
    )
  }
  /** The chain and the contract that the ledger of `wrangler dev` is for. */
  const ledgerOf = ledgerLine.exec(text)?.[1]
  return { secrets, variables, ledgerOf }
}

type Variables = Readonly<Record<string, string>>

export function writeDevVars(variables: Variables, secrets: Secrets, ledgerOf: string): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"`)
  const text = `# Written by \`npm run setup\` for \`wrangler dev\`. It holds secrets: git ignores it.
# Key of the node service: ${secrets.RPC_KEY}
# Ledger of: ${ledgerOf}
${lines.join('\n')}
`
  writeWhole(devVarsFile, text)
}
