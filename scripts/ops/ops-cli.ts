import { resolve } from 'node:path'
import { readDeployed } from '../contracts/migrate/records.ts'
import { root } from '../stack/folder.ts'
import { command, StackError, say } from '../stack/report.ts'
import { readCommandLine } from './command-line.ts'
import { openOperator } from './operator-client.ts'
import { reconcile } from './reconcile/reconcile-deployment.ts'

const usage = `Usage: npm run ops -- reconcile [--url https://<host>] [--json] [--record FILE] [--accounts]

reconcile   compares the ledger with the contracts' sums and the events of the chain, and prints every
            difference: then it ends with 1. With --accounts it also asks for each balance that the ledger
            knows of. It begins at the block of FILE, a record of npm run deploy:contracts.

Asks the local stack, or the deployment at --url with OPERATOR_TOKEN and NODE_URL in the environment.`

await command(async () => {
  const asked = readCommandLine(usage, {
    url: { type: 'string' },
    json: { type: 'boolean' },
    record: { type: 'string' },
    accounts: { type: 'boolean' },
  })
  if (asked === undefined) return
  const { values, positionals } = asked
  if (positionals.join(' ') !== 'reconcile') throw new StackError(usage)
  const operator = openOperator(values.url, process.env)
  if (values.url !== undefined && values.record === undefined) {
    throw new StackError('Say where the contracts were recorded: --record deployments/31.json')
  }
  const fromBlock =
    values.record === undefined
      ? 0
      : Number(readDeployed(resolve(root, values.record)).deployedBlock)
  const found = await reconcile(operator, { fromBlock, eachAccount: values.accounts ?? false })
  if (values.json) say(JSON.stringify(found))
  else {
    for (const difference of found.differences) say(difference)
    say(
      `${found.payments} payments of the ledger, ${found.spendings} spent intents and ${found.events} events up to block ${found.head}: ${found.differences.length} differences.`,
    )
  }
  if (found.differences.length > 0) process.exitCode = 1
})
