import { text } from 'node:stream/consumers'
import { createPublicClient, http, type PublicClient } from 'viem'
import type { Chain } from '../../../src/chain/chains.ts'
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

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) return log(usage)
  const command = readCommand(args)
  const nodeUrl = required('NODE_URL').split(',')[0]?.trim() ?? ''
  const secret = requiredSecret('ACCOUNT_KEY_SECRET')
  const newSecret = command.move === 'secret' ? requiredSecret('NEW_ACCOUNT_KEY_SECRET') : undefined
  if (secret === newSecret) throw new UsageError('the new secret is the old one')
  const maxGasPriceWei = readMaxGasPrice(process.env)
  const client = createPublicClient({ transport: http(nodeUrl) })
  const { move, chain } = await openMove(client, command)
  const { batchSize, maxBlocks } = command
  const phones = await derivePhones(parsePhones(await text(process.stdin)), { secret, newSecret })
  const terms = await openPool(client, maxGasPriceWei)
  const migration: Migration = { client, chain, move, phones, batchSize, maxBlocks, terms, log }
  log(`${phones.size} numbers`)
  await act(command, migration)
}

async function act({ action }: Command, migration: Migration): Promise<void> {
  const { client, chain, move, terms } = migration
  const key = readRelayer(chain.id)
  switch (action) {
    case 'plan':
      return printPlan(migration, key?.address)
    case 'run':
    case 'resume': {
      if (key === undefined) throw new UsageError('RELAYER_KEY or RELAYER_MNEMONIC is not set')
      const relayer = createRelayer(client, { key, chain, pair: move.from, terms })
      const { moved, stuck } = await moveAccounts(migration, relayer)
      log(`${moved.length} accounts moved`)
      if (stuck.length > 0) process.exitCode = 1
      return
    }
    case 'verify': {
      const findings = await verifyMigration(migration)
      if (findings.length > 0) throw new NotMovedError(findings)
      log('every account has moved, and nothing was lost')
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

function log(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
}
