import { createPublicClient, http } from 'viem'
import type { Terminal } from '../../ops/command-line.ts'
import { readCommandLine } from '../../ops/command-line.ts'
import { readRequired, readSecret } from '../../ops/environment.ts'
import { readMaxGasPrice } from '../../stack/chain/gas-price.ts'
import { StackError } from '../../stack/report.ts'
import { readPayer, writeError } from './cli.ts'
import { deriveAliases, parseAliases } from './phones.ts'
import { openPair } from './records.ts'
import { createRelayer, openPool } from './relayer.ts'
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

/** `npm run account -- alias`, with what follows it on the command line. Resolves to its exit code. */
export async function alias(args: readonly string[], terminal: Terminal): Promise<0 | 1> {
  try {
    return await tieAccounts(args, terminal)
  } catch (error) {
    terminal.complain(writeError(error))
    return 1
  }
}

async function tieAccounts(args: readonly string[], { env, input, say }: Terminal): Promise<0 | 1> {
  const asked = readCommandLine(usage, { record: { type: 'string' } }, args, say)
  if (asked === undefined) return 0
  const { record } = asked.values
  if (record === undefined || asked.positionals.length > 0) {
    throw new StackError(`name the record, and nothing else\n\n${usage}`)
  }
  const nodeUrl = readRequired(env, 'NODE_URL', usage).split(',')[0]?.trim() ?? ''
  const secret = readSecret(env, 'ACCOUNT_KEY_SECRET', usage)
  const client = createPublicClient({ transport: http(nodeUrl) })
  const { pair, chain } = await openPair(client, record)
  const key = readPayer(env, chain.id, usage)
  if (key === undefined) {
    throw new StackError(`RELAYER_KEY or RELAYER_MNEMONIC is not set\n\n${usage}`)
  }
  const phones = await deriveAliases(parseAliases(await input()), secret)
  const move = { kind: 'number', from: pair } as const
  const terms = await openPool(client, readMaxGasPrice(env))
  const migration = { client, chain, move, phones, batchSize, maxBlocks, terms, log: () => {} }
  const relayer = createRelayer(client, { key, chain, pair, terms })
  const { moved, stuck } = await moveAccounts(migration, relayer)
  const audited = [
    ...moved.map((from) => ({
      ...{ event: 'account.aliased', from, to: phones.get(from)?.heir?.address },
    })),
    ...stuck.map(({ address, reason }) => ({ event: 'account.stuck', from: address, reason })),
  ]
  for (const entry of audited) say(auditLine(entry))
  const rest = phones.size - moved.length - stuck.length
  say(`${moved.length} accounts tied, ${rest} with nothing to pass on, ${stuck.length} stuck`)
  return stuck.length > 0 ? 1 : 0
}

/** For the operator's records: addresses and times, and never a number. */
function auditLine(entry: Record<string, string | undefined>): string {
  return JSON.stringify({ time: new Date().toISOString(), ...entry })
}
