import { parseArgs } from 'node:util'
import { BaseError, type Hex, type LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../../../src/chain/chains.ts'
import { relayerAccount } from '../../../src/relay/keys.ts'

export const usage = `usage: npm run contracts:migrate -- plan|run|resume|verify pair|secret --record FILE [--to FILE]

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
const moves = ['pair', 'secret'] as const

/** What the command was asked for, without what needs the node. */
export type Command = {
  action: (typeof actions)[number]
  move: (typeof moves)[number]
  record: string
  /** The record of the pair to move to; undefined for a new secret. */
  to: string | undefined
  batchSize: number
  maxBlocks: bigint
}

/** Reads the arguments. @throws {UsageError} */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parseCommandLine(args)
  const [action, move, ...rest] = positionals
  const { record, to } = values
  if (rest.length > 0) throw new UsageError('there is an argument too many')
  if (!isOneOf(actions, action)) throw new UsageError('say plan, run, resume or verify')
  if (!isOneOf(moves, move)) throw new UsageError('say pair or secret')
  if (record === undefined) throw new UsageError('name the record with --record')
  if (move === 'pair' && to === undefined) throw new UsageError('name the new record with --to')
  if (move === 'secret' && to !== undefined) throw new UsageError('--to is for a move to a pair')
  const batchSize = readCount('batch', values.batch, 10)
  const maxBlocks = BigInt(readCount('blocks', values.blocks, 1_000_000))
  return { action, move, record, to, batchSize, maxBlocks }
}

/** A variable that has to be set. @throws {UsageError} */
export function required(env: NodeJS.ProcessEnv, name: string, words = usage): string {
  const value = env[name]
  if (!value) throw new UsageError(`${name} is not set`, words)
  return value
}

/** A secret of 32 bytes. @throws {UsageError} without its value */
export function requiredSecret(env: NodeJS.ProcessEnv, name: string, words = usage): Hex {
  const value = required(env, name, words)
  if (!isSecret(value)) throw new UsageError(`${name} is not 0x and 64 digits`, words)
  return value
}

/** The key that pays, if one is set. @throws {UsageError} */
export function readRelayer(
  env: NodeJS.ProcessEnv,
  chainId: Chain['id'],
): LocalAccount | undefined {
  if (env.RELAYER_KEY) return privateKeyToAccount(requiredSecret(env, 'RELAYER_KEY'))
  if (!env.RELAYER_MNEMONIC) return undefined
  try {
    return relayerAccount(env.RELAYER_MNEMONIC, chainId, 0)
  } catch {
    // The cause may show words of the phrase.
    throw new UsageError('RELAYER_MNEMONIC is not a phrase of BIP-39')
  }
}

function isSecret(text: string): text is Hex {
  return /^0x[0-9a-f]{64}$/i.test(text)
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        record: { type: 'string' },
        to: { type: 'string' },
        batch: { type: 'string', default: '10' },
        blocks: { type: 'string', default: '2000' },
      },
    })
  } catch {
    // The cause repeats the argument, which may be what must not be shown.
    throw new UsageError('there is an unknown option, or one without its value')
  }
}

function readCount(name: string, text: string, maximum: number): number {
  const count = Number(text)
  if (/^[1-9]\d*$/.test(text) && count <= maximum) return count
  throw new UsageError(`--${name} is a number from 1 to ${maximum}`)
}

function isOneOf<Text extends string>(
  list: readonly Text[],
  text: string | undefined,
): text is Text {
  return list.some((known) => known === text)
}

/** A node's address may end in a key, and viem's messages repeat it. */
export function messageOf(error: unknown): string {
  if (error instanceof BaseError) return `${error.name}: ${error.details || error.shortMessage}`
  return error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'
}

/** The command was called in a way that it can't follow. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(message: string, words = usage) {
    super(`${message}\n\n${words}`)
  }
}
