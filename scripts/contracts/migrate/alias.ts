import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { createPublicClient, http } from 'viem'
import { readMaxGasPrice } from '../../stack/chain/gas-price.ts'
import { messageOf, readRelayer, required, requiredSecret, UsageError } from './command.ts'
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

/** `npm run account -- alias`, with what follows it on the command line. */
export async function alias(args: readonly string[]): Promise<void> {
  try {
    await tieAccounts(args)
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`)
    process.exitCode = 1
  }
}

async function tieAccounts(args: readonly string[]): Promise<void> {
  const record = readRecord(args)
  if (record === undefined) return print(usage)
  const nodeUrl = required('NODE_URL', usage).split(',')[0]?.trim() ?? ''
  const secret = requiredSecret('ACCOUNT_KEY_SECRET', usage)
  const client = createPublicClient({ transport: http(nodeUrl) })
  const { pair, chain } = await openPair(client, record)
  const key = readRelayer(chain.id)
  if (key === undefined) throw new UsageError('RELAYER_KEY or RELAYER_MNEMONIC is not set', usage)
  const phones = await deriveAliases(parseAliases(await text(process.stdin)), secret)
  const move = { kind: 'number', from: pair } as const
  const terms = await openPool(client, readMaxGasPrice(process.env))
  const migration = { client, chain, move, phones, batchSize, maxBlocks, terms, log: () => {} }
  const relayer = createRelayer(client, { key, chain, pair, terms })
  const { moved, stuck } = await moveAccounts(migration, relayer)
  for (const from of moved) {
    audit({ event: 'account.aliased', from, to: phones.get(from)?.heir?.address })
  }
  for (const { address, reason } of stuck) audit({ event: 'account.stuck', from: address, reason })
  const rest = phones.size - moved.length - stuck.length
  print(`${moved.length} accounts tied, ${rest} with nothing to pass on, ${stuck.length} stuck`)
  if (stuck.length > 0) process.exitCode = 1
}

/** Undefined where the usage was asked for. */
function readRecord(args: readonly string[]): string | undefined {
  const parsed = parse(args)
  if (parsed?.values.help) return undefined
  if (parsed === undefined || parsed.positionals.length > 0) {
    throw new UsageError('there is an argument too many', usage)
  }
  if (parsed.values.record === undefined) throw new UsageError('name the record', usage)
  return parsed.values.record
}

function parse(args: readonly string[]) {
  try {
    const options = { record: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch {
    // The cause repeats the argument, which may be what must not be shown.
    return undefined
  }
}

/** One line for the operator's records: addresses and times, and never a number. */
function audit(entry: Record<string, string | undefined>): void {
  print(JSON.stringify({ time: new Date().toISOString(), ...entry }))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
