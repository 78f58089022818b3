import { randomBytes } from 'node:crypto'
import { toHex } from 'viem'
import { english, generateMnemonic } from 'viem/accounts'
import { z } from 'zod'
import { parseJson, readIfThere, writeJson } from './files.ts'
import { StackError } from './report.ts'

const hex32 = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)])

const secretsSchema = z.object({
  RELAYER_MNEMONIC: z.string(),
  ACCOUNT_ID_SECRET: hex32,
  ACCOUNT_KEY_SECRET: hex32,
  PIN_SECRET: hex32,
  OPERATOR_TOKEN: z.string(),
  /** The Worker gets its hash. */
  RPC_KEY: z.string(),
})

/** What only this machine's stack knows: who the callers are follows from it, so it is kept. */
export type Secrets = z.infer<typeof secretsSchema>

/** The secrets of this file; made and written, for their owner's eyes only, if it is missing. */
export function openSecrets(file: string): Secrets {
  const text = readIfThere(file)
  if (text === undefined) writeJson(file, makeSecrets())
  const secrets = parseSecrets(parseJson(text ?? readIfThere(file) ?? ''))
  if (secrets !== undefined) return secrets
  // New ones would be new, empty accounts for everybody.
  throw new StackError(
    `${file} cannot be read as the secrets of a stack. Restore it, or move the folder away to start over.`,
  )
}

/** Undefined where something is missing or is not what it has to be. */
export function parseSecrets(value: unknown): Secrets | undefined {
  return secretsSchema.safeParse(value).data
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
