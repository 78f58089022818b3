import { createPublicClient, http, type PublicClient } from 'viem'
import type { Chain } from '../../../src/chain/chains.ts'
import { ownTerminal, type Terminal } from '../../ops/terminal.ts'
import { readMaxGasPrice } from '../../stack/chain/gas-price.ts'
import {
  type Command,
  messageOf,
  readCommand,
  readRelayer,
  required,
  requiredSecret,
  UsageError,
  usage,
} from './command.ts'
import type { Move } from './needs.ts'
import { derivePhones, parsePhones } from './phones.ts'
import { type Migration, printPlan } from './plan.ts'
import { openPair } from './records.ts'
import { createRelayer, openPool } from './relayer.ts'
import { moveAccounts } from './run.ts'
import { NotMovedError, verifyMigration } from './verify.ts'

/** `npm run contracts:migrate` with these arguments. Resolves to its exit code. */
export async function migrate(args: readonly string[], terminal: Terminal): Promise<0 | 1> {
  try {
    return await run(args, terminal)
  } catch (error) {
    terminal.complain(messageOf(error))
    return 1
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<0 | 1> {
  const { env, say: log } = terminal
  if (args.includes('--help') || args.includes('-h')) {
    log(usage)
    return 0
  }
  const command = readCommand(args)
  const nodeUrl = required(env, 'NODE_URL').split(',')[0]?.trim() ?? ''
  const secret = requiredSecret(env, 'ACCOUNT_KEY_SECRET')
  const newSecret =
    command.move === 'secret' ? requiredSecret(env, 'NEW_ACCOUNT_KEY_SECRET') : undefined
  if (secret === newSecret) throw new UsageError('the new secret is the old one')
  const maxGasPriceWei = readMaxGasPrice(env)
  const client = createPublicClient({ transport: http(nodeUrl) })
  const { move, chain } = await openMove(client, command)
  const { batchSize, maxBlocks } = command
  const phones = await derivePhones(parsePhones(await terminal.input()), { secret, newSecret })
  const terms = await openPool(client, maxGasPriceWei)
  const migration: Migration = { client, chain, move, phones, batchSize, maxBlocks, terms, log }
  log(`${phones.size} numbers`)
  return await act(command, migration, env)
}

async function act(
  { action }: Command,
  migration: Migration,
  env: NodeJS.ProcessEnv,
): Promise<0 | 1> {
  const { client, chain, move, terms, log } = migration
  const key = readRelayer(env, chain.id)
  switch (action) {
    case 'plan':
      await printPlan(migration, key?.address)
      return 0
    case 'run':
    case 'resume': {
      if (key === undefined) throw new UsageError('RELAYER_KEY or RELAYER_MNEMONIC is not set')
      const relayer = createRelayer(client, { key, chain, pair: move.from, terms })
      const { moved, stuck } = await moveAccounts(migration, relayer)
      log(`${moved.length} accounts moved`)
      return stuck.length > 0 ? 1 : 0
    }
    case 'verify': {
      const findings = await verifyMigration(migration)
      if (findings.length > 0) throw new NotMovedError(findings)
      log('every account has moved, and nothing was lost')
      return 0
    }
  }
}

async function openMove(
  client: PublicClient,
  { record, to }: Command,
): Promise<{ move: Move; chain: Chain }> {
  const { pair: from, chain } = await openPair(client, record)
  if (to === undefined) return { move: { kind: 'secret', from }, chain }
  return { move: { kind: 'pair', from, to: (await openPair(client, to)).pair }, chain }
}

if (import.meta.main) process.exitCode = await migrate(process.argv.slice(2), ownTerminal)
