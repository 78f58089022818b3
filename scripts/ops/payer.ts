import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { decryptKeystoreJson } from 'ethers'
import type { Hex } from 'viem'
import { parseAmount } from '../../src/loan/amounts.ts'
import { type StatusAnswer, statusAnswer } from '../../src/operator/answers.ts'
import { type ChainNode, openNode } from '../stack/node.ts'
import { readChainId, readDeployerKey } from '../stack/options.ts'
import { StackError } from '../stack/report.ts'
import { openTreasury, type Treasury } from '../stack/treasury.ts'
import type { OperatorClient } from './operator-client.ts'

/** Where the key is that pays for what a command sends. */
export type KeySource = { keystore?: string | undefined; stdin?: boolean | undefined }

/** The options of a command that pays, for its command line and its usage. */
export const keyOptions = { keystore: { type: 'string' }, stdin: { type: 'boolean' } } as const

export const keyUsage = `The key that pays is in a keystore (--keystore FILE; its password is asked for, or in KEYSTORE_PASSWORD), on
the standard input (--stdin), or in DEPLOYER_KEY; on an anvil its own account pays. NODE_URL is a node.`

/**
 * The chain of a deployment, and an account that can pay on it.
 *
 * @throws {StackError} no node or no key is named, or the node is of another chain
 */
export async function openPayer(
  operator: OperatorClient,
  source: KeySource,
  env: NodeJS.ProcessEnv,
): Promise<{ status: StatusAnswer; node: ChainNode; treasury: Treasury }> {
  const status = await operator.read('/operator/status', statusAnswer)
  if (operator.nodeUrl === undefined) {
    throw new StackError('Set NODE_URL to a node of the chain of this deployment.')
  }
  const node = await openNode([operator.nodeUrl], readChainId(`${status.chainId}`))
  const treasury = await openTreasury(node, await readKey(source, env))
  if (treasury === undefined) {
    throw new StackError(`The node is not an anvil, and no key is named.\n${keyUsage}`)
  }
  return { status, node, treasury }
}

async function readKey(
  { keystore, stdin }: KeySource,
  env: NodeJS.ProcessEnv,
): Promise<Hex | undefined> {
  if (keystore !== undefined) return await decrypt(keystore, env.KEYSTORE_PASSWORD)
  if (!stdin) return readDeployerKey(env.DEPLOYER_KEY)
  const key = readDeployerKey((await text(process.stdin)).trim())
  if (key === undefined) throw new StackError('There is no key on the standard input.')
  return key
}

/** @throws {StackError} without anything that the file holds */
async function decrypt(file: string, known: string | undefined): Promise<Hex> {
  const stored = readKeystore(file)
  const password = known ?? (await askPassword())
  try {
    return (await decryptKeystoreJson(stored, password)).privateKey as Hex
  } catch {
    throw new StackError(`${file} is not a keystore, or its password is another one.`)
  }
}

function readKeystore(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new StackError(`${file} cannot be read.`)
  }
}

/** Shows nothing of what is typed. */
async function askPassword(): Promise<string> {
  process.stderr.write('Password of the keystore: ')
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/** An amount on a command line, in wei. @throws {StackError} it is none, or nothing */
export function readWei(amount: string, usage: string): bigint {
  const parsed = parseAmount(amount)
  if (parsed.kind === 'amount') return parsed.wei
  throw new StackError(`"${amount}" is not an amount: a number above 0, such as 0.5.\n${usage}`)
}
