import { BaseError, createPublicClient, http, type LocalAccount, type PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../../../src/chain/chains.ts'
import { relayerAccount } from '../../../src/relay/keys.ts'
import { ownTerminal, readCommandLine, type Terminal } from '../../ops/command-line.ts'
import { readRequired, readSecret } from '../../ops/environment.ts'
import { readMaxGasPrice } from '../../stack/chain/gas-price.ts'
import { StackError } from '../../stack/report.ts'
import type { Move } from './needs.ts'
import { derivePhones, parsePhones } from './phones.ts'
import { type Migration, printPlan } from './plan.ts'
import { openPair } from './records.ts'
import { createRelayer, openPool } from './relayer.ts'
import { moveAccounts } from './run.ts'
import { verifyMigration } from './verify.ts'

const usage = `usage: npm run contracts:migrate -- plan|run|resume|verify pair|secret --record FILE [--to FILE]

  plan    prints what a run would do and what it costs; sends nothing
  run     moves every account that has not moved
  resume  the same: what is done, the chain says
  verify  fails unless every account has moved and nothing was lost

  pair    to the pair in the record that --to names, which was deployed with PREDECESSOR
  secret  to the accounts of the same numbers under NEW_ACCOUNT_KEY_SECRET, in the same pair

  --record FILE  of the pair where the accounts are
  --batch N      accounts in a transaction, 1 to 10 (10 by default)
  --blocks N     the most blocks that the node is asked for events of at a time (2000 by default)

The standard input has the telephone numbers, one a line in E.164 form with plus.
The environment says the rest:
  NODE_URL                          the node
  ACCOUNT_KEY_SECRET                from which the accounts are derived now
  NEW_ACCOUNT_KEY_SECRET            from which they are derived afterwards (secret)
  RELAYER_KEY, or RELAYER_MNEMONIC  pays (run, resume); better not one that the Worker sends with
  MAX_GAS_PRICE_WEI                 the most that is paid for a unit of gas (1 gwei by default)
`

const actions = ['plan', 'run', 'resume', 'verify'] as const

const text = { type: 'string' } as const
const options = { record: text, to: text, batch: text, blocks: text } as const

/** What the command was asked for, without what needs the node. */
type Command = {
  action: (typeof actions)[number]
  record: string
  /** The record of the pair to move to; undefined for a new secret. */
  to: string | undefined
  batchSize: number
  maxBlocks: bigint
}

/** Runs `npm run contracts:migrate` with these arguments, and gives its exit code. */
export async function migrate(args: readonly string[], terminal: Terminal): Promise<0 | 1> {
  try {
    return await run(args, terminal)
  } catch (error) {
    terminal.complain(writeError(error))
    return 1
  }
}

async function run(args: readonly string[], { env, say, input }: Terminal): Promise<0 | 1> {
  const asked = readCommandLine(usage, options, args, say)
  if (asked === undefined) return 0
  const command = readCommand(asked)
  const nodeUrl = readRequired(env, 'NODE_URL', usage).split(',')[0]?.trim() ?? ''
  const secret = readSecret(env, 'ACCOUNT_KEY_SECRET', usage)
  const newSecret =
    command.to === undefined ? readSecret(env, 'NEW_ACCOUNT_KEY_SECRET', usage) : undefined
  if (secret === newSecret) throw misused('the new secret is the old one')
  const maxGasPriceWei = readMaxGasPrice(env)
  const client = createPublicClient({ transport: http(nodeUrl) })
  const { pair: from, chain } = await openPair(client, command.record)
  const move: Move =
    command.to === undefined
      ? { kind: 'secret', from }
      : { kind: 'pair', from, to: (await openPair(client, command.to)).pair }
  const { batchSize, maxBlocks } = command
  const phones = await derivePhones(parsePhones(await input()), { secret, newSecret })
  const terms = await openPool(client, maxGasPriceWei)
  say(`${phones.size} numbers`)
  const migration = { client, chain, move, phones, batchSize, maxBlocks, terms, log: say }
  return await act(command, migration, readPayer(env, chain.id))
}

async function act(
  { action }: Command,
  migration: Migration & { client: PublicClient },
  key: LocalAccount | undefined,
): Promise<0 | 1> {
  const { client, chain, move, terms, log } = migration
  switch (action) {
    case 'plan':
      await printPlan(migration, key?.address)
      return 0
    case 'run':
    case 'resume': {
      if (key === undefined) throw misused('RELAYER_KEY or RELAYER_MNEMONIC is not set')
      const relayer = createRelayer(client, { key, chain, pair: move.from, terms })
      const { moved, stuck } = await moveAccounts(migration, relayer)
      log(`${moved.length} accounts moved`)
      return stuck.length > 0 ? 1 : 0
    }
    case 'verify': {
      const findings = await verifyMigration(migration)
      if (findings.length > 0) {
        throw new StackError(`Not moved:${findings.map((finding) => `\n- ${finding}`).join('')}`)
      }
      log('every account has moved, and nothing was lost')
      return 0
    }
  }
}

type Asked = NonNullable<ReturnType<typeof readCommandLine<typeof options>>>

function readCommand({ values, positionals }: Asked): Command {
  const [first, move, ...rest] = positionals
  const { record, to, batch = '10', blocks = '2000' } = values
  const action = actions.find((known) => known === first)
  if (rest.length > 0) throw misused('there is an argument too many')
  if (action === undefined) throw misused('say plan, run, resume or verify')
  if (move !== 'pair' && move !== 'secret') throw misused('say pair or secret')
  if (record === undefined) throw misused('name the record with --record')
  if (move === 'pair' && to === undefined) throw misused('name the new record with --to')
  if (move === 'secret' && to !== undefined) throw misused('--to is for a move to a pair')
  const maxBlocks = BigInt(readCount('blocks', blocks, 1_000_000))
  return { action, record, to, batchSize: readCount('batch', batch, 10), maxBlocks }
}

function readCount(name: string, text: string, maximum: number): number {
  const count = Number(text)
  if (/^[1-9]\d*$/.test(text) && count <= maximum) return count
  throw misused(`--${name} is a number from 1 to ${maximum}`)
}

/** Reads the key that pays, if one is set. @throws {StackError} */
export function readPayer(
  env: NodeJS.ProcessEnv,
  chainId: Chain['id'],
  words = usage,
): LocalAccount | undefined {
  if (env.RELAYER_KEY) return privateKeyToAccount(readSecret(env, 'RELAYER_KEY', words))
  if (!env.RELAYER_MNEMONIC) return undefined
  try {
    return relayerAccount(env.RELAYER_MNEMONIC, chainId, 0)
  } catch {
    // The cause may show words of the phrase.
    throw new StackError(`RELAYER_MNEMONIC is not a phrase of BIP-39\n\n${words}`)
  }
}

/** Writes an error without a node's address, which may end in a key and which viem's messages repeat. */
export function writeError(error: unknown): string {
  if (error instanceof BaseError) return `${error.name}: ${error.details || error.shortMessage}`
  return error instanceof Error ? error.message : 'unknown'
}

function misused(fault: string): StackError {
  return new StackError(`${fault}\n\n${usage}`)
}

if (import.meta.main) process.exitCode = await migrate(process.argv.slice(2), ownTerminal)
