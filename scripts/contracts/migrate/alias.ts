import { createCommand } from '../../stack/command.ts'
import { Misused } from '../../stack/report.ts'
import { deriveAliases, parseAliases } from './phones.ts'
import { openDeployment } from './records.ts'
import { createRelayer } from './relayer.ts'
import { moveAccounts } from './run.ts'

const usage = `usage: npm run account -- alias --record FILE

Ties the accounts of former numbers to the numbers that came in their place: balance, loan and place in
the list of borrowers pass on. What has passed on, the chain says, so it happens once.

  --record FILE  of the contracts, as the deployment wrote it

The standard input has a former and a present number a line, in E.164 form with plus, a space between them.
The environment says the rest:
  NODE_URL                          the node
  ACCOUNT_KEY_SECRET                from which the accounts are derived
  RELAYER_KEY, or RELAYER_MNEMONIC  pays; better not one that the Worker sends with
  MAX_GAS_PRICE_WEI                 the most that is paid for a unit of gas (1 gwei by default)
`

/** The most blocks that one question for events asks for. */
const maxBlocks = 2_000n

/** Accounts that one transaction moves. */
const batchSize = 10

/** `npm run account -- alias --record`. */
export const alias = createCommand({
  usage,
  options: { record: undefined },
  async run({ record }, given, { env, input, say }) {
    if (record === undefined || given.length > 0) {
      throw new Misused('name the record, and nothing else')
    }
    const deployment = await openDeployment(env, record)
    const relayer = createRelayer(deployment, deployment.key)
    const phones = await deriveAliases(parseAliases(await input()), deployment.secret)
    const move = { kind: 'number', from: deployment.pair } as const
    const migration = { ...deployment, move, phones, batchSize, maxBlocks, log: () => {} }
    const { moved, stuck } = await moveAccounts(migration, relayer)
    for (const from of moved) {
      say(auditLine({ event: 'account.aliased', from, to: phones.get(from)?.heir?.address }))
    }
    for (const { address: from, reason } of stuck) {
      say(auditLine({ event: 'account.stuck', from, reason }))
    }
    const rest = phones.size - moved.length - stuck.length
    const counts = `${moved.length} accounts tied, ${rest} with nothing to pass on`
    return { lines: [`${counts}, ${stuck.length} stuck`], isBad: stuck.length > 0 }
  },
})

/** For the operator's records: addresses and times, and never a number. */
function auditLine(entry: Record<string, string | undefined>): string {
  return JSON.stringify({ time: new Date().toISOString(), ...entry })
}
