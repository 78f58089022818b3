import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { openNode, withoutKey } from './chain/node.ts'
import { createCommand, runAsProgram, text } from './command.ts'
import { prepareStack } from './deployment.ts'
import { openFolder, root } from './folder.ts'
import { writeUnit } from './money/dollar.ts'
import { readChainId, readDeployerKey, readNodeUrls, readVariables } from './options.ts'
import { Misused, say } from './report.ts'
import { makeSecrets, readDevVars, writeDevVars } from './secrets.ts'
import { workerVariables } from './served/worker.ts'

const usage = 'Usage: npm run setup -- --node-url http://127.0.0.1:8545'

const objects = join(root, '.wrangler', 'state')

export const setup = createCommand({
  usage,
  options: { 'node-url': text },
  async run(values, _, { env }) {
    const nodeUrls = readNodeUrls(values['node-url'] ?? env.NODE_URL, '--node-url')
    if (nodeUrls.length === 0) throw new Misused('Which node?')
    // Who the callers are follows from the secrets, so those of an earlier setup are kept.
    const before = readDevVars()
    const secrets = before?.secrets ?? makeSecrets()
    const folder = openFolder()
    const node = await openNode(nodeUrls, readChainId(env.CHAIN_ID))
    say(`Using the node at ${withoutKey(node.url)} (chain ${node.chain.id})`)

    const deployment = await prepareStack(folder, node, {
      secrets,
      deployerKey: readDeployerKey(env.DEPLOYER_KEY),
      unit: env.UNIT,
      restart: `remove ${folder.ofChain(node.genesis)}`,
    })
    const overrides = { ...readVariables(env), ...writeUnit(env.UNIT, deployment.token) }
    const variables = await workerVariables({ secrets, node, nodeUrls, deployment, overrides })
    const ledgerOf = `${node.genesis} ${deployment.loan}`
    if (before?.ledgerOf && before.ledgerOf !== ledgerOf && existsSync(objects)) {
      // `wrangler dev` keeps one ledger for everything: that of another deployment has to make way.
      const aside = `${objects}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
      renameSync(objects, aside)
      say(`The ledger of the contracts that were set up before is set aside as ${aside}`)
    }
    writeDevVars(variables, secrets, ledgerOf)
    const then = 'Serve with `npx wrangler dev`; then `npm run dial` and `npm run ops` work.'
    return { lines: [`Wrote .dev.vars. ${then}`] }
  },
})
runAsProgram(import.meta, setup)
