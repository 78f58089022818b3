import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfThere, writeWhole } from '../files.ts'
import { root } from '../folder.ts'
import { StackError } from '../report.ts'
import { parseSecrets, type Secrets } from '../secrets.ts'

const file = join(root, '.dev.vars')

const keyLine = /^# Key of the node service: (\S+)$/m
const ledgerLine = /^# Ledger of: (.+)$/m

/** Reads what `npm run setup` wrote for `wrangler dev`, if it is there. @throws {StackError} it is damaged, or another's */
export function readDevVars() {
  const text = readIfThere(file)?.toString('utf8')
  if (text === undefined) return undefined
  const variables = parseEnv(text)
  const secrets = parseSecrets({ ...variables, RPC_KEY: keyLine.exec(text)?.[1] })
  if (secrets === undefined) {
    throw new StackError(
      '.dev.vars was not written by this command, or is damaged. Move it away and try again.',
    )
  }
  /** The chain and the contract that the ledger of `wrangler dev` is for. */
  const ledgerOf = ledgerLine.exec(text)?.[1]
  return { secrets, variables, ledgerOf }
}

export function writeDevVars(
  variables: Record<string, string>,
  secrets: Secrets,
  ledgerOf: string,
): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"`)
  const text = `# Written by \`npm run setup\` for \`wrangler dev\`. It holds secrets: git ignores it.
# Key of the node service: ${secrets.RPC_KEY}
# Ledger of: ${ledgerOf}
${lines.join('\n')}
`
  writeWhole(file, text)
}
