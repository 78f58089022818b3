import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { fundDemoCallers } from './callers.ts'
import { prepareChain } from './deployment.ts'
import { readIfThere, writeWhole } from './files.ts'
import { openFolder, root } from './folder.ts'
import { openNode, withoutKey } from './node.ts'
import { readChainId, readDeployerKey, readNodeUrls, readVariables } from './options.ts'
import { relayerAddresses } from './relayers.ts'
import { command, StackError, say } from './report.ts'
import { makeSecrets, parseSecrets, type Secrets } from './secrets.ts'
import { openTreasury } from './treasury.ts'
import { type WorkerVariables, workerVariables } from './worker.ts'

const usage = 'Usage: npm run setup -- --node-url http://127.0.0.1:8545'

/** Where `wrangler dev` looks for variables and keeps the rows of Durable Objects. */
const variablesFile = join(root, '.dev.vars')
const objects = join(root, '.wrangler', 'state')

const keyLine = /^# Key of the node service: (\S+)$/m
const ledgerLine = /^# Ledger of: (.+)$/m

await command(async () => {
  const env = process.env
  const nodeUrls = readNodeUrls(readNodeUrlFlag() ?? env.NODE_URL, '--node-url')
  if (nodeUrls.length === 0) throw new StackError(`Which node? ${usage}`)
  const before = readVariablesFile()
  const secrets = before.secrets ?? makeSecrets()
  const folder = openFolder()
  const node = await openNode(nodeUrls, readChainId(env.CHAIN_ID))
  say(`Using the node at ${withoutKey(node.url)} (chain ${node.chain.id})`)

  const treasury = await openTreasury(node, readDeployerKey(env.DEPLOYER_KEY))
  const deployment = await prepareChain(folder, node, {
    treasury,
    relayers: relayerAddresses(secrets.RELAYER_MNEMONIC, node.chain.id),
    restart: `remove ${folder.ofChain(node.genesis)}`,
  })
  if (treasury !== undefined && node.isAnvil) {
    const bank = { node, treasury, loan: deployment.loan, secrets }
    await fundDemoCallers(bank, folder.fundedForWrangler(node.genesis, deployment.loan))
  }
  const variables = workerVariables({
    ...{ secrets, node, nodeUrls, deployment },
    overrides: readVariables(env),
  })
  setObjectsAside(`${node.genesis} ${deployment.loan}`, before.ledgerOf)
  writeWhole(variablesFile, fileOf(variables, secrets, `${node.genesis} ${deployment.loan}`))
  say(`Wrote .dev.vars. Serve with: npx wrangler dev`)
})

function readNodeUrlFlag(): string | undefined {
  try {
    return parseArgs({ options: { 'node-url': { type: 'string' } } }).values['node-url']
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error)
    throw new StackError(`${reason}. ${usage}`)
  }
}

/** The secrets of an earlier setup are kept: who the callers are follows from them. */
function readVariablesFile(): { secrets: Secrets | undefined; ledgerOf: string | undefined } {
  const text = readIfThere(variablesFile)?.toString('utf8')
  if (text === undefined) return { secrets: undefined, ledgerOf: undefined }
  const key = keyLine.exec(text)?.[1]
  const secrets = parseSecrets({ ...parseEnv(text), RPC_KEY: key })
  if (secrets === undefined) {
    throw new StackError(
      '.dev.vars was not written by this command, or is damaged. Move it away and try again.',
    )
  }
  return { secrets, ledgerOf: ledgerLine.exec(text)?.[1] }
}

function fileOf(variables: WorkerVariables, secrets: Secrets, ledgerOf: string): string {
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"`)
  return `# Written by \`npm run setup\` for \`wrangler dev\`. It holds secrets: git ignores it.
# Key of the node service: ${secrets.RPC_KEY}
# Ledger of: ${ledgerOf}
${lines.join('\n')}
`
}

/** `wrangler dev` keeps one ledger for everything, so that of another deployment has to make way. */
function setObjectsAside(now: string, before: string | undefined): void {
  if (before === undefined || before === now) return
  const aside = `${objects}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  try {
    renameSync(objects, aside)
  } catch {
    return
  }
  say(`The ledger of the contracts that were set up before is set aside as ${aside}`)
}
